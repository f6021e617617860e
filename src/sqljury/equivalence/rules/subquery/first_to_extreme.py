"""``SELECT x … ORDER BY x DESC LIMIT 1`` is ``SELECT MAX(x)``.

Not of no rows: then one gives no row, and the other NULL. In place of a value both are NULL.
NULLs come first in some orders, but never out of MIN and MAX.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.nullability import NOTHING, Assumed, assumed_for_not_null
from sqljury.equivalence.rules.base import EXPRESSION, RELATION, Rewritten, Scope, Simplified, rule
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Expression,
    Join,
    JoinKind,
    Limit,
    Literal,
    Project,
    Relation,
    Scan,
    Sort,
    Subquery,
    SubqueryKind,
    Window,
)
from sqljury.trees.volatile import has_volatile


@rule(
    RELATION,
    at={"Project"},
    needs={"Limit"},
    assumes={Assumption.NOT_EMPTY, Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
    order=380,
)
def first_to_extreme(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT x FROM t ORDER BY x DESC LIMIT 1`` → ``SELECT MAX(x) FROM t``.

    Assumes not empty: of no rows one gives no row, the other NULL. Assumes primary key or not
    null where the absence of NULLs comes from them.
    """
    first = _first(relation)
    if first is None or not context.may(Assumption.NOT_EMPTY) or not has_rows(first.input):
        return None
    found = _extreme(first, context)
    if found is None:
        return None
    return Rewritten(found.relation, found.assumed | {Assumption.NOT_EMPTY})


@rule(
    EXPRESSION,
    at={"Subquery"},
    assumes={Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
    order=600,
    name="first_to_extreme",
)
def scalar_first_to_extreme(expression: Expression, scope: Scope) -> Simplified | None:
    """``(SELECT x FROM t ORDER BY x DESC LIMIT 1)`` → ``(SELECT MAX(x) FROM t)``.

    Of no rows both are NULL. Assumes primary key or not null where the absence of NULLs comes
    from them.
    """
    if not isinstance(expression, Subquery) or expression.kind is not SubqueryKind.SCALAR:
        return None
    first = _first(expression.relation)
    found = _extreme(first, scope.context) if first is not None else None
    if found is None:
        return None
    return Simplified(Subquery(SubqueryKind.SCALAR, found.relation), found.assumed)


def _first(relation: Relation) -> Sort | None:
    """The sorted rows of which the first one's only key is given."""
    match relation:
        case Project(
            input=Limit(input=Sort() as sort, count=Literal(value=1), offset=None),
            expressions=(value,),
        ):
            alone = len(sort.keys) == 1 and sort.keys[0].expression == value
            return sort if alone and not has_volatile(relation) else None
        case _:
            return None


def _extreme(sort: Sort, context: Context) -> Rewritten | None:
    key = sort.keys[0]
    assumed: Assumed | None = NOTHING
    if not key.nulls_last:
        assumed = assumed_for_not_null((key.expression,), sort.input, context)
    if assumed is None:
        return None
    call = AggregateCall("MAX" if key.descending else "MIN", (key.expression,))
    return Rewritten(Aggregate(sort.input, (), (call,)), assumed)


def has_rows(relation: Relation) -> bool:
    """Whether there is a row if no table is empty."""
    match relation:
        case Scan():
            return True
        case Project() | Sort() | Window() | Aggregate():
            return has_rows(relation.input)
        case Join(kind=JoinKind.LEFT):
            return has_rows(relation.left)
        case _:
            return False
