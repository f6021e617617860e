"""Checks of operators that do something else than what was probably meant."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query, shown, with_text_replaced
from sqljury.trees.nodes import NULL, Call, Cast, Literal, Type
from sqljury.trees.walk import subexpressions

_CONDITIONS = ("=", "<>", "<", "<=", ">", ">=", "LIKE", "IS")


@check("AU111", sees=Sees.TREE)
def bars_as_or(query: Query) -> Iterator[Finding]:
    """The operator || joins texts between two conditions, where OR was meant."""
    for call in query.calls(*_CONDITIONS):
        # || binds tighter than =: a = 'x' || b = 'y' is (a = ('x' || b)) = 'y'.
        inside = [x for x in call.operands if isinstance(x, Call) and x.name in _CONDITIONS]
        parts = (part for one in inside for part in subexpressions(one))
        if any(isinstance(part, Call) and part.name == "||" for part in parts):
            yield Finding(reason="|| joins texts and binds first; OR was meant.", part="||")


@check("AU112", sees=Sees.TEXT, read=(3, 4))
def mixed_and_or(query: Query) -> Iterator[Finding]:
    """AND and OR are mixed without brackets, and AND binds tighter than OR."""
    from sqlglot import exp

    for node in query.syntax.find_all(exp.Or) if query.syntax is not None else ():
        first, last = node.this, node.expression
        # a AND b OR c AND d lists complete alternatives, which is clear without brackets.
        if isinstance(first, exp.And) == isinstance(last, exp.And):
            continue
        single = last if isinstance(first, exp.And) else first
        if not isinstance(single, exp.Or | exp.Paren):
            part = node.sql(query.dialect)
            yield Finding(reason="AND binds tighter than OR, and no brackets say so.", part=part)


@check("AU113", sees=Sees.TREE, read=(4, 4))
def same_on_both_sides(query: Query) -> Iterator[Finding]:
    """A value is compared with itself, divided by itself or subtracted from itself."""
    for call in query.calls("=", "<>", "<", ">", "<=", ">=", "/", "-"):
        first, *rest = call.operands
        if rest == [first] and not isinstance(first, Literal):
            yield Finding(reason=f"both sides of {call.name} are the same.", part=call.name)


@check("AU107", sees=Sees.TREE)
def equals_null(query: Query) -> Iterator[Finding]:
    """A comparison with NULL is never true, where IS NULL was meant."""
    for call in query.calls("=", "<>", "<", "<=", ">", ">="):
        if NULL in call.operands:
            yield Finding(
                reason=f"{call.name} NULL is never true.",
                part=f"{call.name} NULL",
                proposal=query.edited(_is_null),
            )


def _is_null(tree: object) -> bool:
    from sqlglot import exp

    assert isinstance(tree, exp.Expr)
    found = [n for n in tree.find_all(exp.EQ, exp.NEQ) if isinstance(n.expression, exp.Null)]
    for node in found:
        test = exp.Is(this=node.this.copy(), expression=exp.null())
        node.replace(exp.Not(this=test) if isinstance(node, exp.NEQ) else test)
    return bool(found)


_CUTS = ("sqlite", "postgres", "tsql")
"""Dialects in which an integer divided by an integer gives an integer."""


@check("AU302", sees=Sees.TREE, read=(3, 4))
def integer_division(query: Query) -> Iterator[Finding]:
    """A division of integers loses the decimal places."""
    divisions = [(site, call) for site in query.expressions for call in site.calls("/")]
    # Dividing by a constant such as 10 or 1000 may be meant to cut digits.
    if query.dialect not in _CUTS or not any(
        all(site.type(one) is Type.INTEGER for one in call.operands)
        and not isinstance(call.operands[1], Literal | Cast)
        for site, call in divisions
    ):
        return
    proposal, before = query.edited(_as_real), query.returned
    evidence = {}
    if proposal is not None and before is not None:
        after = query.rows(proposal)
        if after == before:
            return  # the cut digits do not change the result
        evidence = {"rows": shown(before), "without_cutting": shown(after or [])}
    reason = "integers are divided, and what is behind the point is lost."
    yield Finding(reason=reason, part="/", evidence=evidence, proposal=proposal)


def _as_real(tree: object) -> bool:
    from sqlglot import exp

    assert isinstance(tree, exp.Expr)
    found = list(tree.find_all(exp.Div))
    for node in found:
        node.set("this", exp.cast(node.this.unnest().copy(), "REAL"))
    return bool(found)


_TEXTS = frozenset(("STRFTIME", "SUBSTR", "SUBSTRING", "DATE", "TIME", "REPLACE", "TRIM", "LOWER"))
_NUMBERS = (Type.INTEGER, Type.REAL, Type.SINGLE, Type.DECIMAL)


@check("AU109", sees=Sees.TREE)
def text_against_number(query: Query) -> Iterator[Finding]:
    """The text that a function returns is compared with a number: in SQLite never equal."""
    if query.dialect != "sqlite":
        return
    for call in query.calls("=", "<>", "<", "<=", ">", ">=", "BETWEEN", "IN"):
        texts = [x for x in call.operands if isinstance(x, Call) and x.name in _TEXTS]
        if texts and any(isinstance(x, Literal) and x.type in _NUMBERS for x in call.operands):
            name = texts[0].name
            yield Finding(
                reason=f"{name}(…) is a text: in SQLite it is greater than every number.",
                part=name,
            )


_PARTS = (
    r"contain\w*|includ\w*|substring|keyword|letters?|phrase|words?|starts?|begins?|ends?|part of"
)


@check("AU104", sees=Sees.TREE | Sees.QUESTION)
def like_without_wildcard(query: Query) -> Iterator[Finding]:
    """LIKE has a pattern without a wildcard where the question asks for a part of the text."""
    for one in query.comparisons:
        pattern = one.constants[0].value
        if one.operator not in ("LIKE", "ILIKE") or not isinstance(pattern, str):
            continue
        if "%" in pattern or "_" in pattern or not query.said.says(_PARTS):
            continue
        proposal = with_text_replaced(query.sql, pattern, f"%{pattern}%", query.dialect)
        if proposal is None or query.returned is None or query.rows(proposal) != query.returned:
            reason = f"LIKE {pattern!r} has no wildcard and finds whole values only."
            yield Finding(reason=reason, part=pattern, proposal=proposal)


@check("AU105", sees=Sees.TREE | Sees.ROWS)
def wildcard_in_equality(query: Query) -> Iterator[Finding]:
    """A text with a wildcard is compared by = and not by LIKE."""
    for one, constant in query.constants:
        text, name = constant.value, one.column.name
        if one.operator not in ("=", "<>", "IN") or not isinstance(text, str):
            continue
        if text.strip("%") != text and not query.may_hold(one.table, name, text):
            reason = f"{name} {one.operator} {text!r} compares with the sign % itself."
            yield Finding(reason=reason, part=text)


_STARTS = (
    r"(?:start|starts|starting|begin|begins|beginning|started) (?:with|by|from|in)|"
    r"initial\w*|first letter\w*|prefix\w*"
)
_ENDS = r"(?:end|ends|ending|ended) (?:with|by|in)|last letters?|suffix\w*"
_CONTAINS = r"contain\w*|substrings?|includ(?:es|ing) the|has the word|have the word|with the word"


@check("AU106", sees=Sees.TREE | Sees.QUESTION)
def like_wrong_side(query: Query) -> Iterator[Finding]:
    """A LIKE pattern has its wildcard on the other side than the question says."""
    patterns = [
        one.constants[0].value for one in query.comparisons if one.operator in ("LIKE", "ILIKE")
    ]
    if len(patterns) != 1 or not isinstance(patterns[0], str) or not patterns[0].strip("%"):
        return
    core = patterns[0].strip("%")
    says = [query.wording.says(one) for one in (_STARTS, _ENDS, _CONTAINS)]
    if sum(says) != 1 or query.wording.lower.count(core.lower()) > 1:
        return
    wanted = (f"{core}%", f"%{core}", f"%{core}%")[says.index(True)]
    if wanted != patterns[0] and "_" not in patterns[0]:
        yield Finding(
            reason=f"the question asks for LIKE {wanted!r}, and the query has {patterns[0]!r}.",
            part=patterns[0],
            proposal=with_text_replaced(query.sql, patterns[0], wanted, query.dialect),
        )
