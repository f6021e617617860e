"""Rules for scalar subqueries."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import NUMBERS, compared_as_it_is, is_sqlite, kind
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, Simplified, rule
from sqljury.sql.comparisons import COMPARISONS, MIRRORED
from sqljury.trees.conditions import filtered
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Expression,
    Filter,
    Literal,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
    Type,
)
from sqljury.trees.properties import assumed_for_unique
from sqljury.trees.types import fields, has_one_row
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import deepen

# ---------------------------------------------------------------- scalar to exists
# ``x = (SELECT y FROM …)`` with at most one row is EXISTS of a row with x = y.
#
# Not if there may be several rows, of which SQLite takes the first and other engines fail; nor for
# an aggregate, which always has exactly one row.


@rule(CONDITION, at=COMPARISONS, assumes={Assumption.PRIMARY_KEY}, needs={"Subquery"})
def scalar_to_exists(expression: Call, scope: Scope) -> Simplified | None:
    """``WHERE x = (SELECT y FROM t WHERE id = 3)`` → ``WHERE EXISTS (SELECT 1 FROM t WHERE id =
    3 AND x = y)``.

    Assumes primary key where uniqueness comes from a declared key.
    """
    if is_volatile(expression):
        return None
    for i, operand in enumerate(expression.operands):
        if not isinstance(operand, Subquery) or operand.kind is not SubqueryKind.SCALAR:
            continue
        if has_one_row(operand.relation):
            continue
        assumed = assumed_for_unique(_rows(operand.relation), (), scope.context)
        if assumed is not None:
            rows = Filter(operand.relation, _inside(expression, i))
            return Simplified(Subquery(SubqueryKind.EXISTS, rows), assumed)
    return None


def _rows(relation: Relation) -> Relation:
    return _rows(relation.input) if isinstance(relation, Project) else relation


def _inside(comparison: Call, position: int) -> Expression:
    """The comparison, moved into the subquery: the scalar becomes its row's column."""
    return Call(
        comparison.name,
        tuple(
            Ref(0) if i == position else deepen(operand, 1)
            for i, operand in enumerate(comparison.operands)
        ),
    )


# ---------------------------------------------------------------- extreme to exists
# ``x > (SELECT MIN(y) …)`` is EXISTS of a row with ``x > y``.


_BEYOND = {(">", "MIN"), (">=", "MIN"), ("<", "MAX"), ("<=", "MAX")}


@rule(CONDITION, at={operator for operator, _ in _BEYOND}, needs={"Subquery"})
def extreme_to_exists(expression: Call, scope: Scope) -> Expression | None:
    """``WHERE x > (SELECT MIN(y) FROM t)`` → ``WHERE EXISTS (SELECT 1 FROM t WHERE x > y)``.

    Only where MIN orders the values as the comparison does: numbers, or dates of one type.
    """
    for i, operand in enumerate(expression.operands):
        match operand:
            case Subquery(
                kind=SubqueryKind.SCALAR,
                relation=Aggregate(
                    keys=(), calls=(AggregateCall(operands=(y,), filter=None) as call,)
                ) as extreme,
            ):
                x = expression.operands[1 - i]
                name = expression.name if i == 1 else MIRRORED[expression.name]
            case _:
                continue
        if (name, call.name) not in _BEYOND or is_volatile(expression):
            continue
        row = fields(extreme.input, scope.context, (scope.row, *scope.outer))
        inside = Scope(row, scope.context, (scope.row, *scope.outer))
        if compared_as_it_is(x, operand, scope) and _same_order(deepen(x, 1), y, inside):
            rows = Project(extreme.input, (y,))
            return Subquery(SubqueryKind.EXISTS, Filter(rows, _inside(expression, i)))
    return None


def _same_order(x: Expression, y: Expression, scope: Scope) -> bool:
    types = {kind(x, scope), kind(y, scope)}
    one = len(types) == 1 and types <= {Type.DATE, Type.TIMESTAMP} and not is_sqlite(scope)
    return compared_as_it_is(x, y, scope) and (one or types <= set(NUMBERS))


# ---------------------------------------------------------------- count to exists
# ``(SELECT COUNT(*) FROM …) > 0`` is EXISTS, ``= 0`` is NOT EXISTS.


_SOME = {(">", 0), (">=", 1), ("<>", 0)}
_NONE = {("=", 0), ("<", 1), ("<=", 0)}


@rule(EXPRESSION, at=COMPARISONS, needs={"Subquery"})
def count_to_exists(expression: Call, _: Scope) -> Expression | None:
    """``(SELECT COUNT(*) FROM t) > 0`` → ``EXISTS (SELECT 1 FROM t)``; ``= 0`` → NOT EXISTS."""
    if len(expression.operands) != 2:
        return None
    left, right = expression.operands
    operator = expression.name
    if isinstance(left, Literal):
        left, right, operator = right, left, MIRRORED[operator]
    if not isinstance(right, Literal) or type(right.value) is not int:
        return None
    counted = _counted(left)
    if counted is None:
        return None
    exists = Subquery(SubqueryKind.EXISTS, counted)
    if (operator, right.value) in _SOME:
        return exists
    return Call("NOT", (exists,)) if (operator, right.value) in _NONE else None


def _counted(expression: Expression) -> Relation | None:
    """The rows that a scalar subquery counts; None if it is no COUNT."""
    if not isinstance(expression, Subquery) or expression.kind is not SubqueryKind.SCALAR:
        return None
    relation = expression.relation
    while isinstance(relation, Project) and relation.expressions == (Ref(0),):
        relation = relation.input
    if not isinstance(relation, Aggregate) or relation.keys or len(relation.calls) != 1:
        return None
    return _rows_of(relation.calls[0], relation.input)


def _rows_of(call: AggregateCall, rows: Relation) -> Relation | None:
    if call.name != "COUNT" or len(call.operands) > 1:
        return None
    if call.filter is not None:
        rows = filtered(rows, call.filter)
    if call.operands and not isinstance(call.operands[0], Literal):
        return Filter(rows, Call("NOT", (Call("IS NULL", call.operands),)))
    constant = call.operands[0] if call.operands else None
    return None if isinstance(constant, Literal) and constant.value is None else rows
