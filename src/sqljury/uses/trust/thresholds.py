"""Thresholds of confidence, chosen on validation decisions by a rule or with a guarantee."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import floor, inf, nextafter

from sqljury.decision import Decision, ReplyKind
from sqljury.errors import InputError
from sqljury.uses.trust.reliability import Penalty, reliability

DELTA = 0.1
"""δ of the rule ``risk_R``: its guarantee may fail with this probability."""


def chosen_thresholds(
    validation: Iterable[Decision], penalties: Sequence[Penalty], risks: Sequence[float]
) -> Iterator[tuple[str, float]]:
    """Name and threshold of each rule.

    ``phi_C`` maximises φ_C and ``heuristic`` is the paper's rule. ``harm_R`` bounds the share of
    questions that get a wrong answer (conformal), ``risk_R`` the share of answers that are wrong.
    """
    known = list(validation)
    for penalty in penalties:
        yield f"phi_{penalty.name}", best_threshold(known, penalty)
    yield "heuristic", heuristic_threshold(known)
    for risk in risks:
        yield f"harm_{risk:g}", conformal_threshold(known, risk)
        yield f"risk_{risk:g}", selective_threshold(known, risk, DELTA)


# ------------------------------------------------------------
# Conformal risk control: a threshold that keeps wrong answers rare, whatever the confidences mean.
# The loss of a question is 1 if it gets a wrong answer, else 0; abstaining costs nothing.
# Let λ be the lowest threshold with (n/(n + 1)) · mean loss + 1/(n + 1) ≤ α on n calibration
# questions. The next question, if it is exchangeable with them, gets a wrong answer with
# probability at most α: on average over calibration sets, and among all questions, answered
# or not.
# Source: Angelopoulos, Bates, Fisch, Lei & Schuster (2022), Conformal Risk Control,
# arXiv:2208.02814, theorem 1.


def conformal_threshold(decisions: Iterable[Decision], harm: float) -> float:
    """The lowest threshold that keeps the share of questions with a wrong answer at most ``harm``.

    Args:
        decisions: calibration decisions, exchangeable with those to come.
        harm: α, the largest share of questions that may get a wrong answer.

    Returns:
        Answers with at least this confidence are given; ``inf`` if there are too few decisions
        for a guarantee.

    Raises:
        InputError: SJ547: ``harm`` is not between 0 and 1.

    >>> from sqljury.decision import ReplyKind
    >>> rows = [Decision(id=str(c), answerable=True, reply=ReplyKind.ANSWERED, correct=c > 1,
    ...                  confidence=float(c)) for c in range(9)]
    >>> 1.0 < conformal_threshold(rows, 0.1) < 1.0001, conformal_threshold(rows, 0.05)
    (True, inf)
    """
    if not 0 < harm < 1:
        raise InputError("SJ547", f"a risk of {harm:g} is not between 0 and 1.")
    kept = [decision for decision in decisions if not decision.left_out]
    # The number of wrong answers that may have a confidence of at least λ.
    allowed = floor(harm * (len(kept) + 1) - 1 + 1e-12)
    if allowed < 0:
        return inf
    wrong = sorted(
        (d.confidence for d in kept if d.is_wrong and d.confidence is not None), reverse=True
    )
    if len(wrong) <= allowed:
        return -inf
    # Strictly above the confidence of the first wrong answer that is too many.
    return nextafter(wrong[allowed], inf)


# ------------------------------------------------------------
# Selective risk control: a threshold that keeps the share of wrong *answers* small, with high
# probability.
# K thresholds are tried: the confidences at fixed ranks of the calibration set. Given a threshold
# and the number m of answers above it, these answers are independent draws: with a true risk r the
# number of wrong ones is binomial (m, r). A threshold is accepted if a binomial (m, α) is at most
# the observed number with probability at most δ/K. By the union bound, with probability at least
# 1 - δ over calibration sets, no accepted threshold has a risk above α. The accepted threshold
# that answers most is returned.
# Source: Learn then Test, Angelopoulos, Bates, Candès, Jordan & Lei (2021), arXiv:2110.01052,
# with Bonferroni; selection with guaranteed risk: Geifman & El-Yaniv (2017),
# arXiv:1705.08500.

RANKS = 10
"""K, the number of thresholds tried: one per tenth of the answers."""


def selective_threshold(decisions: Iterable[Decision], risk: float, delta: float = 0.1) -> float:
    """The lowest of :data:`RANKS` thresholds that keeps the share of wrong answers at most
    ``risk``.

    Args:
        decisions: calibration decisions, drawn independently from the same source as those to
            come.
        risk: α, the largest share of answers that may be wrong.
        delta: δ, the probability with which the guarantee may fail.

    Returns:
        Answers with at least this confidence are given; ``inf`` if no threshold is accepted.

    Raises:
        InputError: SJ547: ``risk`` or ``delta`` is not between 0 and 1.
    """
    if not (0 < risk < 1 and 0 < delta < 1):
        raise InputError("SJ547", f"a risk of {risk:g} at {delta:g} is not between 0 and 1.")
    answers = sorted(
        (
            (sure, decision.is_wrong)
            for sure, decision in _confident(decisions)
            if not decision.left_out
        ),
        reverse=True,
    )
    from scipy.stats import binom

    # The confidences at K - 1 ranks, and -inf below, which answers everything.
    tried = {answers[len(answers) * rank // RANKS][0] for rank in range(1, RANKS) if answers}
    best = inf
    for below in {*tried, -inf} if answers else ():
        flags = [is_wrong for sure, is_wrong in answers if sure > below]
        # The probability of so few wrong answers if the risk were α.
        if (binom.cdf(sum(flags), len(flags), risk) if flags else 1.0) <= delta / RANKS:
            best = min(best, below)
    # Strictly above the tried confidence.
    return nextafter(best, inf)


# ------------------------------------------------------------
# Thresholds that maximise a score on validation decisions.
# An answer is given if its confidence is at least the threshold; without a confidence it is
# withheld.


def best_threshold(decisions: Iterable[Decision], penalty: Penalty) -> float:
    """The threshold that maximises φ_c of these decisions; the highest if several do.

    ``inf``, which answers nothing, is returned if no threshold scores more than abstaining.

    >>> rows = [Decision(id=str(c), answerable=True, reply=ReplyKind.ANSWERED, correct=c > 1,
    ...                  confidence=c) for c in (1, 2, 3)]
    >>> best_threshold(rows, Penalty(10)), best_threshold(rows, Penalty(0))
    (2, 2)
    """
    kept = [decision for decision in decisions if not decision.left_out]
    c = penalty.of(len(kept))
    gains = []
    for sure, decision in _confident(kept):
        withheld = replace(decision, reply=ReplyKind.ABSTAINED)
        gains.append((sure, reliability(decision, c) - reliability(withheld, c)))
    return _highest_sum(gains)


def heuristic_threshold(decisions: Iterable[Decision]) -> float:
    """The paper's threshold: it maximises right answers minus wrong ones.

    Only answerable questions count, and there is no penalty c.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), appendix F.
    """
    return _highest_sum(
        (sure, 1.0 if decision.is_right else -1.0)
        for sure, decision in _confident(decisions)
        if decision.answerable and not decision.left_out
    )


def withhold(decisions: Iterable[Decision], threshold: float) -> list[Decision]:
    """The decisions, with answers below the threshold or without a confidence made
    abstentions."""
    return [
        decision
        if decision.reply is not ReplyKind.ANSWERED
        or (decision.confidence is not None and decision.confidence >= threshold)
        else replace(decision, reply=ReplyKind.ABSTAINED)
        for decision in decisions
    ]


def _confident(decisions: Iterable[Decision]) -> Iterator[tuple[float, Decision]]:
    """Confidence and decision of each answer that has a confidence."""
    for decision in decisions:
        if decision.reply is ReplyKind.ANSWERED and decision.confidence is not None:
            yield decision.confidence, decision


def _highest_sum(gains: Iterable[tuple[float, float]]) -> float:
    """The confidence at or above which the gains have the largest sum; ``inf`` if none is above
    0."""
    ordered = sorted(gains, key=lambda one: -one[0])
    best, threshold, total = 0.0, inf, 0.0
    for confidence, group in groupby(ordered, key=lambda one: one[0]):
        # A threshold cannot separate cases of equal confidence.
        total += sum(gain for _, gain in group)
        if total > best:
            best, threshold = total, confidence
    return threshold
