"""Rules 102, 104 and 105: what may stand in any order stands in one."""

from __future__ import annotations

from functools import reduce

from sqlglot import exp

from sqljury.equivalence.etm.spelling import sources

TRUE = exp.EQ(this=exp.Literal.number("1.0"), expression=exp.Literal.number("1.0"))


def ordered(select: exp.Select) -> exp.Select:
    """Output columns, tables of inner joins and their conditions, operands of =, AND, OR."""
    select.set("expressions", sorted(select.expressions, key=_by_text))
    _order_joins(select)
    for node in reversed(list(select.find_all(exp.EQ, exp.And, exp.Or))):
        if isinstance(node, exp.EQ):
            _order_sides(node)
        elif not isinstance(node.parent, type(node)):
            node.replace(joined(type(node), sorted(node.flatten(), key=_by_text)))
    return select


def _by_text(node: exp.Expr) -> tuple[str, str]:
    return type(node).__name__, node.sql()


def _order_sides(node: exp.EQ) -> None:
    first, second = sorted((node.this, node.expression), key=_by_text)
    node.set("this", first)
    node.set("expression", second)


def joined(kind: type[exp.Binary], operands: list[exp.Expr]) -> exp.Expr:
    """The operands by that connector, the first ones innermost."""
    return reduce(lambda one, other: kind(this=one, expression=other), operands)


def conjuncts(node: exp.Expr | None) -> list[exp.Expr]:
    """The operands of AND, or the node itself."""
    if node is None:
        return []
    return list(node.flatten()) if isinstance(node, exp.And) else [node]


def conjunction(operands: list[exp.Expr]) -> exp.Expr | None:
    """All of them by AND, None for none."""
    return joined(exp.And, operands) if operands else None


def inner_joins(select: exp.Select) -> list[exp.Join]:
    """The joins, where all of them are inner ones by ON or without a condition."""
    joins = select.args.get("joins") or []
    plain = all(not join.side and not join.method and not join.args.get("using") for join in joins)
    return list(joins) if plain else []


def set_joins(select: exp.Select, tables: list[exp.Expr], on: list[exp.Expr]) -> None:
    """Join these tables, in this order; the first join carries all conditions."""
    select.set("from_", exp.From(this=tables[0]))
    joins = [exp.Join(this=table) for table in tables[1:]]
    if joins:
        joins[0].set("on", conjunction(on))
    elif on:
        add_condition(select, on)
    select.set("joins", joins or None)


def add_condition(select: exp.Select, conditions: list[exp.Expr]) -> None:
    """These conditions and the query's own."""
    where = select.args.get("where")
    both = conditions + conjuncts(where.this if where else None)
    select.set("where", exp.Where(this=conjunction(both)))


def _order_joins(select: exp.Select) -> None:
    if joins := inner_joins(select):
        parts = [part for join in joins for part in conjuncts(join.args.get("on"))]
        on = [part for part in parts if not isinstance(part, exp.Boolean)]  # of a join without ON
        set_joins(select, sorted(sources(select), key=_by_text), sorted(on, key=_by_text))
