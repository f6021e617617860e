"""ETM's rules on whole queries (1 to 5, 10, 11, 13, 14, 17, 19 to 21, 25), and its normal form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sqlglot import exp

from sqljury.equivalence.etm.expressions import rewritten, with_joined_substrings
from sqljury.equivalence.etm.spelling import (
    TRUE,
    Keys,
    Named,
    add_condition,
    conjunction,
    conjuncts,
    inner_joins,
    named,
    ordered,
    respell,
    set_joins,
    sources,
)
from sqljury.schema import Schema
from sqljury.sql import parse

# ---------------------------------------------------------------- queries
# Rules on whole queries: 1 to 5, 10, 11, 13, 14, 17, 19 to 21 and 25.


# ---------------------------------------------------------------- set operations


def set_operation(node: exp.SetOperation, keys: Keys) -> exp.Expr:
    """The set operation as one SELECT, by rules 21, 3 and 5; unchanged if none fits."""
    one: exp.Expr = node.this
    other = node.expression
    if one == other and not isinstance(node, exp.Except):
        return one
    if isinstance(one, exp.Select) and len(one.expressions) == 1:
        column = one.expressions[0]
        if isinstance(node, exp.Except) and keys.is_unique(column) and keys.is_not_null(column):
            member = exp.In(this=column.copy(), query=exp.Subquery(this=other))
            add_condition(one, [exp.Not(this=member)])
            return one
        if isinstance(other, exp.Select) and keys.is_unique(column):
            return _one_scan(node, one, other)
    return node


def _one_scan(node: exp.SetOperation, one: exp.Select, other: exp.Select) -> exp.Expr:
    kind = {exp.Intersect: exp.And, exp.Union: exp.Or}.get(type(node))
    first, second = one.args.get("where"), other.args.get("where")
    same = one.expressions == other.expressions and one.args["from_"] == other.args.get("from_")
    if kind is None or first is None or second is None or not same:
        return node
    first.set("this", kind(this=first.this, expression=second.this))
    return one


# ---------------------------------------------------------------- one SELECT


def rewrite(select: exp.Select, keys: Keys) -> None:
    """Applies each rule for a single SELECT once, in place."""
    for rule in _RULES:
        rule(select, keys)


def _extreme_to_order(select: exp.Select, keys: Keys) -> None:
    """Rule 1: c = (SELECT MAX(c) FROM t) of a unique c is ORDER BY c DESC LIMIT 1."""
    where = select.args.get("where")
    if where is None or select.args.get("order") or select.args.get("limit"):
        return
    for equal in list(where.find_all(exp.EQ)):
        for column, query in ((equal.this, equal.expression), (equal.expression, equal.this)):
            extreme = _extreme_of(query)
            if extreme is not None and extreme.this == column and keys.is_unique(column):
                _take_first(select, column.copy(), desc=isinstance(extreme, exp.Max))
                equal.replace(TRUE.copy())
                return


def _extreme_of(query: exp.Expr) -> exp.Expr | None:
    inner = query.this if isinstance(query, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or inner.args.get("joins") or len(inner.expressions) != 1:
        return None
    value = inner.expressions[0]
    return value if isinstance(value, exp.Max | exp.Min) else None


def _take_first(select: exp.Select, column: exp.Expr, *, desc: bool) -> None:
    select.set("order", exp.Order(expressions=[exp.Ordered(this=column, desc=desc)]))
    select.set("limit", exp.Limit(expression=exp.Literal.number("1.0")))


def _distinct_of_unique(select: exp.Select, keys: Keys) -> None:
    """Rule 2: DISTINCT is removed if a column of the only table is unique."""
    if select.args.get("joins"):
        return
    if select.args.get("distinct") and any(keys.is_unique(e) for e in select.expressions):
        select.set("distinct", None)
    for distinct in list(select.find_all(exp.Distinct)):
        operands = distinct.expressions
        if len(operands) == 1 and keys.is_unique(operands[0]):
            distinct.replace(operands[0])


def _group_by_unique(select: exp.Select, keys: Keys) -> None:
    """Rule 4: if GROUP BY has a unique column, its other columns are removed."""
    group = select.args.get("group")
    if group is not None and not select.args.get("order"):
        unique = [e for e in group.expressions if keys.is_unique(e)]
        if unique:
            group.set("expressions", unique[:1])


def _first_to_extreme(select: exp.Select, _keys: Keys) -> None:
    """Rule 10: SELECT a … ORDER BY a LIMIT 1 is MIN(a); with DESC it is MAX(a)."""
    order, limit = select.args.get("order"), select.args.get("limit")
    if order is None or limit is None or len(order.expressions) != 1:
        return
    by, number = order.expressions[0], limit.expression
    if not (isinstance(number, exp.Literal) and number.name in ("1", "1.0")):
        return
    kind = exp.Max if by.args.get("desc") else exp.Min
    chosen = [output for output in select.expressions if output == by.this]
    for output in chosen:
        output.replace(kind(this=output.copy()))
    if chosen:
        select.set("order", None)
        select.set("limit", None)


def _all_columns(select: exp.Select, keys: Keys) -> None:
    """Rule 11: ``*`` is replaced by the columns that it selects."""
    outputs: list[exp.Expr] = []
    for output in select.expressions:
        outputs += _behind_star(output, select, keys) or [output]
    select.set("expressions", outputs)


def _behind_star(output: exp.Expr, select: exp.Select, keys: Keys) -> list[exp.Expr]:
    if isinstance(output, exp.Star):
        tables = [source.name for source in sources(select) if isinstance(source, exp.Table)]
    elif isinstance(output, exp.Column) and isinstance(output.this, exp.Star):
        tables = [output.table]
    else:
        return []
    return [exp.column(c, table=table) for table in tables for c in keys.columns.get(table, ())]


def _member_to_join(select: exp.Select, keys: Keys) -> None:
    """Rule 13: ``foreign_key IN (SELECT key FROM parent …)`` becomes a join with the parent."""
    where = select.args.get("where")
    condition = where.this if where else None
    found = _parents_query(condition)
    if condition is None or found is None or select.args.get("joins"):
        return
    column, inner = condition.this, found
    key, start, inner_where = inner.expressions[0], inner.args.get("from_"), inner.args.get("where")
    relation = keys.child_and_parent(column, key)
    if relation is None or relation[0] != named(column) or start is None:
        return
    if isinstance(condition, exp.EQ) and not _finds_one(inner_where, keys):
        return
    select.set("where", exp.Where(this=inner_where.this if inner_where else TRUE.copy()))
    select.set("joins", [exp.Join(this=start.this, on=exp.EQ(this=key, expression=column))])


def _parents_query(condition: exp.Expr | None) -> exp.Select | None:
    if isinstance(condition, exp.In):
        query = condition.args.get("query")
    else:
        query = condition.expression if isinstance(condition, exp.EQ) else None
    inner = query.this if isinstance(query, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or len(inner.expressions) != 1:
        return None
    return None if inner.args.get("group") or inner.args.get("joins") else inner


def _finds_one(where: exp.Where | None, keys: Keys) -> bool:
    return where is not None and isinstance(where.this, exp.EQ) and keys.is_unique(where.this.this)


def _without_parents(select: exp.Select, keys: Keys) -> None:
    """Rule 14: a table that is joined by its primary key and not used otherwise is removed."""
    joins = inner_joins(select)
    for equal in [part for join in joins for part in conjuncts(join.args.get("on"))]:
        if isinstance(equal, exp.EQ):
            pair = keys.child_and_parent(equal.this, equal.expression)
            if pair is not None and _reads_only_key(select, pair[1]):
                _drop_parent(select, equal, *pair)


def _reads_only_key(select: exp.Select, parent: Named) -> bool:
    columns = [c for c in select.find_all(exp.Column) if c.table == parent[0]]
    return all(named(column) == parent for column in columns)


def _drop_parent(select: exp.Select, equal: exp.EQ, child: Named, parent: Named) -> None:
    tables = sources(select)
    rest = [t for t in tables if not (isinstance(t, exp.Table) and t.name == parent[0])]
    on = [p for join in inner_joins(select) for p in conjuncts(join.args.get("on"))]
    if len(rest) != len(tables) - 1 or not any(part is equal for part in on):
        return
    set_joins(select, rest, [part for part in on if part is not equal])
    for column in select.find_all(exp.Column):
        if named(column) == parent:
            column.replace(exp.column(child[1], table=child[0]))


def _order_of_dates(select: exp.Select, _keys: Keys) -> None:
    """Rule 17: ORDER BY julianday(d) becomes ORDER BY d."""
    order = select.args.get("order")
    by = order.expressions[0] if order is not None and len(order.expressions) == 1 else None
    if by is not None and isinstance(by.this, exp.Anonymous) and by.this.name == "julianday":
        by.set("this", by.this.expressions[0])


def _one_of_equals(select: exp.Select, keys: Keys) -> None:
    """Rule 19: of two columns that a join equates, the first replaces the second."""
    on = [part for join in inner_joins(select) for part in conjuncts(join.args.get("on"))]
    for equal in [part for part in on if isinstance(part, exp.EQ)]:
        one, other = equal.this, equal.expression
        if named(one) and named(other):
            keys.equate(one, other)
            for column in _own_columns(select):
                if column == other and not any(column.find_ancestor(exp.EQ) is e for e in on):
                    column.replace(one.copy())


def _own_columns(select: exp.Select) -> list[exp.Column]:
    nodes = select.walk(prune=lambda node: isinstance(node, exp.Query) and node is not select)
    return [node for node in nodes if isinstance(node, exp.Column)]


def _same_table_again(select: exp.Select, _keys: Keys) -> None:
    """Rule 20: t.c IN (SELECT c FROM t WHERE …) becomes the inner condition."""
    where = select.args.get("where")
    for member in list(where.find_all(exp.In)) if where else ():
        query = member.args.get("query")
        inner = query.this if isinstance(query, exp.Subquery) else None
        if isinstance(inner, exp.Select) and _same_column(member.this, inner):
            condition = inner.args.get("where")
            member.replace(condition.this if condition else member)


def _same_column(column: exp.Expr, inner: exp.Select) -> bool:
    tables = sources(inner)
    return (
        inner.expressions == [column]
        and len(tables) == 1
        and isinstance(column, exp.Column)
        and tables[0].name == column.table
    )


def _anti_join(select: exp.Select, _keys: Keys) -> None:
    """Rule 25: LEFT JOIN b … WHERE b.c IS NULL is NOT IN (SELECT … FROM b)."""
    joins, where = select.args.get("joins") or [], select.args.get("where")
    if len(joins) != 1 or joins[0].side != "LEFT" or where is None:
        return
    test, on = where.this, joins[0].args.get("on")
    if not (isinstance(test, exp.Is) and isinstance(test.expression, exp.Null)):
        return
    for inner, outer in _sides(on):
        if inner.table == getattr(test.this, "table", None) == joins[0].this.name:
            query = exp.Select(expressions=[inner.copy()], from_=exp.From(this=joins[0].this))
            member = exp.In(this=outer.copy(), query=exp.Subquery(this=query))
            select.set("where", exp.Where(this=exp.Not(this=member)))
            select.set("joins", None)
            return


def _sides(on: exp.Expr | None) -> list[tuple[exp.Column, exp.Column]]:
    if isinstance(on, exp.EQ):
        one, other = on.this, on.expression
        if isinstance(one, exp.Column) and isinstance(other, exp.Column):
            return [(one, other), (other, one)]
    return []


def _without_truths(select: exp.Select, _keys: Keys) -> None:
    """Removes conditions that other rules have replaced by TRUE."""
    where = select.args.get("where")
    if where is not None:
        rest = [part for part in conjuncts(where.this) if part != TRUE]
        select.set("where", exp.Where(this=conjunction(rest)) if rest else None)


_RULES: tuple[Callable[[exp.Select, Keys], None], ...] = (
    _extreme_to_order,
    _distinct_of_unique,
    _group_by_unique,
    _first_to_extreme,
    _all_columns,
    _member_to_join,
    _without_parents,
    _order_of_dates,
    _one_of_equals,
    _same_table_again,
    _anti_join,
    _without_truths,
)


# ---------------------------------------------------------------- normal form
# All rules, repeated until none applies.


_ROUNDS: Final = 20
"""Bound on the repetitions: two rules that undo each other would never end. No query of Spider or
BIRD needs more than five."""


def etm_form(sql: str, schema: Schema, dialect: str) -> exp.Expr | None:
    """ETM's normal form of a query: a syntax tree to compare. None if it cannot be parsed."""
    parsed = parse(sql, dialect)
    if not isinstance(parsed, exp.Query):
        return None
    keys = Keys(schema)
    tree = exp.Subquery(this=respell(parsed, keys))
    for query in reversed(list(tree.find_all(exp.Select, exp.SetOperation, bfs=True))):
        if isinstance(query, exp.SetOperation):
            query.replace(set_operation(query, keys))
    for select in reversed(list(tree.find_all(exp.Select, bfs=True))):
        _until_stable(select, keys)
    return tree


def _until_stable(select: exp.Select, keys: Keys) -> None:
    for _ in range(_ROUNDS):
        before = select.copy()
        ordered(select)
        _rewrite_expressions(select, keys)
        with_joined_substrings(select)
        rewrite(select, keys)
        if select == before:
            return


def _rewrite_expressions(select: exp.Select, keys: Keys) -> None:
    for node in reversed(list(select.walk())):
        if node is not select and node.parent is not None:
            found = rewritten(node, keys)
            if found is not node:
                node.replace(found)
