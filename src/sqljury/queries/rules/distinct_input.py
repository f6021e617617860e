"""A join with DISTINCT rows, each column of which equals one of another input, is EXISTS."""

from __future__ import annotations

from sqljury.queries.rules.chain import BlockRule, Reading
from sqljury.queries.rules.conditions import conjunction
from sqljury.queries.rules.equal_columns import equal_columns, is_trivial
from sqljury.queries.rules.exists_input import ONE
from sqljury.queries.trees.context import Assumption, Context
from sqljury.queries.trees.nodes import (
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
from sqljury.queries.trees.volatile import has_volatile
from sqljury.queries.trees.walk import map_outer_references


def _apply(found: Reading, context: Context) -> frozenset[Assumption] | None:
    block = found.block
    if len(block.inputs) < 2:
        return None
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


DISTINCT_INPUT = BlockRule("distinct_input", _apply)
