"""A filter on TRUE does nothing; one on FALSE, or an inner join with no rows, gives no rows."""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import (
    Aggregate,
    Call,
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
    Values,
    Window,
)
from sqljury.queries.trees.walk import width


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    del context
    match relation:
        case Filter(condition=Literal(value=True)):
            return Rewritten(relation.input)
        case Filter() if _is_never(relation.condition):
            return Rewritten(_nothing(relation))
        case Filter() | Project() | Distinct() | Sort() | Limit() | Window():
            return Rewritten(_nothing(relation)) if _is_empty(relation.input) else None
        case Aggregate() if relation.keys:
            return Rewritten(_nothing(relation)) if _is_empty(relation.input) else None
        case Join():
            return _of_join(relation)
        case SetOperation(kind=SetKind.UNION):
            return _of_union(relation)
        case _:
            return None


def _is_never(condition: Expression) -> bool:
    """Whether a condition is FALSE or NULL, or has such a part."""
    match condition:
        case Literal():
            return condition.value is None or condition.value is False
        case Call(name="AND"):
            return any(map(_is_never, condition.operands))
        case _:
            return False


def _is_empty(relation: Relation) -> bool:
    return isinstance(relation, Values) and not relation.rows


def _nothing(relation: Relation) -> Values:
    return Values((), ("",) * width(relation))


def _of_join(join: Join) -> Rewritten | None:
    never = _is_never(join.condition)
    left, right = _is_empty(join.left), _is_empty(join.right)
    match join.kind:
        case JoinKind.INNER | JoinKind.SEMI:
            return Rewritten(_nothing(join)) if never or left or right else None
        case JoinKind.LEFT:
            return Rewritten(_nothing(join)) if left else None
        case JoinKind.ANTI:
            return Rewritten(join.left) if never or left or right else None
        case _:
            return None


def _of_union(union: SetOperation) -> Rewritten | None:
    kept = tuple(below for below in union.inputs if not _is_empty(below))
    if len(kept) == len(union.inputs):
        return None
    if not kept:
        return Rewritten(_nothing(union))
    if len(kept) > 1:
        return Rewritten(SetOperation(union.kind, union.all, kept))
    return Rewritten(kept[0] if union.all else Distinct(kept[0]))


NEVER_TRUE = RelationRule("never_true", _apply)
