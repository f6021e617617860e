"""A condition on group keys is asked of the rows before they are grouped."""

from __future__ import annotations

from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction, conjuncts, filtered
from sqljury.trees.context import Context
from sqljury.trees.nodes import Aggregate, Filter, Relation
from sqljury.trees.properties import same_values
from sqljury.trees.types import fields
from sqljury.trees.volatile import is_volatile
from sqljury.trees.walk import columns_read, substitute, with_inputs


@rule(RELATION, at={"Filter"}, order=90)
def having_to_where(relation: Relation, context: Context) -> Rewritten | None:
    """``GROUP BY x HAVING x > 3`` → ``WHERE x > 3 GROUP BY x``."""
    match relation:
        case Filter(input=Aggregate() as grouped) if grouped.keys:
            pass
        case _:
            return None
    row = fields(grouped, context)

    def of_keys(columns: frozenset[int]) -> bool:
        # Rows that are equal in the keys must be the same for every condition.
        return all(c < len(grouped.keys) and same_values(row[c], row[c], context) for c in columns)

    parts = conjuncts(relation.condition)
    moved = [p for p in parts if of_keys(columns_read(p)) and not is_volatile(p)]
    if not moved:
        return None
    where = conjunction(substitute(part, grouped.keys) for part in moved)
    below = with_inputs(grouped, (filtered(grouped.input, where),))
    rest = conjunction(part for part in parts if part not in moved)
    return Rewritten(filtered(below, rest))
