"""A joined query that always has one row is a scalar subquery wherever its columns are read.

``FROM t, (SELECT AVG(x) AS a FROM t) s WHERE t.x > s.a`` is ``WHERE x > (SELECT AVG(x) FROM t)``.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.chain import Reading, reading
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    Expression,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
    Values,
)
from sqljury.trees.types import has_one_row
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import deepen, width


@rule(RELATION, at={"Project", "Aggregate", "Distinct"}, needs={"Aggregate", "Values"}, order=340)
def one_row_to_scalar(relation: Relation, context: Context) -> Rewritten | None:
    """``FROM t, (SELECT AVG(x) AS a FROM t) AS s WHERE t.x > s.a`` → ``FROM t WHERE x > (SELECT
    AVG(x) FROM t)``."""
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
