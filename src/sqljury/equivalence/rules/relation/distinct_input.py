"""A join with DISTINCT rows, each column of which equals one of another input, is EXISTS."""

from __future__ import annotations

from sqljury.equivalence.blocks.chain import Reading
from sqljury.equivalence.blocks.equal_columns import equal_columns, is_trivial
from sqljury.equivalence.rules.base import BLOCK, rule
from sqljury.equivalence.rules.subquery.exists_input import ONE
from sqljury.trees.conditions import conjunction
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Call,
    Distinct,
    Filter,
    Outer,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import map_outer_references


@rule(BLOCK, at={"several"}, order=50)
def distinct_input(found: Reading, context: Context) -> frozenset[Assumption] | None:
    """``FROM a JOIN (SELECT DISTINCT x FROM b) AS c ON a.x = c.x`` → ``FROM a WHERE EXISTS
    (SELECT 1 FROM b WHERE a.x = b.x)``."""
    block = found.block
    for position, relation in enumerate(block.inputs):
        if not isinstance(relation, Distinct) or has_volatile(relation):
            continue
        own = range(*block.offsets()[position : position + 2])
        outside = _outside(found, own, context)
        if len(outside) == len(own):
            _ask(found, position, relation.input, outside)
            return frozenset()
    return None


def _outside(found: Reading, own: range, context: Context) -> dict[int, int]:
    """For the columns of a relation equal ones of other inputs."""
    return {
        column: min(others)
        for members in equal_columns(found.block, context)
        if (others := [c for c in members if c not in own])
        for column in members.intersection(own)
    }


def _ask(found: Reading, position: int, rows: Relation, outside: dict[int, int]) -> None:
    """Put the question in place of the input."""
    block = found.block
    places = sorted(outside)
    equal = [Call("=", (Ref(i), Outer(1, outside[c]))) for i, c in enumerate(places)]
    inside = map_outer_references(rows, lambda level, index: Outer(level + 1, index))
    asked = Project(Filter(inside, conjunction(equal)), (ONE,))
    found.substitute([Ref(outside.get(c, c)) for c in range(block.offsets()[-1])])
    block.conjuncts = [part for part in block.conjuncts if not is_trivial(part)]
    block.conjuncts.append(Subquery(SubqueryKind.EXISTS, asked))
    inner = len(block.inputs)
    found.arrange(
        [i for i in range(inner) if i != position],
        [inner + i for i in range(len(block.outer_joined))],
    )
