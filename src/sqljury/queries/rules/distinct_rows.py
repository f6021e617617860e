"""DISTINCT of rows that differ anyway does nothing; groups without aggregates are DISTINCT keys."""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import Aggregate, Distinct, Literal, Project, Ref, Relation
from sqljury.queries.trees.properties import assumed_for_unique
from sqljury.queries.trees.volatile import any_volatile
from sqljury.queries.trees.walk import width


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    match relation:
        case Aggregate(calls=()) if relation.keys:
            return Rewritten(Distinct(Project(relation.input, relation.keys, relation.names)))
        case Distinct(input=Project() as below) if (fewer := _each_once(below)) is not None:
            return Rewritten(fewer)
        case Distinct():
            assumed = assumed_for_unique(relation.input, range(width(relation.input)), context)
            return None if assumed is None else Rewritten(relation.input, assumed)
        case _:
            return None


def _each_once(below: Project) -> Relation | None:
    """Without columns that are constant or occur twice; they are written again above."""
    values = below.expressions
    if any_volatile(values):
        return None
    once = dict.fromkeys(values)
    # Of constants alone there may be one row or none: one column remains.
    needed = tuple(e for e in once if not isinstance(e, Literal)) or values[:1]
    if len(needed) == len(values):
        return None
    outputs = tuple(Ref(needed.index(e)) if e in needed else e for e in values)
    return Project(Distinct(Project(below.input, needed)), outputs, below.names)


DISTINCT_ROWS = RelationRule("distinct_rows", _apply)
