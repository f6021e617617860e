"""z3 with a budget: questions about what follows from facts."""

from __future__ import annotations

from collections.abc import Sequence
from time import thread_time

import z3

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
