"""Selective risk under control: a threshold under which few *answers* are wrong, with confidence.

For K thresholds, the confidences at fixed ranks of the calibration set, the answers surer than the
threshold are, given their number m and the threshold, independent draws: with a true risk r the
number of wrong ones is binomial (m, r). A threshold is accepted where a binomial (m, α) is as small
as what was seen with a probability of at most δ/K. By the union bound, with a probability of at
least 1 - δ over calibration sets, no accepted threshold has a risk above α. Of the accepted ones
that which answers most is taken.

Source: Learn then Test, Angelopoulos, Bates, Candès, Jordan & Lei (2021), arXiv:2110.01052, with
Bonferroni; selection with guaranteed risk: Geifman & El-Yaniv (2017), arXiv:1705.08500.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, nextafter

from sqljury.decision import Decision, ReplyKind
from sqljury.errors import InputError

RANKS = 10
"""K: one threshold is tried for each tenth of the answers."""


def selective_threshold(decisions: Iterable[Decision], risk: float, delta: float = 0.1) -> float:
    """The lowest threshold among :data:`RANKS` whose share of wrong answers is controlled.

    Args:
        decisions: calibration decisions, drawn independently from what is to come.
        risk: α, the largest share of answers that may be wrong.
        delta: the probability with which a calibration set may mislead.

    Returns:
        Answer from this confidence on; ``inf`` where no threshold is accepted.

    Raises:
        InputError: SJ547: not shares.
    """
    if not (0 < risk < 1 and 0 < delta < 1):
        raise InputError("SJ547", f"a risk of {risk:g} at {delta:g} is not between 0 and 1.")
    answers = sorted(
        (
            (decision.confidence, decision.is_wrong)
            for decision in decisions
            if decision.reply is ReplyKind.ANSWERED
            and decision.confidence is not None
            and not decision.left_out
        ),
        reverse=True,
    )
    best = inf
    for below in _thresholds([sure for sure, _ in answers]):
        flags = [is_wrong for sure, is_wrong in answers if sure > below]
        if _p_value(sum(flags), len(flags), risk) <= delta / RANKS:
            best = min(best, below)
    # Strictly surer than the threshold.
    return nextafter(best, inf)


def _thresholds(sure: list[float]) -> set[float]:
    """The confidences at K ranks, the last below them all: answering everything."""
    n = len(sure)
    if not n:
        return set()
    inner = {sure[n * rank // RANKS] for rank in range(1, RANKS)}
    return inner | {-inf}


def _p_value(wrong: int, n: int, risk: float) -> float:
    """P(X ≤ wrong) for X binomial (n, risk): how likely so few are, were the risk that high."""
    from scipy.stats import binom

    return float(binom.cdf(wrong, n, risk)) if n else 1.0
