"""Thresholds found on validation decisions: from which confidence on a question is answered.

An answer passes where its confidence is at least the threshold; what has no confidence never does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from math import inf
from typing import NamedTuple

from sqljury.decision import Decision, ReplyKind
from sqljury.uses.trust.penalty import Penalty
from sqljury.uses.trust.reliability import reliability


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
    for decision in _confident(kept):
        withheld = replace(decision, reply=ReplyKind.ABSTAINED)
        gains.append((_sure(decision), reliability(decision, c) - reliability(withheld, c)))
    return _highest_sum(gains)


def heuristic_threshold(decisions: Iterable[Decision]) -> float:
    """The paper's threshold: where +1 for right and -1 for wrong answers stop adding up.

    Only answerable questions enter, the surest first, and no penalty.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), appendix F.
    """
    return _highest_sum(
        (_sure(decision), 1.0 if decision.is_right else -1.0)
        for decision in _confident(decisions)
        if decision.answerable and not decision.left_out
    )


def withhold(decisions: Iterable[Decision], threshold: float) -> list[Decision]:
    """The decisions of a system that abstains below a threshold, or without a confidence."""
    return [
        decision
        if decision.reply is not ReplyKind.ANSWERED or _passes(decision, threshold)
        else replace(decision, reply=ReplyKind.ABSTAINED)
        for decision in decisions
    ]


def _passes(decision: Decision, threshold: float) -> bool:
    return decision.confidence is not None and decision.confidence >= threshold


def _confident(decisions: Iterable[Decision]) -> list[Decision]:
    return [
        decision
        for decision in decisions
        if decision.reply is ReplyKind.ANSWERED and decision.confidence is not None
    ]


def _sure(decision: Decision) -> float:
    assert decision.confidence is not None
    return decision.confidence


class _Gain(NamedTuple):
    confidence: float
    gain: float


def _highest_sum(gains: Iterable[tuple[float, float]]) -> float:
    """The confidence down to which the gains, the surest first, add up to most."""
    ordered = sorted((_Gain(*one) for one in gains), key=lambda one: -one.confidence)
    best, threshold, total = 0.0, inf, 0.0
    for confidence, group in groupby(ordered, key=lambda one: one.confidence):
        # Cases of equal confidence pass together.
        total += sum(one.gain for one in group)
        if total > best:
            best, threshold = total, confidence
    return threshold
