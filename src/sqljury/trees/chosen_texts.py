"""Detects queries that return an arbitrary one of several equal but different values: texts that
are equal under a collation, or numbers such as 1 and 1.0.

DISTINCT, GROUP BY and set operations keep one of the equal values; each engine chooses which.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from sqljury.trees.collations import may_be_written_otherwise
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Filter,
    Join,
    Limit,
    Project,
    Relation,
    SetKind,
    SetOperation,
    Sort,
)
from sqljury.trees.types import Row, fields
from sqljury.trees.walk import columns_read, inputs, width


def shows_chosen_text(
    relation: Relation,
    shown: Collection[int],
    context: Context,
    outer: Sequence[Row] = (),
    *,
    numbers: bool = False,
) -> bool:
    """True if a column of ``shown`` may hold a text that an operator chose among equal texts.

    Args:
        shown: indexes of the output columns to check.
        numbers: check for numbers that are equal but not identical instead of texts.
    """
    if not shown:
        return False
    row = fields(relation, context, outer)
    chosen = [*_chosen(relation, shown), *(_extremes(relation, shown) if numbers else ())]
    if numbers and any(may_be_written_otherwise(row[i], context.dialect) for i in chosen):
        return True
    if not numbers and any(row[i].collation for i in chosen):
        return True
    return any(
        shows_chosen_text(below, columns, context, outer, numbers=numbers)
        for below, columns in zip(inputs(relation), _from_below(relation, shown), strict=True)
    )


def _chosen(relation: Relation, shown: Collection[int]) -> Collection[int]:
    match relation:
        case Distinct():
            return shown
        case SetOperation(kind=kind, all=keeps_all):
            return () if keeps_all and kind is SetKind.UNION else shown
        case Aggregate(keys=keys):
            return [i for i in shown if i < len(keys)]
        case _:
            return ()


def _extremes(relation: Relation, shown: Collection[int]) -> Iterator[int]:
    if isinstance(relation, Aggregate):
        for i in shown:
            if i >= len(relation.keys) and relation.calls[i - len(relation.keys)].name in (
                "MIN",
                "MAX",
            ):
                yield i


def _from_below(relation: Relation, shown: Collection[int]) -> list[Collection[int]]:
    """For each input, the columns that the shown columns are computed from, or a superset."""
    match relation:
        case Project(expressions=made):
            return [_read(made[i] for i in shown)]
        case Filter() | Sort() | Limit() | Distinct():
            return [shown]
        case SetOperation():
            return [shown for _ in relation.inputs]
        case Join(left=left):
            own = width(left)
            return [[i for i in shown if i < own], [i - own for i in shown if i >= own]]
        case Aggregate(keys=keys, calls=calls):
            parts = [keys[i] for i in shown if i < len(keys)]
            parts += _not_counted(calls[i - len(keys)] for i in shown if i >= len(keys))
            return [_read(parts)]
        case _:
            return [range(width(below)) for below in inputs(relation)]


def _not_counted(calls: Iterable[AggregateCall]) -> Iterator[Expression]:
    """The operands of the calls other than COUNT, whose result does not show its operand."""
    for call in calls:
        if call.name != "COUNT":
            yield from call.operands


def _read(parts: Iterable[Expression]) -> Collection[int]:
    return frozenset[int]().union(*map(columns_read, parts))
