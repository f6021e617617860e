"""Rows and facts of a proof, the prover's interface, and a z3 solver with a budget."""

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
# z3 with a budget: whether a goal follows from facts.


_WORK = 400_000
"""z3's resource limit for one question. It counts steps: results do not depend on the machine."""
_MOST_QUESTIONS = 400
_LOADED = 10
"""z3's timeout is wall-clock time: this many times the processor time left, for loaded machines."""


class OutOfBudgetError(Exception):
    """The solver has no questions or no processor time left."""


class Solver:
    """Answers questions by z3, and caches the answers, until a budget is spent.

    Args:
        seconds: limit in processor time. Only slow machines reach it before the count of questions.
    """

    def __init__(self, seconds: float) -> None:
        self.until = thread_time() + seconds
        self.questions = 0
        self.answers: dict[tuple[int, ...], bool] = {}
        self.kept: list[z3.BoolRef] = []
        self.engine = z3.SimpleSolver()
        self.engine.set("rlimit", _WORK)

    def follows(self, facts: Sequence[z3.BoolRef], goal: z3.BoolRef) -> bool:
        """True if z3 proves that a goal is true whenever all facts are; False also if it gives up.

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
# Rows of a proof, facts about them, blocks whose inputs are paired, and the prover's interface.


MOST_ORDERS = 6
"""Most orders of columns or keys that are tried."""

Columns = tuple[int | None, ...]
"""For each column of the right relation, the equal column of the left; None if there is none."""


@dataclass(frozen=True, slots=True)
class Instance:
    """A symbolic row of a relation that a block reads."""

    relation: Relation
    frame: Frame


@dataclass
class Session:
    """Facts and known rows of a query; ``above`` has those of the outer query."""

    above: Session | None = None
    facts: list[z3.BoolRef] = field(default_factory=list)
    instances: list[Instance] = field(default_factory=list)

    def all_facts(self) -> list[z3.BoolRef]:
        """The facts of this session and of those above."""
        return self.facts if self.above is None else self.above.all_facts() + self.facts

    def all_instances(self) -> list[Instance]:
        """The known rows of this session and of those above."""
        return self.instances if self.above is None else self.above.all_instances() + self.instances


@dataclass(frozen=True, slots=True)
class Matched:
    """Two blocks whose inputs are paired, with equivalent conditions."""

    session: Session
    left: Frames
    right: Frames
    choice: tuple[tuple[int, Columns], ...]
    """For each input of the right block, the paired input of the left and its equal columns."""


class ProofSession(Protocol):
    """The interface of the prover through which the algorithms call each other.

    It bounds the depth of the recursion and caches results.
    """

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
        """True if it is proved that two relations have the same rows, each as often."""

    def sets(
        self,
        left: Relation,
        right: Relation,
        session: Session,
        around: tuple[Frames, Frames] = ((), ()),
        *,
        loose: bool = False,
    ) -> bool:
        """True if it is proved that two relations have the same set of rows."""

    def columns(
        self, left: Relation, right: Relation, session: Session, around: tuple[Frames, Frames]
    ) -> Columns | None:
        """The equal columns of two relations with the same rows; None if that is not proved."""

    def same_value(self, a: Value, b: Value, session: Session, loose: bool = False) -> bool:
        """True if the session's facts imply that two values are the same."""

    def follows(self, session: Session, goal: z3.BoolRef) -> bool:
        """True if a goal follows from the session's facts and the relations between subqueries."""
