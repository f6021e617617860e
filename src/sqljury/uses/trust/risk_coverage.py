"""Risk and coverage of answering only where a confidence is high enough.

A case enters with its confidence and whether answering it is right; a case without a confidence
is never answered, but counts in the coverage. Cases of equal confidence are answered together.

Source: El-Yaniv & Wiener (2010), JMLR 11; Geifman & El-Yaniv (2017), arXiv:1705.08500; AURC:
Geifman, Uziel & El-Yaniv (2019), arXiv:1805.08206.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from sqljury.decision import Decision, ReplyKind


@dataclass(frozen=True, slots=True)
class CoveragePoint:
    """What answering from ``threshold`` on gives."""

    threshold: float
    answered: int
    wrong: int
    n: int
    """All cases, answered or not."""

    @property
    def coverage(self) -> float:
        """The share of cases that are answered."""
        return self.answered / self.n

    @property
    def risk(self) -> float:
        """The share of answers that are wrong."""
        return self.wrong / self.answered


@dataclass(frozen=True, slots=True)
class RiskCoverage:
    """The curve: a point for each distinct confidence, from the highest down."""

    points: tuple[CoveragePoint, ...]

    def accuracy_at(self, coverage: float) -> float | None:
        """1 - risk of the first point that covers so much; None where none does."""
        return next((1 - p.risk for p in self.points if p.coverage >= coverage), None)

    def coverage_at(self, risk: float) -> float:
        """The largest coverage whose risk is at most so high; 0 where there is none."""
        return max((p.coverage for p in self.points if p.risk <= risk), default=0.0)

    def thinned(self, most: int) -> tuple[CoveragePoint, ...]:
        """So many of the points at most, evenly, the first and the last among them."""
        last = len(self.points) - 1
        if last < most:
            return self.points
        return tuple(self.points[round(i * last / (most - 1))] for i in range(most))

    @property
    def aurc(self) -> float | None:
        """The mean risk of answering the surest case, the two surest, … all that have a confidence.

        Cases of equal confidence are taken in random order, in expectation. None without cases.
        """
        if not self.points:
            return None
        total, before, wrong_before = 0.0, 0, 0
        for point in self.points:
            share = (point.wrong - wrong_before) / (point.answered - before)
            ranks = range(before + 1, point.answered + 1)
            total += sum((wrong_before + share * (k - before)) / k for k in ranks)
            before, wrong_before = point.answered, point.wrong
        return total / before


def risk_coverage(decisions: Iterable[Decision]) -> RiskCoverage:
    """The curve of the answers; what was abstained from is in no point, but in ``n``.

    >>> decisions = [
    ...     Decision(
    ...         id=str(c), answerable=True, reply=ReplyKind.ANSWERED, correct=c > 1, confidence=c
    ...     )
    ...     for c in (1, 2, 3, 4)
    ... ]
    >>> curve = risk_coverage(decisions)
    >>> curve.accuracy_at(0.75), curve.coverage_at(0.3), curve.aurc
    (1.0, 1.0, 0.0625)
    """
    counted = [decision for decision in decisions if not decision.left_out]
    return curve_of(
        [
            (decision.confidence, decision.is_wrong)
            for decision in counted
            if decision.confidence is not None and decision.reply is ReplyKind.ANSWERED
        ],
        len(counted),
    )


def curve_of(cases: Sequence[tuple[float, bool]], n: int) -> RiskCoverage:
    """The curve of pairs of a confidence and whether the answer is wrong, among ``n`` cases."""
    points = []
    answered = wrong = 0
    ordered = sorted(cases, key=lambda case: -case[0])
    for threshold, group in groupby(ordered, key=lambda case: case[0]):
        flags = [is_wrong for _, is_wrong in group]
        answered, wrong = answered + len(flags), wrong + sum(flags)
        points.append(CoveragePoint(threshold, answered, wrong, n))
    return RiskCoverage(tuple(points))
