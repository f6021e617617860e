"""Rules on expressions: 6 to 9, 12, 15 to 18, 22 to 24."""

from __future__ import annotations

import re

from sqlglot import exp

from sqljury.equivalence.etm.spelling import TRUE, Keys, conjunction, conjuncts, joined
from sqljury.sql.comparisons import NEGATED_CLASSES

_NUMBER = re.compile(r"[-+.1-9][\d.eE+-]*")


def rewritten(node: exp.Expr, keys: Keys) -> exp.Expr:
    """The node as the first rule that fits it rewrites it; unchanged if none fits."""
    for rule in (_count, _not_null, _average, _number, _prefix, _in_list, _between, _not, _iif):
        if (found := rule(node, keys)) is not None:
            return found
    return node


def _count(node: exp.Expr, keys: Keys) -> exp.Expr | None:
    """Rules 6 and 9: COUNT of a column without NULLs is COUNT(*); COUNT of a CASE is a SUM."""
    if not isinstance(node, exp.Count):
        return None
    if keys.is_not_null(node.this):
        return exp.Count(this=exp.Star(), big_int=True)
    return _sum_of_case(node.this, keys) if isinstance(node.this, exp.Case) else None


def _sum_of_case(case: exp.Case, keys: Keys) -> exp.Expr | None:
    default, branches = case.args.get("default"), case.args["ifs"]
    if len(branches) != 1 or case.this or not (default is None or isinstance(default, exp.Null)):
        return None
    value = branches[0].args["true"]
    if not (keys.is_not_null(value) or _is_number(value, 1)):
        return None
    one, zero = exp.Literal.number("1.0"), exp.Literal.number("0")
    return exp.Sum(this=exp.Case(ifs=[exp.If(this=branches[0].this, true=one)], default=zero))


def _is_number(node: exp.Expr, value: float) -> bool:
    return isinstance(node, exp.Literal) and node.name in (str(value), str(float(value)))


def _not_null(node: exp.Expr, keys: Keys) -> exp.Expr | None:
    """Rule 7: IS NOT NULL of a column without NULLs is TRUE."""
    test = node.this if isinstance(node, exp.Not) else None
    if isinstance(test, exp.Is) and isinstance(test.expression, exp.Null):
        return TRUE.copy() if keys.is_not_null(test.this) else None
    return None


def _average(node: exp.Expr, keys: Keys) -> exp.Expr | None:
    """Rule 8: CAST(SUM(c) AS FLOAT) / COUNT(*) is AVG(c) if c has no NULLs."""
    if not isinstance(node, exp.Div) or not isinstance(node.this, exp.Cast):
        return None
    total, rows = node.this.this, node.expression
    if not (isinstance(total, exp.Sum) and isinstance(rows, exp.Count)):
        return None
    if not isinstance(rows.this, exp.Star) or not keys.is_not_null(total.this):
        return None
    return exp.Avg(this=total.this) if node.this.is_type("float", "double", "real") else None


def _number(node: exp.Expr, _keys: Keys) -> exp.Expr | None:
    """Rule 12: 150, 150.0 and '150' are one number; texts that begin with 0 are unchanged."""
    if isinstance(node, exp.Literal) and _NUMBER.fullmatch(node.name):
        try:
            return exp.Literal.number(str(float(node.name)))
        except ValueError:  # a date or a version, such as 2020-01-01
            return None
    return None


def _prefix(node: exp.Expr, _keys: Keys) -> exp.Expr | None:
    """Rule 16: LIKE 'text%' becomes a comparison of the first characters."""
    if not (isinstance(node, exp.Like) and isinstance(node.expression, exp.Literal)):
        return None
    text = node.expression.name
    if text.find("%") != len(text) - 1 or not text:
        return None
    first, length = exp.Literal.number("1.0"), exp.Literal.number(str(float(len(text) - 1)))
    start = exp.Substring(this=node.this, start=first, length=length)
    return exp.EQ(this=start, expression=exp.Literal.string(text[:-1]))


def _in_list(node: exp.Expr, _keys: Keys) -> exp.Expr | None:
    """Rule 18: IN of a list becomes equalities joined by OR, NOT IN inequalities joined by AND."""
    member = node.this if isinstance(node, exp.Not) else node
    if not isinstance(member, exp.In) or not member.expressions:
        return None
    values = member.expressions
    if isinstance(node, exp.Not):
        return conjunction(
            [exp.NEQ(this=member.this.copy(), expression=e) for e in member.expressions]
        )
    if isinstance(node.parent, exp.Not):
        return None
    return joined(exp.Or, [exp.EQ(this=member.this.copy(), expression=e) for e in values])


def _between(node: exp.Expr, _keys: Keys) -> exp.Expr | None:
    """Rule 22: BETWEEN becomes two comparisons."""
    if not isinstance(node, exp.Between):
        return None
    low, high = node.args["low"], node.args["high"]
    above = exp.GTE(this=node.this.copy(), expression=low)
    return exp.And(this=above, expression=exp.LTE(this=node.this.copy(), expression=high))


def _not(node: exp.Expr, _keys: Keys) -> exp.Expr | None:
    """Rule 23: NOT of a comparison becomes the opposite comparison."""
    if isinstance(node, exp.Not) and type(node.this) in NEGATED_CLASSES:
        kind = NEGATED_CLASSES[type(node.this)]
        return kind(this=node.this.this, expression=node.this.expression)
    return None


def _iif(node: exp.Expr, _keys: Keys) -> exp.Expr | None:
    """Rule 24: IIF becomes a CASE."""
    if isinstance(node, exp.If) and (other := node.args.get("false")) is not None:
        return exp.Case(ifs=[exp.If(this=node.this, true=node.args["true"])], default=other)
    return None


def with_joined_substrings(select: exp.Select) -> None:
    """Rule 15: SUBSTR(c, 1, n) = 'x' and SUBSTR(c, n + 1, m) >= 'y' is c >= 'xy'."""
    where = select.args.get("where")
    parts = conjuncts(where.this if where else None)
    bounds = [p for p in parts if isinstance(p, exp.GTE | exp.LTE | exp.GT | exp.LT)]
    for start in [p for p in parts if isinstance(p, exp.EQ)]:
        joined = [(bound, _joined_bound(start, bound)) for bound in bounds]
        if fitting := [(bound, new) for bound, new in joined if new is not None]:
            gone = [start, *[bound for bound, _ in fitting]]
            parts = [p for p in parts if not any(p is g for g in gone)]
            parts += [new for _, new in fitting]
            select.set("where", exp.Where(this=conjunction(parts)))


def _joined_bound(start: exp.EQ, bound: exp.Binary) -> exp.Expr | None:
    first, second = _substring_and_text(start), _substring_and_text(bound)
    if first is None or second is None or first[0].this != second[0].this:
        return None
    (left, head), (right, tail) = first, second
    begin, length, next_begin = left.args["start"], left.args.get("length"), right.args["start"]
    if length is None or not _is_number(begin, 1):
        return None
    if float(length.name) + 1 != float(next_begin.name):
        return None
    text = exp.Literal.string(head.removesuffix(".0") + tail.removesuffix(".0"))
    return type(bound)(this=left.this.copy(), expression=text)


def _substring_and_text(node: exp.Binary) -> tuple[exp.Substring, str] | None:
    for piece, text in ((node.this, node.expression), (node.expression, node.this)):
        if isinstance(piece, exp.Substring) and isinstance(text, exp.Literal):
            return piece, text.name
    return None
