"""``x = (SELECT y FROM …)`` with at most one row is EXISTS: there is a row with such a y.

Of several rows SQLite takes the first, others fail: then nothing is done. Neither is it for an
aggregate, which always has its row.
"""

from __future__ import annotations

from sqljury.equivalence.rules.base import CONDITION, Scope, Simplified, rule
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import (
    Call,
    Expression,
    Filter,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.properties import assumed_for_unique
from sqljury.trees.types import has_one_row
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import deepen

_COMPARISONS = frozenset(("=", "<>", "<", "<=", ">", ">="))


@rule(CONDITION, at=_COMPARISONS, assumes={Assumption.PRIMARY_KEY}, needs={"Subquery"}, order=190)
def scalar_to_exists(expression: Expression, scope: Scope) -> Simplified | None:
    """``WHERE x = (SELECT y FROM t WHERE id = 3)`` → ``WHERE EXISTS (SELECT 1 FROM t WHERE id =
    3 AND x = y)``.

    Assumes primary key where uniqueness comes from a declared key.
    """
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
