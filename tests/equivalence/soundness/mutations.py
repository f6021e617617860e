"""Small changes of queries: some keep the meaning, some do not, most depend on the data."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from sqlglot import exp

from sqljury.sql.tokens import parse

Change = Callable[[], None]

_COMPARISONS = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_AGGREGATES = (exp.Sum, exp.Min, exp.Max, exp.Avg, exp.Count)
_MIRRORED = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}


def mutated(sql: str, dialect: str, rng: random.Random) -> str | None:
    """The query with one or two small changes, or None where there are none to make."""
    tree = parse(sql, dialect)
    if tree is None:
        return None
    for _ in range(rng.choice((1, 1, 2))):
        changes = [change for node in list(tree.walk()) for change in _changes(node, rng)]
        if not changes:
            return None
        rng.choice(changes)()
    text = tree.sql(dialect=dialect)
    return None if text == sql else text


def _changes(node: exp.Expression, rng: random.Random) -> Iterator[Change]:
    if isinstance(node, _COMPARISONS):
        yield from _of_comparison(node, rng)
    if isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
        yield lambda: node.set("this", str(max(0, int(node.this) + rng.choice((-1, 1)))))
    if isinstance(node, exp.And | exp.Or):
        other = exp.Or if isinstance(node, exp.And) else exp.And
        yield lambda: node.replace(other(this=node.this.copy(), expression=node.expression.copy()))
        swapped = type(node)
        yield lambda: node.replace(
            swapped(this=node.expression.copy(), expression=node.this.copy())
        )
        yield lambda: node.replace(node.this.copy())
    if isinstance(node, exp.Select):
        yield from _of_select(node, rng)
    if isinstance(node, exp.Join):
        side = "" if node.side else "LEFT"
        yield lambda: node.set("side", side)
    if isinstance(node, exp.Union):
        yield lambda: node.set("distinct", not node.args.get("distinct"))
    if isinstance(node, exp.SetOperation):
        yield lambda: _swap_inputs(node)
    if isinstance(node, _AGGREGATES) and not isinstance(node.this, exp.Star | exp.Distinct):
        other_kind = rng.choice(_AGGREGATES)
        yield lambda: node.replace(other_kind(this=node.this.copy()))
    if isinstance(node, exp.Count):
        yield lambda: node.set("this", exp.Star())
    if isinstance(node, exp.In | exp.Exists | exp.Between):
        yield lambda: node.replace(exp.Not(this=node.copy()))


def _of_comparison(node: exp.Expression, rng: random.Random) -> Iterator[Change]:
    left, right = node.this, node.expression
    other = rng.choice(_COMPARISONS)
    yield lambda: node.replace(other(this=left.copy(), expression=right.copy()))
    mirrored = _MIRRORED[type(node)]
    yield lambda: node.replace(mirrored(this=right.copy(), expression=left.copy()))
    yield lambda: node.replace(exp.and_(node.copy(), node.copy()))
    yield lambda: node.replace(
        exp.and_(node.copy(), exp.Not(this=exp.Is(this=left.copy(), expression=exp.Null())))
    )


def _of_select(node: exp.Select, rng: random.Random) -> Iterator[Change]:
    distinct = None if node.args.get("distinct") else exp.Distinct()
    yield lambda: node.set("distinct", distinct)
    for clause in ("where", "having", "order", "limit"):
        if node.args.get(clause):
            yield lambda clause=clause: node.set(clause, None)
    joins = node.args.get("joins") or []
    if joins and not any(join.side for join in joins):
        yield lambda: rng.shuffle(joins)
    group = node.args.get("group")
    if group is not None and len(group.expressions) > 1:
        yield lambda: group.set("expressions", group.expressions[:-1])
    if len(node.expressions) > 1:
        yield lambda: node.set("expressions", [*node.expressions[1:], node.expressions[0]])


def _swap_inputs(node: exp.Expression) -> None:
    left, right = node.this, node.expression
    node.set("this", right)
    node.set("expression", left)
