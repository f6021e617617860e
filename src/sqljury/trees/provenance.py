"""Traces an output column to the table's column that its values come from."""

from __future__ import annotations

from dataclasses import dataclass

from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Distinct,
    Expression,
    Filter,
    Join,
    JoinKind,
    Limit,
    Project,
    Ref,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    Sort,
    Window,
)
from sqljury.trees.walk import width

Path = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """A table's column; origins with equal paths come from the same row of the scan."""

    scan: Scan
    column: int
    path: Path = ()


def origin(relation: Relation, column: int, path: Path = ()) -> Origin | None:
    """The table's column that every non-NULL value of an output column is copied from.

    None if the values are computed, or come from several columns.
    """
    match relation:
        case Scan():
            return Origin(relation, column, path)
        case Filter() | Sort() | Limit() | Distinct():
            return origin(relation.input, column, path)
        case Project():
            return _of_expression(relation.expressions[column], relation.input, path)
        case Aggregate() if column < len(relation.keys):
            return _of_expression(relation.keys[column], relation.input, path)
        case Aggregate():
            call = relation.calls[column - len(relation.keys)]
            return _of_call(call, relation.input, (*path, -1 - column))
        case Window() if column < width(relation.input):
            return origin(relation.input, column, path)
        case Join():
            return _of_join(relation, column, path)
        case SetOperation() if relation.kind is not SetKind.UNION:
            return origin(relation.inputs[0], column, path)
        case _:
            return None


def _of_expression(expression: Expression, below: Relation, path: Path) -> Origin | None:
    return origin(below, expression.index, path) if isinstance(expression, Ref) else None


def _of_call(call: AggregateCall, below: Relation, path: Path) -> Origin | None:
    if call.name not in ("MIN", "MAX", "BARE") or len(call.operands) != 1:
        return None
    return _of_expression(call.operands[0], below, path)


def _of_join(join: Join, column: int, path: Path) -> Origin | None:
    left = width(join.left)
    if column < left:
        return origin(join.left, column, (*path, 0))
    if join.kind in (JoinKind.SEMI, JoinKind.ANTI):
        return None
    return origin(join.right, column - left, (*path, 1))
