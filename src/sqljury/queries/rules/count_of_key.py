"""``COUNT(DISTINCT t.id)`` of a join counts rows of ``t`` that have a partner, if id is a key.

What is joined without being read stands as EXISTS then, and the id differs from row to row.
"""

from __future__ import annotations

from dataclasses import replace

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.exists_in_set import is_blind
from sqljury.queries.rules.selection import selection, with_questions
from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import Aggregate, AggregateCall, Project, Ref, Relation
from sqljury.queries.trees.properties import assumed_for_unique
from sqljury.queries.trees.walk import expressions, map_expressions


def _apply(relation: Relation, context: Context) -> Rewritten | None:
    if not isinstance(relation, Aggregate) or not any(map(_counts, relation.calls)):
        return None
    if not all(map(is_blind, relation.calls)):
        return None
    read = tuple(dict.fromkeys(expressions(relation)))
    joined = selection(Project(relation.input, read))
    asking = with_questions(joined) if joined is not None else None
    if asking is None:
        return None
    rows = asking.where(*asking.conjuncts)
    new = map_expressions(replace(relation, input=rows), lambda e: Ref(read.index(e)))
    assert isinstance(new, Aggregate)
    for call in filter(_counts, new.calls):
        columns = {e.index for e in (*new.keys, *call.operands) if isinstance(e, Ref)}
        assumed = assumed_for_unique(rows, columns, context)
        if assumed is not None:
            return Rewritten(new, assumed)
    return None


def _counts(call: AggregateCall) -> bool:
    return call.name == "COUNT" and call.distinct and len(call.operands) == 1


COUNT_OF_KEY = RelationRule("count_of_key", _apply)
