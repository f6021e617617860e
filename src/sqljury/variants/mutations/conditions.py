"""Mistakes in conditions: operators, constants, bounds, missing parts."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.variants.base import (
    Change,
    QueryContext,
    all_of,
    parts,
    qualify,
    sources_of,
    with_operands,
)

# ---------------------------------------------------------------- comparison
# Another comparison: ``>=`` for ``>``, ``!=`` for ``=``, NOT IN for IN.


def comparison(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces a comparison operator; adds NOT before IN, LIKE, BETWEEN and EXISTS; removes NOT."""
    others: dict[type, tuple[type, ...]] = {
        exp.GT: (exp.GTE, exp.LT),
        exp.GTE: (exp.GT, exp.LTE),
        exp.LT: (exp.LTE, exp.GT),
        exp.LTE: (exp.LT, exp.GTE),
        exp.EQ: (exp.NEQ, exp.GTE),
        exp.NEQ: (exp.EQ,),
    }
    if node.find_ancestor(exp.Join) is not None and isinstance(node, exp.EQ):
        return
    for other in others.get(type(node), ()):
        yield with_operands(other)
    if isinstance(node, exp.In | exp.Like | exp.Between | exp.Exists):
        yield lambda n: n.replace(exp.Not(this=n.copy()))
    if isinstance(node, exp.Not):
        yield lambda n: n.replace(n.this)


# ---------------------------------------------------------------- constant
# Another constant: the next number, a pattern with fewer wildcards, another text.


def constant(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces a constant by the next or previous number, or by a changed text or pattern."""
    if not isinstance(node, exp.Literal) or isinstance(node.parent, exp.Limit | exp.Offset):
        return
    text = str(node.this)
    if not node.is_string:
        if text.isdigit():
            yield lambda n: n.replace(exp.Literal.number(int(text) + 1))
            yield lambda n: n.replace(exp.Literal.number(int(text) - 1))
        return
    if isinstance(node.parent, exp.Like):
        yield lambda n: n.replace(exp.Literal.string(text.strip("%")))
        yield lambda n: n.replace(exp.Literal.string(text.rstrip("%")))
        yield lambda n: n.replace(exp.Literal.string(text.lstrip("%")))
    elif isinstance(node.parent, exp.EQ):
        yield lambda n: _within_equality(n, text)
    yield lambda n: n.replace(exp.Literal.string(text + "x"))


def _within_equality(literal: exp.Expr, text: str) -> None:
    equality = literal.parent
    assert equality is not None
    contains = exp.Literal.string(f"%{text}%")
    equality.replace(exp.Like(this=equality.this, expression=contains))


# ---------------------------------------------------------------- bound
# A bound that is slightly off: ``>=`` for ``>``, the next number, or both.


def bound(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces ``> 3`` by ``>= 3``, ``> 4``, ``>= 2``, ``>= 4`` and so on.

    One of them, ``>= 4``, is equivalent if the numbers are integers.
    """
    strictness: dict[type[exp.Expr], type[exp.Expr]] = {
        exp.GT: exp.GTE,
        exp.GTE: exp.GT,
        exp.LT: exp.LTE,
        exp.LTE: exp.LT,
    }
    other = strictness.get(type(node))
    number = node.expression if other is not None else None
    if other is None or not isinstance(number, exp.Literal) or number.is_string:
        return
    text = str(number.this)
    if not text.isdigit():
        return
    yield _bounded(other, int(text))
    for near in (int(text) - 1, int(text) + 1):
        if near >= 0:
            yield _bounded(type(node), near)
            yield _bounded(other, near)


def _bounded(operator: type[exp.Expr], number: int) -> Change:
    return lambda n: n.replace(operator(this=n.this, expression=exp.Literal.number(number)))


# ---------------------------------------------------------------- literal case
# A text in lower case, upper case or with capitals.


def literal_case(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Changes the case of a text that is compared by ``=``, ``!=`` or IN."""
    compared = isinstance(node.parent, exp.EQ | exp.NEQ | exp.In)
    if not (isinstance(node, exp.Literal) and node.is_string and compared):
        return
    text = str(node.this)
    for other in dict.fromkeys((text.lower(), text.title(), text.upper())):
        if other != text:
            yield _said(other)


def _said(text: str) -> Change:
    return lambda n: n.replace(exp.Literal.string(text))


# ---------------------------------------------------------------- condition
# A missing condition; OR for AND.


def condition(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Removes WHERE or HAVING or one operand of AND and OR; exchanges AND and OR."""
    if isinstance(node, exp.Where | exp.Having):
        yield lambda n: n.pop()
    if isinstance(node, exp.And | exp.Or):
        other = exp.Or if isinstance(node, exp.And) else exp.And
        yield lambda n: n.replace(n.this)
        yield lambda n: n.replace(n.expression)
        yield with_operands(other)


# ---------------------------------------------------------------- membership
# ``=`` for IN of a subquery, a join with ``!=`` for NOT IN.


def membership(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces ``x IN (query)`` by ``x = (query)``, and NOT IN by a join on ``!=``.

    The first compares with one row of the query only. The second keeps a row as soon as one row of
    the query differs from it.
    """
    if isinstance(node, exp.In) and node.args.get("query") is not None:
        yield lambda n: n.replace(exp.EQ(this=n.this, expression=n.args["query"]))
    if isinstance(node, exp.Select) and node.args.get("where") is not None:
        for place, one in enumerate(parts(node.args["where"].this)):
            if isinstance(one, exp.Not) and isinstance(one.this.unnest(), exp.In):
                yield _unlike(place, context)


def _unlike(place: int, context: QueryContext) -> Change:
    """A change of the NOT IN at a place of WHERE to a join on ``!=`` with the subquery's table."""

    def change(select: exp.Select) -> None:
        qualify(select, context)
        conditions = parts(select.args["where"].this)
        found = conditions.pop(place).this.unnest()
        if found.args.get("query") is None:
            raise ValueError("a list")
        inner = found.args["query"].this
        read = inner.args.get("from_")  # a set operation has none
        source = None if read is None else read.this
        names = {one.alias_or_name.casefold() for one in sources_of(select)}
        plain = not inner.args.get("joins") and not inner.args.get("group")
        if (
            not (plain and isinstance(source, exp.Table))
            or source.alias_or_name.casefold() in names
        ):
            raise ValueError("not a plain subquery")
        qualify(inner, context)
        where = inner.args.get("where")
        more = parts(where.this if where is not None else None)
        on = exp.NEQ(this=found.this.copy(), expression=inner.selects[0].copy())
        select.append("joins", exp.Join(this=source.copy(), on=on))
        rest = all_of([*conditions, *more])
        select.set("where", exp.Where(this=rest) if rest is not None else None)

    return change
