"""``EXISTS (…)`` only asks whether there is a row: what cannot change that is taken away.

What is left is ``EXISTS (SELECT 1 FROM …)``.
"""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.rules.base import EXPRESSION, Scope, rule
from sqljury.trees.conditions import disjunction
from sqljury.trees.nodes import (
    FALSE,
    TRUE,
    Aggregate,
    Distinct,
    Expression,
    Filter,
    Join,
    JoinKind,
    Limit,
    Literal,
    Project,
    Relation,
    SetKind,
    SetOperation,
    Sort,
    Subquery,
    SubqueryKind,
    Type,
    Values,
    Window,
)
from sqljury.trees.volatile import is_volatile

ONE = Literal(1, Type.INTEGER)


@rule(EXPRESSION, at={"Subquery"}, order=570)
def exists_input(expression: Expression, scope: Scope) -> Expression | None:
    """``EXISTS (SELECT DISTINCT x FROM t ORDER BY x)`` → ``EXISTS (SELECT 1 FROM t)``."""
    del scope
    if not isinstance(expression, Subquery) or expression.kind is not SubqueryKind.EXISTS:
        return None
    found = _some(expression.relation)
    return found if found != expression else None


def _some(relation: Relation) -> Expression:
    return _exists(relation) or Subquery(SubqueryKind.EXISTS, Project(relation, (ONE,)))


def _exists(relation: Relation) -> Expression | None:
    """Something simpler that is true when the relation has a row; None where there is nothing."""
    match relation:
        case Values():
            return TRUE if relation.rows else FALSE
        case Filter(input=Values(), condition=Literal(value=False)):
            return FALSE
        case Aggregate() if not relation.keys:
            return TRUE
        case Limit() if _is_none(relation.count):
            return FALSE
        case SetOperation(kind=SetKind.UNION):
            return disjunction(_some(part) for part in relation.inputs)
        case Join(kind=JoinKind.FULL):
            return disjunction((_some(relation.left), _some(relation.right)))
    fewer = _as_many(relation)
    return _some(fewer) if fewer is not None else None


def _as_many(relation: Relation) -> Relation | None:
    """A simpler relation that has rows exactly when this one has."""
    match relation:
        case Project() | Distinct() | Sort() | Window() | Aggregate():
            return relation.input
        case Limit() if _is_some(relation):
            return relation.input
        case Join(kind=JoinKind.LEFT):
            return relation.left
        case Join(kind=JoinKind.RIGHT) if not relation.lateral:
            return relation.right
        case Filter():
            return _filtered(relation)
    return None


def _filtered(relation: Filter) -> Relation | None:
    match relation.input:
        case Distinct() | Sort() as below if not is_volatile(relation.condition):
            return replace(relation, input=below.input)
    return None


def _is_some(limit: Limit) -> bool:
    """Whether the limit leaves a row where there is one."""
    if limit.offset is not None and not _is(limit.offset, 0):
        return False
    return limit.count is None or _number(limit.count, 0) > 0


def _is_none(count: Expression | None) -> bool:
    return count is not None and _is(count, 0)


def _is(expression: Expression, number: int) -> bool:
    return _number(expression, number - 1) == number


def _number(expression: Expression, otherwise: int) -> int:
    value = expression.value if isinstance(expression, Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
