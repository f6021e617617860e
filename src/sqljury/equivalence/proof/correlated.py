"""Windows, groups beside an outer join and joined groups, written as correlated subqueries.

``COUNT(*) OVER (PARTITION BY g)``, ``LEFT JOIN o … GROUP BY c.id`` and ``LEFT JOIN (SELECT … GROUP
BY k)`` each give a row of one relation a value of some rows of another. As a subquery per row all
three look alike, and like what many people write in the first place. An extreme that is compared
becomes EXISTS and NOT EXISTS, a rank the number of rows before.

The forms are for a proof only: no engine would want to run them.

Source: Galindo-Legaria and Joshi 2001, "Orthogonal optimization of subqueries and aggregation",
read backwards.
"""

from __future__ import annotations

from collections.abc import Callable

from sqljury.equivalence.proof.first_rows import first_of_part, joined_first
from sqljury.equivalence.proof.per_row import (
    extremes_as_exists,
    grouped_outer_join,
    joined_groups,
    looked_up,
    windows,
)
from sqljury.trees.context import Context
from sqljury.trees.nodes import Expression, Join, Relation, Subquery
from sqljury.trees.types import Row, fields
from sqljury.trees.walk import inputs, map_expressions, transform, with_inputs

Form = Callable[[Relation, Context, tuple[Row, ...]], Relation | None]
_FORMS: tuple[Form, ...] = (
    *(windows, grouped_outer_join, joined_groups, joined_first, looked_up, extremes_as_exists),
)


def correlated(relation: Relation, context: Context, outer: tuple[Row, ...] = ()) -> Relation:
    """The same rows with correlated subqueries in place of what can be said by them.

    Args:
        context: what may be assumed; keys count where they may be.
        outer: the rows around, nearest first.
    """
    if isinstance(relation, Join) and relation.lateral:
        return relation
    relation = first_of_part(relation, context, outer) or relation
    below = tuple(correlated(each, context, outer) for each in inputs(relation))
    relation = with_inputs(relation, below)
    row = tuple(field for each in below for field in fields(each, context, outer))
    relation = map_expressions(relation, lambda e: _inside(e, context, (row, *outer)))
    for form in _FORMS:
        relation = form(relation, context, outer) or relation
    return relation


def _inside(expression: Expression, context: Context, around: tuple[Row, ...]) -> Expression:
    def of_part(part: Expression) -> Expression:
        if not isinstance(part, Subquery):
            return part
        found = correlated(part.relation, context, around)
        return Subquery(part.kind, found, part.operands, part.operator)

    return transform(expression, of_part)
