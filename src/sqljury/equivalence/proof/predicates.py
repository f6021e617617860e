"""What follows from a condition, for every row that there may be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqljury.trees.nodes import FALSE, Expression

if TYPE_CHECKING:
    from sqljury.equivalence.rules.base import Scope


def implies(given: Expression, goal: Expression, scope: Scope, *, seconds: float = 2.0) -> bool:
    """Whether a condition is true of every row of which another is true.

    NULL is as SQL has it: a condition that is unknown is not true. False also means that it is not
    known; the same conditions get the same answer on every machine that is not very slow.

    Args:
        given: a condition; where it is not true, nothing is asked.
        goal: the other condition.
        scope: the row that both see, the rows around it, what may be assumed of them.
        seconds: most processor time.

    Raises:
        ImportError: z3 is not installed (see :func:`sqljury.equivalence.proof.is_available`).

    Source: Zhou et al. 2022 (SPES), section 5.2: predicates of three values to an SMT solver.
    """
    from sqljury.equivalence.proof.blocks import TooLargeError
    from sqljury.equivalence.proof.prover import BudgetedProver
    from sqljury.equivalence.proof.session import Session
    from sqljury.equivalence.proof.solver import OutOfBudgetError
    from sqljury.equivalence.proof.values import Frame

    prover, session = BudgetedProver(scope.context, seconds), Session()
    frames = []
    for row in (scope.row, *scope.outer):
        made = [prover.terms.column(field) for field in row]
        session.facts += [fact for _, known in made for fact in known]
        frames.append(Frame(row, tuple(value for value, _ in made)))
    around = tuple(frames)
    try:
        session.facts.append(prover.terms.truth(given, around).true)
        return prover.follows(session, prover.terms.truth(goal, around).true)
    except (OutOfBudgetError, TooLargeError, RecursionError):
        return False


def unsatisfiable(condition: Expression, scope: Scope, *, seconds: float = 2.0) -> bool:
    """Whether no row satisfies a condition; as :func:`implies` in all else."""
    return implies(condition, FALSE, scope, seconds=seconds)
