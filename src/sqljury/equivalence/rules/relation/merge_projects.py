"""A projection moves up through what keeps its rows, and two become one.

Sorts, limits, windows, filters and aggregates then read the rows themselves, whatever the
subqueries of the text were.
"""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.trees.context import Context
from sqljury.trees.nodes import (
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
from sqljury.trees.volatile import any_volatile
from sqljury.trees.walk import (
    expressions,
    length,
    map_expressions,
    substitute,
    width,
    with_inputs,
)

_LARGEST = 600


@rule(RELATION, at={"Project", "Aggregate", "Filter", "Sort", "Limit", "Window"}, order=70)
def merge_projects(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT a FROM (SELECT x + 1 AS a FROM t) WHERE a > 2`` → ``SELECT x + 1 FROM t WHERE x
    + 1 > 2``."""
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
    on_input = with_inputs(relation, (below.input,))
    if isinstance(relation, Limit):
        return replace(below, input=on_input)
    new = map_expressions(on_input, lambda e: substitute(e, values))
    if isinstance(relation, Project | Aggregate):
        return new
    if isinstance(relation, Window):
        wide = width(below.input)
        values += tuple(Ref(wide + i) for i in range(len(relation.calls)))
        names = below.names and below.names + ("",) * len(relation.calls)
        return Project(new, values, names)
    return replace(below, input=new)


def _size(relation: Relation) -> int:
    return sum(map(length, expressions(relation)))
