"""Rows that are the first of their kind, of which only what tells them apart is shown.

Each takes a relation, what may be assumed, and the rows around it, and gives a relation of the same
rows, or None where it does not apply.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from sqljury.equivalence.chance import left_to_chance
from sqljury.trees.conditions import conjunction, conjuncts, filtered
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Expression,
    Filter,
    Join,
    JoinKind,
    Limit,
    Literal,
    Project,
    Ref,
    Relation,
    Sort,
    SortKey,
    Subquery,
    SubqueryKind,
    Window,
    WindowCall,
)
from sqljury.trees.properties import same_values
from sqljury.trees.types import Row, fields
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import (
    columns_read,
    deepen,
    expressions,
    map_expressions,
    renumber,
    substitute,
    width,
)


def first_of_part(relation: Relation, context: Context, outer: tuple[Row, ...]) -> Relation | None:
    """``SELECT DISTINCT ON (g) g, x … ORDER BY g, x`` → ``SELECT g, MIN(x) … GROUP BY g``: the rows
    that ROW_NUMBER gives 1, of which only the part and the key of the order are read."""
    match relation:
        case Project(input=below):
            order = below.keys if isinstance(below, Sort) else ()
            below = below.input if isinstance(below, Sort) else below
        case _:
            return None
    match below:
        case Filter(input=Window(calls=(call,)) as window):
            number = width(window.input)
            parts = conjuncts(below.condition)
        case _:
            return None
    rest = [part for part in parts if not _is_first(part, number)]
    if len(rest) == len(parts) or not _numbers_parts(call) or has_volatile(relation):
        return None
    row = fields(window.input, context, outer)
    grouped = _Grouped.of(call, row, context)
    if grouped is None:
        return None
    read = (*relation.expressions, *rest, *(key.expression for key in order))
    if any(column not in grouped.columns for part in read for column in columns_read(part)):
        return None
    groups = Aggregate(window.input, grouped.keys, grouped.calls)
    place = grouped.columns.index
    kept = filtered(groups, conjunction(renumber(part, place) for part in rest))
    keys = tuple(map_expressions(key, lambda e: renumber(e, place)) for key in order)
    shown = tuple(renumber(each, place) for each in relation.expressions)
    return Project(Sort(kept, keys) if keys else kept, shown, relation.names)


def _is_first(part: Expression, number: int) -> bool:
    match part:
        case Call(name="=" | "<=", operands=(Ref(index=index), Literal(value=1))):
            return index == number
        case _:
            return False


def _numbers_parts(call: WindowCall) -> bool:
    return call.name == "ROW_NUMBER" and bool(call.partition) and call.filter is None


@dataclass(frozen=True, slots=True)
class _Grouped:
    """Groups that hold the first row of each part: its key columns, then the first of an order.

    Args:
        columns: the columns of the rows that the groups' columns stand for.
    """

    keys: tuple[Ref, ...]
    calls: tuple[AggregateCall, ...]
    columns: tuple[int, ...]

    @staticmethod
    def of(call: WindowCall, row: Row, context: Context) -> _Grouped | None:
        keys = tuple(part for part in call.partition if isinstance(part, Ref))
        order = [key for key in call.order if key.expression not in keys]
        if len(keys) < len(call.partition) or not all(_is_exact(k, row, context) for k in keys):
            return None
        first = _extreme(order[0], row, context) if order else None
        if first is None:
            return _Grouped(keys, (), tuple(key.index for key in keys))
        value, extreme = first
        return _Grouped(keys, (extreme,), (*(key.index for key in keys), value.index))


def _is_exact(column: Ref, row: Row, context: Context) -> bool:
    """Whether all equal values of a column are the same value."""
    return same_values(row[column.index], row[column.index], context)


def _extreme(key: SortKey, row: Row, context: Context) -> tuple[Ref, AggregateCall] | None:
    """The column that rows are ordered by, and the aggregate that gives its first value."""
    value = key.expression
    if not isinstance(value, Ref) or not _is_exact(value, row, context):
        return None
    if row[value.index].nullable and not key.nulls_last:
        return None
    return value, AggregateCall("MAX" if key.descending else "MIN", (value,))


# ---------------------------------------------------------------- a joined first row


def joined_first(relation: Relation, context: Context, outer: tuple[Row, ...]) -> Relation | None:
    """``FROM c JOIN (SELECT x FROM c ORDER BY x DESC LIMIT 1) AS m ON c.x = m.x`` → ``FROM c WHERE
    x = (SELECT MAX(x) FROM c)``, and that there is a row."""
    if not isinstance(relation, Project | Aggregate) or not isinstance(relation.input, Join):
        return None
    join = relation.input
    if join.kind is not JoinKind.INNER or join.lateral:
        return None
    for rows, one, rows_first in ((join.left, join.right, True), (join.right, join.left, False)):
        found = _first_value(one, context, outer)
        if found is None:
            continue
        column, value, there = found
        place = width(rows) + column if rows_first else column
        by = 0 if rows_first else width(one)
        values = [value if i == place else Ref(i - by) for i in range(width(rows) + width(one))]
        own = range(by, by + width(rows))
        read = {c for e in (*expressions(relation), join.condition) for c in columns_read(e)}
        if any(c != place and c not in own for c in read):
            continue
        condition = conjunction([substitute(join.condition, tuple(values)), there])
        moved = map_expressions(relation, lambda e, v=values: substitute(e, tuple(v)))  # type: ignore[misc]
        assert isinstance(moved, Project | Aggregate)
        return replace(moved, input=Filter(rows, condition))
    return None


def _first_value(
    relation: Relation, context: Context, outer: tuple[Row, ...]
) -> tuple[int, Expression, Expression] | None:
    """The column that the first row is chosen by, its value as a subquery, and that there is one;
    both as seen from a row beside it."""
    match relation:
        case Limit(input=Sort(keys=(key,)) as sort, count=Literal(value=1), offset=None):
            row = fields(sort.input, context, outer)
            found = _extreme(key, row, context)
        case _:
            return None
    if found is None or has_volatile(sort.input) or left_to_chance(sort.input, context):
        return None
    value, extreme = found
    whole = Subquery(SubqueryKind.SCALAR, Aggregate(sort.input, (), (extreme,)))
    there = Subquery(SubqueryKind.EXISTS, sort.input)
    return value.index, deepen(whole, 1), deepen(there, 1)
