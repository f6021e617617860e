"""A relation as a selection: expressions over the rows of a base that satisfy conditions."""

from __future__ import annotations

from dataclasses import dataclass

from sqljury.equivalence.blocks.block import Block, flatten, rebuilt
from sqljury.trees.conditions import conjunction, filtered
from sqljury.trees.nodes import (
    Expression,
    Outer,
    Project,
    Ref,
    Relation,
    Subquery,
    SubqueryKind,
)
from sqljury.trees.volatile import has_volatile
from sqljury.trees.walk import columns_read, map_outer_references, map_references


@dataclass(frozen=True, slots=True)
class FilteredBase:
    """``base`` has no condition of its own but those of outer joins."""

    base: Relation
    conjuncts: tuple[Expression, ...]
    outputs: tuple[Expression, ...]

    def relation(self, condition: Expression) -> Relation:
        """The selection as a relation, under another condition."""
        return Project(filtered(self.base, condition), self.outputs)

    def where(self, *parts: Expression) -> Relation:
        """The selection as a relation, under other conditions."""
        return self.relation(conjunction(parts))


def selection(relation: Relation) -> FilteredBase | None:
    """What a relation selects; None where something in it is volatile."""
    if has_volatile(relation):
        return None
    flat = flatten(relation)
    base = rebuilt(Block(flat.block.inputs, flat.block.outer_joined, []))
    return FilteredBase(base, tuple(dict.fromkeys(flat.block.conjuncts)), flat.outputs)


def with_questions(chosen: FilteredBase) -> FilteredBase | None:
    """The same set of outputs, with EXISTS in place of what is joined but not put out.

    None where everything is put out, or where there are outer joins.
    """
    block = flatten(chosen.base).block
    owners = block.owners()
    shown = {owners[c] for e in chosen.outputs for c in columns_read(e)}
    if block.outer_joined or not shown or len(shown) == len(block.inputs):
        return None
    core = [part for i, part in enumerate(block.inputs) if i in shown]
    rest = [part for i, part in enumerate(block.inputs) if i not in shown]
    place = _places(owners, shown)

    def in_core(level: int, index: int) -> Expression:
        return Ref(place[index]) if level == 0 else Outer(level, index)

    def in_rest(level: int, index: int) -> Expression:
        if level > 0:
            return Outer(level + 1, index)
        return Outer(1, place[index]) if owners[index] in shown else Ref(place[index])

    own, asked = [], []
    for part in chosen.conjuncts:
        if all(owners[c] in shown for c in columns_read(part)):
            own.append(map_references(part, in_core))
        else:
            asked.append(map_references(part, in_rest))
    others = map_outer_references(
        rebuilt(Block(rest)), lambda level, index: Outer(level + 1, index)
    )
    question = Subquery(SubqueryKind.EXISTS, filtered(others, conjunction(asked)))
    outputs = tuple(map_references(e, in_core) for e in chosen.outputs)
    return FilteredBase(rebuilt(Block(core)), (*own, question), outputs)


def _places(owners: list[int], shown: set[int]) -> list[int]:
    """For each column its place among those that are put out, or among the others."""
    found: list[int] = []
    free = {True: 0, False: 0}
    for owner in owners:
        found.append(free[owner in shown])
        free[owner in shown] += 1
    return found
