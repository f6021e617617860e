"""Gates, which turn answers with low scores into abstentions, and risk-coverage curves.

A gate that scores the question alone is the paper's answerability detector, one that scores the
SQL its error detector; the paper's ``cls → sql → error`` is two gates.

Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 2 (equation 2) and section 4.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from sqljury.decision import Decision, ReplyKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One judge's scores of the questions, and the lowest score with which an answer passes."""

    name: str
    scores: Mapping[tuple[str, str], float | None]
    """By (benchmark, id); an empty benchmark matches any."""
    threshold: float = 0.5

    def score(self, decision: Decision) -> float | None:
        """The score of a decision's question; None if it has none."""
        found = self.scores.get(decision.key)
        return self.scores.get(("", decision.id)) if found is None else found


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStats:
    """Counts of the answers that reached a gate, by what it did with them."""

    name: str
    threshold: float
    reached: int
    held_back: int
    silent: int
    """Answers without a score from this gate; they pass."""


def apply_gates(
    decisions: Iterable[Decision], gates: Sequence[Gate]
) -> tuple[list[Decision], list[GateStats]]:
    """The decisions after all gates, and each gate's counts.

    An answer passes if every gate's score is at least the gate's threshold. Otherwise it becomes
    an abstention, which keeps its SQL.
    """
    listed = list(decisions)
    passages = []
    for gate in gates:
        listed, passage = _through_one(listed, gate)
        passages.append(passage)
    return listed, passages


def _through_one(decisions: list[Decision], gate: Gate) -> tuple[list[Decision], GateStats]:
    reached = silent = held_back = 0
    out = []
    for decision in decisions:
        score = gate.score(decision)
        if decision.reply is ReplyKind.ANSWERED:
            reached += 1
            silent += score is None
            if score is not None and score < gate.threshold:
                held_back += 1
                out.append(replace(decision, reply=ReplyKind.ABSTAINED))
                continue
        out.append(decision)
    passage = GateStats(
        name=gate.name,
        threshold=gate.threshold,
        reached=reached,
        held_back=held_back,
        silent=silent,
    )
    return out, passage


# ------------------------------------------------------------
# Risk and coverage of answering only the cases whose confidence is high enough.
# A case without a confidence is never answered but counts in the denominator of coverage. Cases
# of equal confidence are answered together.
# Source: El-Yaniv & Wiener (2010), JMLR 11; Geifman & El-Yaniv (2017), arXiv:1705.08500;
# AURC: Geifman, Uziel & El-Yaniv (2019), arXiv:1805.08206.


@dataclass(frozen=True, slots=True)
class CoveragePoint:
    """Counts of answers and wrong answers if confidences of at least ``threshold`` are
    answered."""

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
    """The risk-coverage curve: a point per distinct confidence, from the highest down."""

    points: tuple[CoveragePoint, ...]

    def accuracy_at(self, coverage: float) -> float | None:
        """1 - risk of the first point with at least this coverage; None if there is none."""
        return next((1 - p.risk for p in self.points if p.coverage >= coverage), None)

    def coverage_at(self, risk: float) -> float:
        """The largest coverage whose risk is at most ``risk``; 0 if there is none."""
        return max((p.coverage for p in self.points if p.risk <= risk), default=0.0)

    def thinned(self, most: int) -> tuple[CoveragePoint, ...]:
        """At most ``most`` points, evenly spaced, including the first and the last."""
        last = len(self.points) - 1
        if last < most:
            return self.points
        return tuple(self.points[round(i * last / (most - 1))] for i in range(most))

    @property
    def aurc(self) -> float | None:
        """Area under the curve: the mean risk of answering the k most confident cases, for all k.

        Cases of equal confidence count as their mean over all orders. None without cases.
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
    """The risk-coverage curve of the answers; abstentions count in ``n`` only.

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
    """The curve of answers, given as (confidence, is wrong), among ``n`` cases."""
    points = []
    answered = wrong = 0
    ordered = sorted(cases, key=lambda case: -case[0])
    for threshold, group in groupby(ordered, key=lambda case: case[0]):
        flags = [is_wrong for _, is_wrong in group]
        answered, wrong = answered + len(flags), wrong + sum(flags)
        points.append(CoveragePoint(threshold, answered, wrong, n))
    return RiskCoverage(tuple(points))
