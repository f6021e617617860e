"""SQLite's ``SELECT MAX(x), y FROM …``: the y of the row with the greatest x.

Of no rows both are NULL, and of rows that tie in x it is any of them.
Source: https://www.sqlite.org/lang_select.html, "Bare columns in an aggregate query".
"""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.first_to_extreme import has_rows
from sqljury.queries.rules.nullability import assumed_for_not_null
from sqljury.queries.trees.context import Assumption, Context
from sqljury.queries.trees.nodes import (
    Aggregate,
    Limit,
    Literal,
    Project,
    Relation,
    Sort,
    SortKey,
    Type,
)
from sqljury.queries.trees.volatile import has_volatile

_ASSUMED = frozenset((Assumption.NO_TIES, Assumption.NOT_EMPTY))


def _apply(relation: Relation, context: Context) -> Rewritten | None:
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


BARE_TO_FIRST = RelationRule("bare_to_first", _apply)
