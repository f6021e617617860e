"""Thresholds chosen on validation decisions: by rule, or with a guarantee."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from math import floor, inf, nextafter

from sqljury.decision import Decision, ReplyKind
from sqljury.errors import InputError
from sqljury.uses.trust.reliability import Penalty, reliability

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


# ------------------------------------------------------------
# Conformal risk control: a threshold under which wrong answers stay rare, whatever the
# confidence.
# The loss of a question is 1 where it gets a wrong answer, else 0; abstaining costs nothing.
# Let λ be the lowest threshold with (n/(n + 1)) · mean loss + 1/(n + 1) ≤ α on n calibration
# questions. The next question, if it is exchangeable with them, gets a wrong answer with a
# probability of at most α: in the mean over calibration sets, among all questions, answered
# or not.
# Source: Angelopoulos, Bates, Fisch, Lei & Schuster (2022), Conformal Risk Control,
# arXiv:2208.02814, theorem 1.


def conformal_threshold(decisions: Iterable[Decision], harm: float) -> float:
    """The lowest threshold whose share of wrong answers among all questions is controlled.

    Args:
        decisions: calibration decisions, as exchangeable with those to come as can be had.
        harm: α, the largest share of questions that may get a wrong answer.

    Returns:
        Answer from this confidence on; ``inf`` where so few decisions guarantee nothing.

    Raises:
        InputError: SJ547: not a share.

    >>> from sqljury.decision import ReplyKind
    >>> rows = [Decision(id=str(c), answerable=True, reply=ReplyKind.ANSWERED, correct=c > 1,
    ...                  confidence=float(c)) for c in range(9)]
    >>> 1.0 < conformal_threshold(rows, 0.1) < 1.0001, conformal_threshold(rows, 0.05)
    (True, inf)
    """
    if not 0 < harm < 1:
        raise InputError("SJ547", f"a risk of {harm:g} is not between 0 and 1.")
    kept = [decision for decision in decisions if not decision.left_out]
    # The mean loss above λ counts the wrong answers surer than λ: so many may be.
    allowed = floor(harm * (len(kept) + 1) - 1 + 1e-12)
    if allowed < 0:
        return inf
    wrong = sorted(
        (d.confidence for d in kept if d.is_wrong and d.confidence is not None), reverse=True
    )
    if len(wrong) <= allowed:
        return -inf
    # Strictly surer than the first wrong answer too many.
    return nextafter(wrong[allowed], inf)


# ------------------------------------------------------------
# Selective risk under control: a threshold under which few *answers* are wrong, with
# confidence.
# For K thresholds, the confidences at fixed ranks of the calibration set, the answers surer
# than the threshold are, given their number m and the threshold, independent draws: with a
# true risk r the number of wrong ones is binomial (m, r). A threshold is accepted where a
# binomial (m, α) is as small as what was seen with a probability of at most δ/K. By the union
# bound, with a probability of at least 1 - δ over calibration sets, no accepted threshold has
# a risk above α. Of the accepted ones that which answers most is taken.
# Source: Learn then Test, Angelopoulos, Bates, Candès, Jordan & Lei (2021), arXiv:2110.01052,
# with Bonferroni; selection with guaranteed risk: Geifman & El-Yaniv (2017),
# arXiv:1705.08500.

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
            (sure, decision.is_wrong)
            for sure, decision in _confident(decisions)
            if not decision.left_out
        ),
        reverse=True,
    )
    from scipy.stats import binom

    # The confidences at K ranks, the last below them all: answering everything.
    tried = {answers[len(answers) * rank // RANKS][0] for rank in range(1, RANKS) if answers}
    best = inf
    for below in {*tried, -inf} if answers else ():
        flags = [is_wrong for sure, is_wrong in answers if sure > below]
        # How likely so few are wrong, were the risk that high.
        if (binom.cdf(sum(flags), len(flags), risk) if flags else 1.0) <= delta / RANKS:
            best = min(best, below)
    # Strictly surer than the threshold.
    return nextafter(best, inf)


# ------------------------------------------------------------
# Thresholds found on validation decisions: from which confidence on a question is answered.
# An answer passes where its confidence is at least the threshold; what has no confidence
# never does.


def best_threshold(decisions: Iterable[Decision], penalty: Penalty) -> float:
    """The threshold that maximises φ_c of these decisions; the highest of several.

    ``inf``, which answers nothing, is one of them: where answering earns nothing, it is found.

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
    """The paper's threshold: where +1 for right and -1 for wrong answers stop adding up.

    Only answerable questions enter, the surest first, and no penalty.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), appendix F.
    """
    return _highest_sum(
        (sure, 1.0 if decision.is_right else -1.0)
        for sure, decision in _confident(decisions)
        if decision.answerable and not decision.left_out
    )


def withhold(decisions: Iterable[Decision], threshold: float) -> list[Decision]:
    """The decisions of a system that abstains below a threshold, or without a confidence."""
    return [
        decision
        if decision.reply is not ReplyKind.ANSWERED
        or (decision.confidence is not None and decision.confidence >= threshold)
        else replace(decision, reply=ReplyKind.ABSTAINED)
        for decision in decisions
    ]


def _confident(decisions: Iterable[Decision]) -> Iterator[tuple[float, Decision]]:
    """The answers that have a confidence, with it."""
    for decision in decisions:
        if decision.reply is ReplyKind.ANSWERED and decision.confidence is not None:
            yield decision.confidence, decision


def _highest_sum(gains: Iterable[tuple[float, float]]) -> float:
    """The confidence down to which the gains, the surest first, add up to most."""
    ordered = sorted(gains, key=lambda one: -one[0])
    best, threshold, total = 0.0, inf, 0.0
    for confidence, group in groupby(ordered, key=lambda one: one[0]):
        # Cases of equal confidence pass together.
        total += sum(gain for _, gain in group)
        if total > best:
            best, threshold = total, confidence
    return threshold
