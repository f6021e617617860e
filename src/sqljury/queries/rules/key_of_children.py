"""The keys of rows that have children are what the children's foreign key points to.

``SELECT id FROM t WHERE id IN (SELECT t_id FROM c)`` is ``SELECT DISTINCT t_id FROM c`` without
NULLs: nothing but the key of ``t`` is read.
"""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.chain import reading
from sqljury.queries.rules.exists_in_set import with_joins
from sqljury.queries.rules.foreign_key_join import FOREIGN_KEY_JOIN
from sqljury.queries.trees.context import Assumption, Context
from sqljury.queries.trees.nodes import Distinct, Filter, Project, Ref, Relation, Scan
from sqljury.queries.trees.properties import assumed_for_unique

_MOST_QUESTIONS = 8


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    match relation:
        case Project(input=Filter(input=Scan()), expressions=(Ref() as key,)):
            unique = assumed_for_unique(relation.input, (key.index,), context)
        case _:
            return None
    if unique is None or not context.may(Assumption.FOREIGN_KEY):
        return None
    joined = _all_joined(relation.input)
    found = reading(Project(joined, (key,), relation.names)) if joined is not None else None
    assumed = FOREIGN_KEY_JOIN.apply(found, context) if found is not None else None
    if found is None or assumed is None:
        return None
    return Rewritten(Distinct(found.rebuilt()), unique | assumed)


def _all_joined(rows: Relation) -> Relation | None:
    """The rows, as a set, with joins in place of every EXISTS."""
    joined = None
    for _ in range(_MOST_QUESTIONS):
        more = with_joins(rows)
        if more is None:
            break
        joined = rows = more
    return joined


KEY_OF_CHILDREN = RelationRule("key_of_children", _apply)
