"""A relation as a selection: expressions over the rows of a base that satisfy conditions."""

from __future__ import annotations

from dataclasses import dataclass

from sqljury.queries.rules.block import Block, flatten, rebuilt
from sqljury.queries.rules.conditions import conjunction, filtered
from sqljury.queries.trees.nodes import Expression, Project, Relation
from sqljury.queries.trees.volatile import has_volatile


@dataclass(frozen=True, slots=True)
class Selection:
    """``base`` has no condition of its own but those of outer joins."""

    base: Relation
    conjuncts: tuple[Expression, ...]
    outputs: tuple[Expression, ...]

    def relation(self, condition: Expression) -> Relation:
        """The same with another condition."""
        return Project(filtered(self.base, condition), self.outputs)

    def where(self, *parts: Expression) -> Relation:
        """The same with other conditions."""
        return self.relation(conjunction(parts))


def selection(relation: Relation) -> Selection | None:
    """What a relation selects; None where something in it is volatile."""
    if has_volatile(relation):
        return None
    flat = flatten(relation)
    base = rebuilt(Block(flat.block.inputs, flat.block.outer_joined, []))
    return Selection(base, tuple(dict.fromkeys(flat.block.conjuncts)), flat.outputs)
