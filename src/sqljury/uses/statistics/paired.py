"""Two judges on the same cases: is one right more often than the other?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

SIGNIFICANT = 0.05
"""A difference counts as more than chance below this p, adjusted for all tests of a table."""


@dataclass(slots=True)
class PairedCounts:
    """Questions answered twice, by which of the two answers is right; counted while they pass."""

    both: int = 0
    only_first: int = 0
    only_second: int = 0
    neither: int = 0

    @classmethod
    def of(cls, pairs: Iterable[tuple[bool, bool]]) -> PairedCounts:
        """The counts of all pairs.

        >>> PairedCounts.of([(True, False), (True, True), (True, False)])
        PairedCounts(both=1, only_first=2, only_second=0, neither=0)
        """
        counts = cls()
        for first, second in pairs:
            counts.add(first, second)
        return counts

    def add(self, first: bool, second: bool) -> None:
        """Count a question."""
        self.both += first and second
        self.only_first += first and not second
        self.only_second += second and not first
        self.neither += not (first or second)

    @property
    def n(self) -> int:
        """Questions."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def p(self) -> float:
        """Of McNemar's exact test, two-sided; 1 where no question tells the answers apart."""
        return mcnemar_exact(self.only_first, self.only_second)


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """The two-sided p of McNemar's exact test.

    Under the null hypothesis the cases that only one judge gets right are a fair coin's
    tosses: p = min(1, 2·P(X <= min(b, c))) with X binomial(b + c, 1/2).

    >>> round(mcnemar_exact(10, 2), 6)
    0.038574

    Args:
        only_first: cases that only the first judge gets right.
        only_second: cases that only the second one gets right.

    Source: McNemar (1947), Psychometrika 12(2); exact form: Dixon & Mood (1946), sign test.
    """
    from scipy.special import bdtr

    tail = bdtr(min(only_first, only_second), only_first + only_second, 0.5)
    return min(1.0, 2 * float(tail))


def mcnemar_chi2(only_first: int, only_second: int) -> float:
    """The p of McNemar's test by χ² with one degree of freedom and continuity correction.

    χ² = max(0, |b - c| - 1)² / (b + c); without a case that tells the judges apart p is 1.

    >>> round(mcnemar_chi2(10, 2), 6)
    0.043308

    Source: McNemar (1947); Edwards (1948), Psychometrika 13(3), for the correction.
    """
    from scipy.special import chdtrc

    cases = only_first + only_second
    if not cases:
        return 1.0
    return float(chdtrc(1, max(0, abs(only_first - only_second) - 1) ** 2 / cases))


def bonferroni(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values: min(1, m·p) for m tests.

    Source: Dunn (1961), Multiple comparisons among means, JASA 56.
    """
    return [min(1.0, len(p_values) * p) for p in p_values]


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values by Holm's step-down: never larger than Bonferroni's.

    The i-th smallest p (i from 0) is multiplied by m - i, capped at 1, and not allowed to fall
    below the one before it.

    Source: Holm (1979), A simple sequentially rejective multiple test procedure, SJS 6.
    """
    adjusted = [0.0] * len(p_values)
    floor = 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, index in enumerate(order):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = floor
    return adjusted
