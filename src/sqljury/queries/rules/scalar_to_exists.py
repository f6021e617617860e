"""``x = (SELECT y FROM …)`` with at most one row is EXISTS: there is a row with such a y.

Of several rows SQLite takes the first, others fail: then nothing is done. Neither is it for an
aggregate, which always has its row.
"""

from __future__ import annotations

from sqljury.queries.rules.base import ConditionRule, Scope, Simplified
from sqljury.queries.trees.nodes import (
    Call,
    Expression,
    Filter,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
)
from sqljury.queries.trees.properties import assumed_for_unique
from sqljury.queries.trees.types import has_one_row
from sqljury.queries.trees.volatile import is_volatile
from sqljury.queries.trees.walk import deepen

_COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))


def _apply(expression: Expression, scope: Scope) -> Simplified | None:
    if not isinstance(expression, Call) or is_volatile(expression):
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
    """The comparison as the subquery's rows see it."""
    return Call(
        comparison.name,
        tuple(
            Ref(0) if i == position else deepen(operand, 1)
            for i, operand in enumerate(comparison.operands)
        ),
    )


SCALAR_TO_EXISTS = ConditionRule("scalar_to_exists", _apply, _COMPARISONS)
