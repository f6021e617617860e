"""The same questions answered twice: what one gets right that the other misses, and by chance?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sqljury.uses.counted import counted_score
from sqljury.uses.statistics import Bootstrap, PairedCounts
from sqljury.verdict import Outcome, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """Two sets of verdicts on the same questions. Fractions, not percent."""

    n: int
    """Questions that count in both."""
    only_first: int
    only_second: int
    difference: float | None
    """The second's mean score minus the first's; None for n = 0."""
    low: float | None
    high: float | None
    p: float
    """McNemar's exact test, two-sided."""


@dataclass(slots=True)
class PairCounter:
    """Counts pairs of verdicts while they pass."""

    _counts: PairedCounts = field(default_factory=PairedCounts)
    _differences: Counter[float] = field(default_factory=Counter)

    def add(self, first: Verdict, second: Verdict) -> None:
        """Count a question, unless either verdict says nothing of its prediction."""
        if first.outcome.left_out or second.outcome.left_out:
            return
        self._counts.add(is_right(first), is_right(second))
        self._differences[_score(second) - _score(first)] += 1

    def result(self) -> PairedDifference:
        """The counts, with the interval of the difference by bootstrap over questions."""
        low, high = Bootstrap().mean(self._differences) or (None, None)
        total = sum(value * times for value, times in self._differences.items())
        counts = self._counts
        return PairedDifference(
            n=counts.n,
            only_first=counts.only_first,
            only_second=counts.only_second,
            difference=total / counts.n if counts.n else None,
            low=low,
            high=high,
            p=counts.p,
        )


def is_right(verdict: Verdict) -> bool:
    """Whether a verdict counts as a yes in a paired test."""
    return verdict.outcome is Outcome.CORRECT


def _score(verdict: Verdict) -> float:
    return counted_score(verdict.outcome, verdict.score) or 0.0
