"""A condition or a projection above UNION ALL is one in each of its inputs."""

from __future__ import annotations

from dataclasses import replace

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.comparable import comparable
from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import Distinct, Filter, Project, Relation, SetKind, SetOperation
from sqljury.queries.trees.types import fields
from sqljury.queries.trees.volatile import any_volatile
from sqljury.queries.trees.walk import expressions, with_inputs


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    match relation:
        case Filter(input=Distinct(input=SetOperation()) as distinct):
            if any_volatile(expressions(relation)):
                return None
            return Rewritten(Distinct(Filter(distinct.input, relation.condition)))
        case Filter(input=SetOperation(kind=SetKind.UNION, all=True) as union):
            above: Filter | Project = relation
        case Project(input=SetOperation(kind=SetKind.UNION, all=True) as union):
            above = relation
        case _:
            return None
    if any_volatile(expressions(above)) or not _alike(union, context):
        return None
    return Rewritten(
        replace(union, inputs=tuple(with_inputs(above, (part,)) for part in union.inputs))
    )


def _alike(union: SetOperation, context: Context) -> bool:
    """Whether a column is compared in the same way whatever input it comes from."""
    rows = [fields(part, context) for part in union.inputs]
    return all(
        comparable(one, other, context) and one.affinity == other.affinity
        for row in rows[1:]
        for one, other in zip(rows[0], row, strict=True)
    )


FILTER_INTO_UNION = RelationRule("filter_into_union", _apply)
