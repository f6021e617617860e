"""``(SELECT COUNT(*) FROM …) > 0`` is EXISTS, ``= 0`` is NOT EXISTS."""

from __future__ import annotations

from sqljury.equivalence.rules.base import EXPRESSION, Scope, rule
from sqljury.trees.conditions import filtered
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
)

_SWAPPED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_SOME = {(">", 0), (">=", 1), ("<>", 0)}
_NONE = {("=", 0), ("<", 1), ("<=", 0)}


@rule(EXPRESSION, at=_SWAPPED, needs={"Subquery"}, order=560)
def count_to_exists(expression: Expression, scope: Scope) -> Expression | None:
    """``(SELECT COUNT(*) FROM t) > 0`` → ``EXISTS (SELECT 1 FROM t)``; ``= 0`` → NOT EXISTS."""
    del scope
    if not isinstance(expression, Call) or len(expression.operands) != 2:
        return None
    left, right = expression.operands
    operator = expression.name
    if isinstance(left, Literal):
        left, right, operator = right, left, _SWAPPED[operator]
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
    """The rows that a subquery counts."""
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
