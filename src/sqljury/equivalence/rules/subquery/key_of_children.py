"""The keys of rows that have children are what the children's foreign key points to.

``SELECT id FROM t WHERE id IN (SELECT t_id FROM c)`` is ``SELECT DISTINCT t_id FROM c`` without
NULLs: nothing but the key of ``t`` is read.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.chain import reading
from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.equivalence.rules.relation.foreign_key_join import foreign_key_join
from sqljury.equivalence.rules.subquery.exists_in_set import with_joins
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import Distinct, Filter, Project, Ref, Relation, Scan
from sqljury.trees.properties import assumed_for_unique

_MOST_QUESTIONS = 8


@rule(
    RELATION,
    at={"Project"},
    needs={"Subquery"},
    assumes={Assumption.PRIMARY_KEY, Assumption.FOREIGN_KEY},
    order=310,
)
def key_of_children(relation: Relation, context: Context) -> Rewritten | None:
    """``SELECT id FROM t WHERE id IN (SELECT t_id FROM c)`` → ``SELECT DISTINCT t_id FROM c
    WHERE t_id IS NOT NULL``.

    Assumes foreign key: every child has its row; and primary key: it has one.
    """
    match relation:
        case Project(input=Filter(input=Scan()), expressions=(Ref() as key,)):
            unique = assumed_for_unique(relation.input, (key.index,), context)
        case _:
            return None
    if unique is None or not context.may(Assumption.FOREIGN_KEY):
        return None
    joined = _all_joined(relation.input)
    found = reading(Project(joined, (key,), relation.names)) if joined is not None else None
    assumed = foreign_key_join(found, context) if found is not None else None
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
