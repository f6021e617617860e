"""Paired tests: is one of two systems right more often than the other on the same questions?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqljury.uses.statistics.intervals import Bootstrap

SIGNIFICANT = 0.05
"""A difference is significant if its p, adjusted for all tests of a table, is below this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paired:
    """Two systems, judges, strategies or runs compared on the same ``n`` questions.

    Scores and differences are fractions, not percent.
    """

    first: str
    second: str
    n: int
    both: int
    """Questions that both get right."""
    neither: int
    only_first: int
    only_second: int
    difference: float | None
    """The share that the first gets right minus the second's (for two runs: second minus first),
    with its bootstrap interval over questions; None without questions."""
    low: float | None
    high: float | None
    p: float | None
    """The p of McNemar's exact test, two-sided; None without questions."""
    p_bonferroni: float | None = None
    """``p`` adjusted for all tests of a table."""
    p_holm: float | None = None
    n_left_out: int = 0
    """Questions that both have but that cannot be compared."""

    @property
    def p_chi2(self) -> float:
        """The p of McNemar's χ² test."""
        return mcnemar_chi2(self.only_first, self.only_second)

    @property
    def significant(self) -> bool:
        """True if the difference is significant at 5 %, adjusted by Holm's method."""
        return self.p_holm is not None and self.p_holm < SIGNIFICANT

    def to_json(self, **names: str) -> dict[str, str | float | None]:
        """A JSON object with the fields in ``names`` (JSON key → field name)."""
        return {name: getattr(self, field) for name, field in names.items()}


@dataclass(slots=True)
class PairedCounts:
    """Counts of questions by which of two answers to them is right."""

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
        """Add a question: whether each answer is right."""
        self.both += first and second
        self.only_first += first and not second
        self.only_second += second and not first
        self.neither += not (first or second)

    @property
    def n(self) -> int:
        """The number of questions."""
        return self.both + self.only_first + self.only_second + self.neither

    @property
    def p(self) -> float:
        """The p of McNemar's exact test, two-sided; 1 if no question has exactly one right
        answer."""
        return mcnemar_exact(self.only_first, self.only_second)

    def named(
        self, first: str, second: str, n_left_out: int = 0, *, gained: bool = False
    ) -> Paired:
        """The test's result under these names.

        Args:
            gained: the difference is the second's share minus the first's, else the reverse.
        """
        sign = -1 if gained else 1
        same = self.both + self.neither
        found = Bootstrap().mean({sign: self.only_first, -sign: self.only_second, 0: same})
        low, high = found or (None, None)
        return Paired(
            first=first,
            second=second,
            n=self.n,
            both=self.both,
            neither=self.neither,
            only_first=self.only_first,
            only_second=self.only_second,
            difference=sign * (self.only_first - self.only_second) / self.n if self.n else None,
            low=low,
            high=high,
            p=self.p if self.n else None,
            n_left_out=n_left_out,
        )


def adjusted(pairs: Sequence[Paired]) -> list[Paired]:
    """The pairs with their p adjusted for the number of tests; unchanged if p is None."""
    known = [pair.p for pair in pairs if pair.p is not None]
    each = iter(zip(bonferroni(known), holm(known), strict=True))
    found = [(pair, (None, None) if pair.p is None else next(each)) for pair in pairs]
    return [replace(pair, p_bonferroni=b, p_holm=h) for pair, (b, h) in found]


def mcnemar_exact(only_first: int, only_second: int) -> float:
    """The two-sided p of McNemar's exact test.

    Under the null hypothesis each case that only one judge gets right is a toss of a fair coin:
    p = min(1, 2·P(X <= min(b, c))) with X binomial(b + c, 1/2).

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

    χ² = max(0, |b - c| - 1)² / (b + c); p is 1 if no case is right by one judge only.

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
