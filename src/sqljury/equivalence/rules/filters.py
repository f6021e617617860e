"""Rules for filters that are always or never true, and for filters on filters."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import null_of
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction, conjuncts
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    FALSE,
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
    Type,
    Values,
    Window,
)
from sqljury.trees.types import fields
from sqljury.trees.volatile import any_volatile

# ---------------------------------------------------------------- never true
# A filter on TRUE does nothing; one on FALSE, or an inner join with no rows, gives no rows.


@rule(
    RELATION,
    at={
        "Filter",
        "Project",
        "Distinct",
        "Sort",
        "Limit",
        "Window",
        "Aggregate",
        "Join",
        "SetOperation",
    },
)
def never_true(relation: Relation, context: Context) -> Rewritten | None:
    """``WHERE FALSE``, and an inner join with no rows → no rows; ``WHERE TRUE`` → no WHERE."""
    match relation:
        case Filter(condition=Literal(value=True)):
            return Rewritten(relation.input)
        case Filter() if is_empty(relation):
            return None
        case Filter() if _is_never(relation.condition):
            return Rewritten(nothing(relation, context))
        case Filter() | Project() | Distinct() | Sort() | Limit() | Window():
            return Rewritten(nothing(relation, context)) if is_empty(relation.input) else None
        case Aggregate() if relation.keys:
            return Rewritten(nothing(relation, context)) if is_empty(relation.input) else None
        case Join():
            return _of_join(relation, context)
        case SetOperation(kind=SetKind.UNION):
            return _of_union(relation, context)
        case _:
            return None


def _is_never(condition: Expression) -> bool:
    """True if a condition is FALSE or NULL, or an AND with such an operand."""
    match condition:
        case Literal():
            return condition.value is None or condition.value is False
        case Call(name="AND"):
            return any(map(_is_never, condition.operands))
        case _:
            return False


def is_empty(relation: Relation) -> bool:
    """True if a relation is one made by :func:`nothing`."""
    match relation:
        case Filter(input=Values(), condition=Literal(value=False)):
            return True
        case _:
            return False


def nothing(relation: Relation, context: Context) -> Relation:
    """A relation without rows and the given one's columns: NULLs under WHERE FALSE.

    An empty VALUES would have no columns, as their number is known from the rows.
    """
    nulls = tuple(null_of(field.type, context) for field in fields(relation, context))
    return Filter(Values((nulls,)), FALSE)


def _of_join(join: Join, context: Context) -> Rewritten | None:
    never = _is_never(join.condition)
    left, right = is_empty(join.left), is_empty(join.right)
    match join.kind:
        case JoinKind.INNER | JoinKind.SEMI:
            return Rewritten(nothing(join, context)) if never or left or right else None
        case JoinKind.LEFT:
            return Rewritten(nothing(join, context)) if left else None
        case JoinKind.ANTI:
            return Rewritten(join.left) if never or left or right else None
        case _:
            return None


def _of_union(union: SetOperation, context: Context) -> Rewritten | None:
    kept = tuple(below for below in union.inputs if not is_empty(below))
    if len(kept) == len(union.inputs):
        return None
    if not kept:
        return Rewritten(nothing(union, context))
    if len(kept) > 1:
        new: Relation = SetOperation(union.kind, union.all, kept)
    else:
        new = kept[0] if union.all else Distinct(kept[0])
    return Rewritten(new) if _has_types_of(new, union, context) else None


def _has_types_of(new: Relation, union: SetOperation, context: Context) -> bool:
    """True if the columns keep their types without the inputs that have no rows."""
    if context.dialect == "sqlite":
        return True
    rows = [fields(relation, context) for relation in (new, *union.inputs)]
    # Decimals of one type may still differ in their digits.
    return all(
        {field.type for field in others} <= {field.type, Type.NULL} - {Type.DECIMAL}
        for field, *others in zip(*rows, strict=True)
    )


# ---------------------------------------------------------------- merge filters


@rule(RELATION, at={"Filter"})
def merge_filters(relation: Relation, _: Context) -> Rewritten | None:
    """``SELECT * FROM (SELECT * FROM t WHERE p) WHERE q`` → ``SELECT * FROM t WHERE p AND q``."""
    match relation:
        case Filter(input=Filter(input=rows, condition=first), condition=second):
            parts = (*conjuncts(first), *conjuncts(second))
            return None if any_volatile(parts) else Rewritten(Filter(rows, conjunction(parts)))
    return None
