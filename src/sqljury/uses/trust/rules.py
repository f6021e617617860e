"""Rules that choose a threshold on validation decisions, by name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sqljury.decision import Decision
from sqljury.uses.trust.conformal import conformal_threshold
from sqljury.uses.trust.penalty import Penalty
from sqljury.uses.trust.selective import selective_threshold
from sqljury.uses.trust.thresholds import best_threshold, heuristic_threshold

DELTA = 0.1
"""With so large a probability a calibration set may mislead the rule ``risk``."""


def chosen_thresholds(
    validation: Iterable[Decision], penalties: Sequence[Penalty], risks: Sequence[float]
) -> Iterator[tuple[str, float]]:
    """A name and a threshold for each rule.

    ``phi_C`` maximises φ_C, ``heuristic`` is the paper's; ``harm_R`` bounds the share of questions
    that get a wrong answer (conformal), ``risk_R`` the share of answers that are wrong.
    """
    known = list(validation)
    for penalty in penalties:
        yield f"phi_{penalty.name}", best_threshold(known, penalty)
    yield "heuristic", heuristic_threshold(known)
    for risk in risks:
        yield f"harm_{risk:g}", conformal_threshold(known, risk)
        yield f"risk_{risk:g}", selective_threshold(known, risk, DELTA)
