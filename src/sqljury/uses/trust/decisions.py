"""Gates that hold answers back, and risk against coverage of the answers that are left.

A gate that knows the question only is the paper's answerability detector, one that sees the SQL
its error detector; ``cls → sql → error`` is two gates.

Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), section 2 (equation 2) and section 4.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from sqljury.decision import Decision, ReplyKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """What one judge said of each question, and from which score on an answer passes."""

    name: str
    scores: Mapping[tuple[str, str], float | None]
    """By (benchmark, id); an empty benchmark stands for any."""
    threshold: float = 0.5

    def score(self, decision: Decision) -> float | None:
        """What was said of a question; None: nothing."""
        found = self.scores.get(decision.key)
        return self.scores.get(("", decision.id)) if found is None else found


@dataclass(frozen=True, slots=True, kw_only=True)
class GateStats:
    """How a gate dealt with the answers that reached it."""

    name: str
    threshold: float
    reached: int
    held_back: int
    silent: int
    """Answers of which the gate said nothing: they pass."""


def apply_gates(
    decisions: Iterable[Decision], gates: Sequence[Gate]
) -> tuple[list[Decision], list[GateStats]]:
    """The decisions of the pipeline, and what each gate held back.

    An answer passes where every gate's score reaches its threshold. What is held back is an
    abstention from then on, its SQL is remembered as withheld.
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
# Risk and coverage of answering only where a confidence is high enough.
# A case enters with its confidence and whether answering it is right; a case without a
# confidence is never answered, but counts in the coverage. Cases of equal confidence are
# answered together.
# Source: El-Yaniv & Wiener (2010), JMLR 11; Geifman & El-Yaniv (2017), arXiv:1705.08500;
# AURC: Geifman, Uziel & El-Yaniv (2019), arXiv:1805.08206.


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
