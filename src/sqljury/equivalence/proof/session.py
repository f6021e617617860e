"""What proofs are about: rows, what is known of them, and blocks whose inputs are paired; and the
prover, as the algorithms see it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import z3

from sqljury.equivalence.proof.values import Frame, Frames, Terms, Value
from sqljury.trees.context import Context
from sqljury.trees.nodes import Relation

MOST_ORDERS = 6
"""Orders of columns and keys that are tried."""

Columns = tuple[int | None, ...]
"""For each column of the right relation, the equal one of the left."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A row of a relation that a block reads."""

    relation: Relation
    frame: Frame


@dataclass
class Session:
    """What is known of the rows at hand and around."""

    above: Session | None = None
    facts: list[z3.BoolRef] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)

    def all_facts(self) -> list[z3.BoolRef]:
        """The facts here and around."""
        return self.facts if self.above is None else self.above.all_facts() + self.facts

    def all_instances(self) -> list[Instance]:
        """The rows here and around."""
        return self.instances if self.above is None else self.above.all_instances() + self.instances


@dataclass(frozen=True, slots=True)
class Matched:
    """Two blocks whose inputs are paired, with equivalent conditions."""

    session: Session
    left: Frames
    right: Frames
    choice: tuple[tuple[int, Columns], ...]
    """For each input of the right block, that of the left and its columns."""


class ProofSession(Protocol):
    """Whom the algorithms ask where they need each other: depth is bounded, answers are kept."""

    context: Context
    terms: Terms
    depth: int

    def bags(
        self,
        left: Relation,
        right: Relation,
        session: Session,
        around: tuple[Frames, Frames] = ((), ()),
        *,
        loose: bool = False,
    ) -> bool:
        """Whether two relations have the same rows, each as often."""

    def sets(
        self,
        left: Relation,
        right: Relation,
        session: Session,
        around: tuple[Frames, Frames] = ((), ()),
        *,
        loose: bool = False,
    ) -> bool:
        """Whether two relations have the same rows, however often."""

    def columns(
        self, left: Relation, right: Relation, session: Session, around: tuple[Frames, Frames]
    ) -> Columns | None:
        """Which columns are equal if two relations have the same rows; None if they do not."""

    def same_value(self, a: Value, b: Value, session: Session, loose: bool = False) -> bool:
        """Whether two values are the same wherever the session's facts hold."""

    def follows(self, session: Session, goal: z3.BoolRef) -> bool:
        """Whether a goal follows from the facts, and from what subqueries have in common."""
