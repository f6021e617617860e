"""A condition or a projection above UNION ALL is one in each of its inputs."""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.blocks.comparable import comparable
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.context import Context
from sqljury.trees.nodes import Distinct, Filter, Project, Relation, SetKind, SetOperation
from sqljury.trees.types import fields
from sqljury.trees.volatile import any_volatile
from sqljury.trees.walk import expressions, with_inputs


@rule(RELATION, at={"Filter", "Project"}, order=240)
def filter_into_union(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT … FROM (a UNION ALL b) WHERE c`` → ``SELECT … FROM a WHERE c UNION ALL SELECT …
    FROM b WHERE c``."""
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
