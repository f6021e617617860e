"""A projection moves up through what keeps its rows, and two become one.

Sorts, limits, windows, filters and aggregates then read the rows themselves, whatever the
subqueries of the text were.
"""

from __future__ import annotations

from dataclasses import replace

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import (
    Aggregate,
    Filter,
    Join,
    Limit,
    Project,
    Ref,
    Relation,
    Sort,
    Window,
)
from sqljury.queries.trees.volatile import any_volatile
from sqljury.queries.trees.walk import (
    expressions,
    map_expressions,
    subexpressions,
    substitute,
    width,
)

_LARGEST = 600


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    del context
    if isinstance(relation, Project) and _is_identity(relation):
        return Rewritten(relation.input)
    if not isinstance(relation, Project | Aggregate | Filter | Sort | Limit | Window):
        return None
    below = relation.input
    if not isinstance(below, Project) or any_volatile(below.expressions):
        return None
    found = _merged(relation, below)
    return Rewritten(found) if _size(found) < _LARGEST else None


def _is_identity(project: Project) -> bool:
    """Whether nothing is done; above a join it stays, as the order of a join is free."""
    return (
        not isinstance(_bottom(project.input), Join)
        and len(project.expressions) == width(project.input)
        and all(e == Ref(i) for i, e in enumerate(project.expressions))
    )


def _bottom(relation: Relation) -> Relation:
    while isinstance(relation, Filter | Sort | Limit | Window):
        relation = relation.input
    return relation


def _merged(
    relation: Project | Aggregate | Filter | Sort | Limit | Window, below: Project
) -> Relation:
    values = below.expressions
    if isinstance(relation, Limit):
        return replace(below, input=replace(relation, input=below.input))
    if isinstance(relation, Window):
        wide = width(below.input)
        added = tuple(Ref(wide + i) for i in range(len(relation.calls)))
        new = map_expressions(relation, lambda e: substitute(e, values))
        names = below.names and below.names + ("",) * len(added)
        return Project(replace(new, input=below.input), values + added, names)  # type: ignore[call-arg]
    new = map_expressions(relation, lambda e: substitute(e, values))
    new = replace(new, input=below.input)  # type: ignore[call-arg]
    return new if isinstance(relation, Project | Aggregate) else replace(below, input=new)


def _size(relation: Relation) -> int:
    return sum(1 for e in expressions(relation) for _ in subexpressions(e))


MERGE_PROJECTS = RelationRule("merge_projects", _apply)
