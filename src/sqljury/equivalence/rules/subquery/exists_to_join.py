"""EXISTS becomes an inner join where a row has at most one partner: ``IN (SELECT key …)``."""

from __future__ import annotations

from sqljury.equivalence.blocks.block import flatten, rebuilt
from sqljury.equivalence.blocks.exists_join import asked, beside, joined_rows, questions
from sqljury.equivalence.blocks.nullability import NOTHING, Assumed
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.conditions import conjunction
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Expression, Filter, Relation
from sqljury.trees.properties import (
    Properties,
    equalities,
    properties,
    shifted,
    without_keys,
)
from sqljury.trees.types import fields
from sqljury.trees.walk import references, shift, width


@rule(
    RELATION, at={"Filter", "Join"}, needs={"Subquery"}, assumes={Assumption.PRIMARY_KEY}, order=290
)
def exists_to_join(relation: Relation, context: Context) -> Rewritten | None:
    """``FROM c WHERE EXISTS (SELECT 1 FROM s WHERE s.id = c.s_id)`` → ``FROM c JOIN s ON s.id =
    c.s_id`` where a row has at most one partner.

    Assumes primary key where uniqueness comes from a declared key.
    """
    asking = questions(relation)
    if asking is None:
        return None
    rows, parts = asking
    for i, part in enumerate(parts):
        inner = asked(part)
        found = beside(rows, inner) if inner is not None else None
        if found is None:
            continue
        assumed = _assumed_for_one_partner(rows, *found, context)
        if assumed is not None:
            rest = parts[:i] + parts[i + 1 :]
            return Rewritten(joined_rows(rows, *found, rest), assumed)
    return None


def _assumed_for_one_partner(
    row: Relation, right: Relation, parts: tuple[Expression, ...], context: Context
) -> Assumed | None:
    if _one_partner(row, right, parts, without_keys(context)):
        return NOTHING
    if context.may(Assumption.PRIMARY_KEY) and _one_partner(row, right, parts, context):
        return frozenset((Assumption.PRIMARY_KEY,))
    return None


def _one_partner(
    row: Relation, right: Relation, parts: tuple[Expression, ...], context: Context
) -> bool:
    by = width(row)
    inside = [shift(part, -by) for part in parts if _reads_only_right(part, by)]
    block = flatten(Filter(right, conjunction(inside))).block
    below = shifted(properties(rebuilt(block), context), by)
    if not below.keys:
        return False
    equal = equalities(parts, fields(row, context) + fields(right, context), context)
    return Properties(below.keys, below.dependencies + equal).unique(range(by))


def _reads_only_right(part: Expression, by: int) -> bool:
    return all(level == 0 and index >= by for level, index in references(part))
