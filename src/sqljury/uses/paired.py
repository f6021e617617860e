"""The same questions answered twice: what one gets right that the other misses, and by chance?"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from sqljury.uses.counted import counted_score
from sqljury.uses.statistics import Bootstrap, mcnemar_exact
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

    n: int = 0
    only_first: int = 0
    only_second: int = 0
    _differences: Counter[float] = field(default_factory=Counter)

    def add(self, first: Verdict, second: Verdict) -> None:
        """Count a question, unless either verdict says nothing of its prediction."""
        if first.outcome.left_out or second.outcome.left_out:
            return
        a, b = is_right(first), is_right(second)
        self.n += 1
        self.only_first += a and not b
        self.only_second += b and not a
        self._differences[_score(second) - _score(first)] += 1

    def result(self) -> PairedDifference:
        """The counts, with the interval of the difference by bootstrap over questions."""
        low, high = Bootstrap().mean(self._differences) or (None, None)
        total = sum(value * times for value, times in self._differences.items())
        return PairedDifference(
            n=self.n,
            only_first=self.only_first,
            only_second=self.only_second,
            difference=total / self.n if self.n else None,
            low=low,
            high=high,
            p=mcnemar_exact(self.only_first, self.only_second),
        )


def is_right(verdict: Verdict) -> bool:
    """Whether a verdict counts as a yes in a paired test."""
    return verdict.outcome is Outcome.CORRECT


def _score(verdict: Verdict) -> float:
    return counted_score(verdict.outcome, verdict.score) or 0.0
