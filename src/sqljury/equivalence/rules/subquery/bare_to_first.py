"""SQLite's ``SELECT MAX(x), y FROM …``: the y of the row with the greatest x.

Of no rows both are NULL, and of rows that tie in x it is any of them.
Source: https://www.sqlite.org/lang_select.html, "Bare columns in an aggregate query".
"""

from __future__ import annotations

from sqljury.equivalence.blocks.nullability import assumed_for_not_null
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.equivalence.rules.subquery.first_to_extreme import has_rows
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Aggregate,
    Limit,
    Literal,
    Project,
    Relation,
    Sort,
    SortKey,
    Type,
)
from sqljury.trees.volatile import has_volatile

_ASSUMED = frozenset((Assumption.NO_TIES, Assumption.NOT_EMPTY))


@rule(
    RELATION,
    at={"Aggregate"},
    assumes={Assumption.NO_TIES, Assumption.NOT_EMPTY, Assumption.PRIMARY_KEY, Assumption.NOT_NULL},
    order=360,
)
def bare_to_first(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT MAX(x), y FROM t`` → ``SELECT x, y FROM t ORDER BY x DESC LIMIT 1``, in SQLite.

    Assumes no ties, and not empty: of no rows both would be NULL. Assumes primary key or not
    null where the absence of NULLs comes from them.
    """
    if not isinstance(relation, Aggregate) or relation.keys or context.dialect != "sqlite":
        return None
    if not context.assuming >= _ASSUMED or not has_rows(relation.input):
        return None
    extremes = [call for call in relation.calls if call.name in ("MIN", "MAX")]
    bare = [call for call in relation.calls if call.name == "BARE"]
    plain = all(len(call.operands) == 1 and call.filter is None for call in relation.calls)
    if len(extremes) != 1 or not bare or len(bare) + 1 != len(relation.calls) or not plain:
        return None
    (value,) = extremes[0].operands
    assumed = assumed_for_not_null((value,), relation.input, context)
    if assumed is None or has_volatile(relation):
        return None
    greatest = extremes[0].name == "MAX"
    key = SortKey(value, descending=greatest, nulls_last=greatest)
    first = Limit(Sort(relation.input, (key,)), Literal(1, Type.INTEGER))
    outputs = tuple(call.operands[0] for call in relation.calls)
    return Rewritten(Project(first, outputs, relation.names), assumed | _ASSUMED)
