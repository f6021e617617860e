"""Output columns that a planner shows and the query that it read does not return."""

from __future__ import annotations

import re

from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import Project, Ref, Relation
from sqljury.queries.trees.types import fields

_HIDDEN = re.compile(r"\$f\d+")


def without_hidden(tree: Relation, context: Context) -> Relation:
    """The tree without the last columns that are named ``$f1``, ``$f2``, …, if others remain.

    Calcite adds what a query only sorts by to its output under such names; FuncEvalGMN's
    references were printed by it (8.4 % of those of Spider-pair dev have such columns).
    """
    names = [known.name for known in fields(tree, context)]
    kept = len(names)
    while kept and _HIDDEN.fullmatch(names[kept - 1]):
        kept -= 1
    if kept in (0, len(names)):
        return tree
    return Project(tree, tuple(map(Ref, range(kept))), tuple(names[:kept]))
