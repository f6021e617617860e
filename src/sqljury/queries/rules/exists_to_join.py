"""EXISTS becomes an inner join where a row has at most one partner: ``IN (SELECT key …)``."""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.block import flatten, rebuilt
from sqljury.queries.rules.conditions import conjunction
from sqljury.queries.rules.exists_join import asked, beside, joined_rows, questions
from sqljury.queries.rules.nullability import NOTHING, Assumed
from sqljury.queries.trees.context import Assumption, Context
from sqljury.queries.trees.nodes import Expression, Filter, Relation
from sqljury.queries.trees.properties import (
    Properties,
    equalities,
    properties,
    shifted,
    without_keys,
)
from sqljury.queries.trees.types import fields
from sqljury.queries.trees.walk import references, shift, width


def _apply(relation: Relation, context: Context) -> Rewritten | None:
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


EXISTS_TO_JOIN = RelationRule("exists_to_join", _apply)
