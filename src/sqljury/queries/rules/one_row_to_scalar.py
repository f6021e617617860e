"""A joined query that always has one row is a scalar subquery wherever its columns are read.

``FROM t, (SELECT AVG(x) AS a FROM t) s WHERE t.x > s.a`` is ``WHERE x > (SELECT AVG(x) FROM t)``.
"""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.chain import Reading, reading
from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import (
    Expression,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
    Values,
)
from sqljury.queries.trees.types import has_one_row
from sqljury.queries.trees.volatile import has_volatile
from sqljury.queries.trees.walk import deepen, width


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    del context
    found = reading(relation)
    if found is None or len(found.block.inputs) < 2:
        return None
    for position, part in enumerate(found.block.inputs):
        if has_one_row(part) and not isinstance(part, Values) and not has_volatile(part):
            _take_out(found, position)
            return Rewritten(found.rebuilt())
    return None


def _take_out(found: Reading, position: int) -> None:
    part = found.block.inputs[position]
    offsets = found.block.offsets()
    values: list[Expression] = list(map(Ref, range(offsets[-1])))
    for i in range(width(part)):
        values[offsets[position] + i] = _value(part, i)
    found.substitute(values)
    inputs = [i for i in range(len(found.block.inputs)) if i != position]
    outer = range(len(found.block.inputs), len(found.block.relations))
    found.arrange(inputs, list(outer))


def _value(part: Relation, column: int) -> Expression:
    """The column of the only row, as seen from a row beside it."""
    whole = Subquery(SubqueryKind.SCALAR, part)
    inside = deepen(whole, 1)
    assert isinstance(inside, Subquery)
    return Subquery(SubqueryKind.SCALAR, Project(inside.relation, (Ref(column),)))


ONE_ROW_TO_SCALAR = RelationRule("one_row_to_scalar", _apply)
