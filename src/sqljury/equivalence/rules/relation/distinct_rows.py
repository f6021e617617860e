"""DISTINCT of rows that differ anyway does nothing; groups without aggregates are DISTINCT keys."""

from __future__ import annotations

from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Aggregate, Distinct, Literal, Project, Ref, Relation
from sqljury.trees.properties import assumed_for_unique
from sqljury.trees.volatile import any_volatile
from sqljury.trees.walk import width


@rule(RELATION, at={"Aggregate", "Distinct"}, assumes={Assumption.PRIMARY_KEY}, order=160)
def distinct_rows(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT DISTINCT id`` → ``SELECT id`` where no id occurs twice; ``GROUP BY x`` without
    aggregates → ``SELECT DISTINCT x``.

    Assumes primary key where uniqueness comes from a declared key.
    """
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
