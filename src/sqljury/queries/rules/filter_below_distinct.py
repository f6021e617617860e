"""A condition is asked of the rows before those that are equal become one."""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import Distinct, Filter, Relation
from sqljury.queries.trees.properties import same_values
from sqljury.queries.trees.types import fields
from sqljury.queries.trees.volatile import is_volatile
from sqljury.queries.trees.walk import columns_read


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    match relation:
        case Filter(input=Distinct(input=below), condition=condition):
            row = fields(below, context)
            # Rows that are equal must be the same for the condition: 1 and 1.0 are equal.
            exact = all(same_values(row[c], row[c], context) for c in columns_read(condition))
            if exact and not is_volatile(condition):
                return Rewritten(Distinct(Filter(below, condition)))
    return None


FILTER_BELOW_DISTINCT = RelationRule("filter_below_distinct", _apply)
