"""What proofs are about, the prover as the algorithms see it, and z3 with a budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import thread_time
from typing import Protocol

import z3

from sqljury.equivalence.proof.values import Frame, Frames, Terms, Value
from sqljury.trees.context import Context
from sqljury.trees.nodes import Relation

# ---------------------------------------------------------------- solver
# z3 with a budget: questions about what follows from facts.


_WORK = 400_000
"""z3's own count of steps for one question: the answer does not depend on the machine."""
_MOST_QUESTIONS = 400
_LOADED = 10
"""z3's own limit is by the clock: so many times as long may a thread take on a loaded machine."""


class OutOfBudgetError(Exception):
    """Too many questions, or too much time."""


class Solver:
    """Answers until the budget is spent.

    Args:
        seconds: processor time, a limit that only a slow machine meets; a loaded one does not.
    """

    def __init__(self, seconds: float) -> None:
        self.until = thread_time() + seconds
        self.questions = 0
        self.answers: dict[tuple[int, ...], bool] = {}
        self.kept: list[z3.BoolRef] = []
        self.engine = z3.SimpleSolver()
        self.engine.set("rlimit", _WORK)

    def follows(self, facts: Sequence[z3.BoolRef], goal: z3.BoolRef) -> bool:
        """Whether a goal is true wherever all facts are; false also where z3 gives up.

        Raises:
            OutOfBudgetError: the budget is spent.
        """
        goal = z3.simplify(goal)
        if z3.is_true(goal):
            return True
        facts = [fact for fact in facts if not z3.is_true(fact)]
        key = (goal.get_id(), *sorted({fact.get_id() for fact in facts}))
        if key not in self.answers:
            self.kept += [goal, *facts]
            self.answers[key] = self._asked(facts, goal)
        return self.answers[key]

    def _asked(self, facts: Sequence[z3.BoolRef], goal: z3.BoolRef) -> bool:
        self.questions += 1
        left = self.until - thread_time()
        if self.questions > _MOST_QUESTIONS or left <= 0:
            raise OutOfBudgetError
        self.engine.push()
        try:
            self.engine.set("timeout", max(1, int(left * 1000 * _LOADED)))
            self.engine.add(*facts, z3.Not(goal))
            return bool(self.engine.check() == z3.unsat)
        except z3.Z3Exception:
            return False
        finally:
            self.engine.pop()


# ---------------------------------------------------------------- session
# What proofs are about: rows, what is known of them, and blocks whose inputs are paired; and the
# prover, as the algorithms see it.


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
