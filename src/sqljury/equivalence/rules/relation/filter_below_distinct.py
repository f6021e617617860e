"""A condition is asked of the rows before those that are equal become one."""

from __future__ import annotations

from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.context import Context
from sqljury.trees.nodes import Distinct, Filter, Relation
from sqljury.trees.properties import same_values
from sqljury.trees.types import fields
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import columns_read


@rule(RELATION, at={"Filter"}, order=110)
def filter_below_distinct(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT … FROM (SELECT DISTINCT …) WHERE c`` → ``SELECT DISTINCT … WHERE c``."""
    match relation:
        case Filter(input=Distinct(input=below), condition=condition):
            row = fields(below, context)
            # Rows that are equal must be the same for the condition: 1 and 1.0 are equal.
            exact = all(same_values(row[c], row[c], context) for c in columns_read(condition))
            if exact and not is_volatile(condition):
                return Rewritten(Distinct(Filter(below, condition)))
    return None
