"""Confidence intervals: in closed form, and by drawing the cases again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

from sqljury.uses.statistics.association import ScoreTable, associations
from sqljury.uses.statistics.confusion import COUNT_STATISTICS, Confusion

if TYPE_CHECKING:
    from sqljury.uses.statistics.association import Floats

Interval = tuple[float, float]


def wilson_interval(successes: int, n: int, confidence: float = 0.95) -> Interval | None:
    """Wilson's score interval of a share; None for n = 0.

    (p + z²/2n ± z·sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n).

    >>> low, high = wilson_interval(80, 100)
    >>> f"{low:.4f} {high:.4f}"
    '0.7112 0.8666'

    Source: Wilson (1927), Probable inference, JASA 22; Brown, Cai & DasGupta (2001).
    """
    if n == 0:
        return None
    z = _quantile(confidence)
    p = successes / n
    middle = p + z * z / (2 * n)
    half = z * sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2)
    scale = 1 + z * z / n
    # At the ends the bound is the end itself, which rounding would miss.
    low = 0.0 if successes == 0 else (middle - half) / scale
    high = 1.0 if successes == n else (middle + half) / scale
    return low, high


def mean_interval(
    mean: float, variance: float | None, n: int, confidence: float = 0.95
) -> Interval | None:
    """The normal interval of a mean of scores in [0, 1]: mean ± z·sqrt(variance / n), clipped.

    Args:
        variance: the sample variance (divisor n - 1); None for n < 2, and then so is the result.
    """
    if variance is None:
        return None
    half = _quantile(confidence) * sqrt(variance / n)
    return max(0.0, mean - half), min(1.0, mean + half)


def _quantile(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)


# ------------------------------------------------------------
# Percentile bootstrap: how far a statistic moves when the cases are drawn again.
# Cases with the same label and the same score are interchangeable, so drawing n cases with
# replacement is one multinomial draw of their counts; all resamples are computed as arrays.
# Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 13.

Intervals = dict[str, Interval | None]

_CELLS_AT_ONCE = 1_000_000
"""Bounds the memory of one stack of resampled tables."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """How intervals are drawn. Resamples in which a statistic is undefined do not count in its.

    >>> low, high = Bootstrap().confusion(Confusion(tp=40, fp=5, fn=10, tn=45))["accuracy"]
    >>> low < 0.85 < high
    True
    """

    resamples: int = 1000
    seed: int = 0
    confidence: float = 0.95

    def confusion(self, confusion: Confusion) -> Intervals:
        """An interval for each of :data:`COUNT_STATISTICS`; None where it is undefined."""
        import numpy as np

        tp, fp, fn, tn = confusion.counts
        draws: dict[str, list[Any]] = defaultdict(list)
        # The cells in the order of a ScoreTable's: MCC and the correlations of a yes or no are
        # one number, and so get one interval.
        for counts in self._resampled(np.array([tn, fp, fn, tp], dtype=float)):
            tn, fp, fn, tp = counts.T
            for name, ratio in COUNT_STATISTICS.items():
                up, down = ratio(tp, fp, fn, tn)
                undefined = np.full_like(down, np.nan)
                draws[name].append(np.divide(up, down, out=undefined, where=down > 0))
        return self._intervals(confusion.statistics(), draws)

    def association(self, table: ScoreTable) -> Intervals:
        """An interval for each of :data:`ASSOCIATION_STATISTICS`; None where it is undefined."""
        import numpy as np

        draws: dict[str, list[Any]] = defaultdict(list)
        for counts in self._resampled(np.concatenate([table.no, table.yes])):
            no, yes = np.split(counts, 2, axis=1)
            for name, values in associations(ScoreTable(table.scores, no, yes)).items():
                draws[name].append(values)
        return self._intervals(table.statistics(), draws)

    def mean(self, counts: Mapping[float, int]) -> Interval | None:
        """The interval of a mean of scores, given how often each occurs; None without any."""
        import numpy as np

        scores = np.array(sorted(counts), dtype=float)
        numbers = np.array([counts[score] for score in sorted(counts)], dtype=float)
        if not numbers.sum():
            return None
        stacks = self._resampled(numbers)
        return self._percentiles([stack @ scores / numbers.sum() for stack in stacks])

    def _resampled(self, counts: Floats) -> Iterator[Floats]:
        """Stacks of tables, each with as many cases as ``counts``, drawn from its cells."""
        import numpy as np

        n = int(counts.sum())
        if n == 0:
            return
        # A fresh generator for every table: the interval of one judge does not depend on which
        # others are compared with it.
        generator = np.random.default_rng(self.seed)
        filled = np.flatnonzero(counts)
        at_once = max(1, _CELLS_AT_ONCE // len(counts))
        for start in range(0, self.resamples, at_once):
            size = min(at_once, self.resamples - start)
            stack = np.zeros((size, len(counts)))
            stack[:, filled] = generator.multinomial(n, counts[filled] / n, size=size)
            yield stack

    def _intervals(
        self, observed: Mapping[str, float | None], draws: Mapping[str, list[Any]]
    ) -> Intervals:
        return {
            name: None if value is None else self._percentiles(draws[name])
            for name, value in observed.items()
        }

    def _percentiles(self, stacks: list[Any]) -> Interval | None:
        import numpy as np

        values = np.concatenate(stacks)
        defined = values[~np.isnan(values)]
        if not len(defined):
            return None
        tail = (1 - self.confidence) / 2
        low, high = np.quantile(defined, [tail, 1 - tail])
        return float(low), float(high)
