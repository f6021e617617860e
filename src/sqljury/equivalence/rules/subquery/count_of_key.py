"""``COUNT(DISTINCT t.id)`` of a join counts rows of ``t`` that have a partner, if id is a key.

What is joined without being read stands as EXISTS then, and the id differs from row to row.
"""

from __future__ import annotations

from dataclasses import replace

from sqljury.equivalence.blocks.selection import selection, with_questions
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.equivalence.rules.subquery.exists_in_set import is_blind
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Aggregate, AggregateCall, Project, Ref, Relation
from sqljury.trees.properties import assumed_for_unique
from sqljury.trees.walk import expressions, map_expressions


@rule(RELATION, at={"Aggregate"}, assumes={Assumption.PRIMARY_KEY}, order=320)
def count_of_key(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT COUNT(DISTINCT t.id) FROM t JOIN c ON …`` → ``SELECT COUNT(t.id) FROM t WHERE
    EXISTS (SELECT 1 FROM c WHERE …)``.

    Assumes primary key where uniqueness comes from a declared key.
    """
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
