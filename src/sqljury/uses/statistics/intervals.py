"""Confidence intervals of means and shares: closed forms, bootstrap, estimates from few labels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, pvariance, variance
from typing import TYPE_CHECKING, Any

from sqljury.uses.statistics.agreement import COUNT_STATISTICS, Confusion, ScoreTable, associations

if TYPE_CHECKING:
    from sqljury.uses.statistics.agreement import Floats


_BITS = 1074
"""Every finite float is an integer multiple of 2**-1074."""


class Tally:
    """Count, sum and sum of squares of scores, kept exactly as integers.

    Unlike float sums, they do not depend on the order in which workers finish. Memory does not
    grow with the number of scores.

    >>> tally = Tally()
    >>> for score in (0.1, 0.2, 0.3):
    ...     tally.add(score)
    >>> tally.mean
    0.2
    """

    __slots__ = ("_ones", "_parts", "_squares", "n")

    def __init__(self) -> None:
        self.n = 0
        self._ones = 0
        """Most scores are 0 or 1: counting those is exact without long integers."""
        self._parts = 0
        self._squares = 0

    def add(self, value: float) -> None:
        """Add one finite value."""
        self.n += 1
        if not value:
            return
        if value == 1:
            self._ones += 1
            return
        numerator, denominator = value.as_integer_ratio()
        scaled = numerator << (_BITS + 1 - denominator.bit_length())
        self._parts += scaled
        self._squares += scaled * scaled

    @property
    def _sum(self) -> int:
        return self._parts + (self._ones << _BITS)

    @property
    def sum(self) -> float:
        """The sum, correctly rounded."""
        return self._sum / (1 << _BITS)

    @property
    def mean(self) -> float | None:
        """The mean, correctly rounded; None for n = 0."""
        return self.mean_over(self.n)

    def mean_over(self, n: int) -> float | None:
        """The mean over ``n`` values, of which those not added are zeros; None for n = 0."""
        return self._sum / (n << _BITS) if n else None

    @property
    def variance(self) -> float | None:
        """The sample variance (divisor n - 1), correctly rounded; None for n < 2."""
        if self.n < 2:
            return None
        squares = self._squares + (self._ones << 2 * _BITS)
        spread = self.n * squares - self._sum * self._sum
        return spread / (self.n * (self.n - 1) << 2 * _BITS)


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
    # For a share of 0 or 1 one bound is exactly 0 or 1; rounding would miss it.
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
# Percentile bootstrap: the spread of a statistic over resampled cases.
# Cases with the same label and the same score are interchangeable, so drawing n cases with
# replacement is one multinomial draw of their counts; all resamples are computed as arrays.
# Source: Efron & Tibshirani (1993), An Introduction to the Bootstrap, ch. 13.

Intervals = dict[str, Interval | None]
_CELLS_AT_ONCE = 1_000_000
"""Bounds the memory of one stack of resampled tables."""


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Percentile bootstrap intervals. A statistic's interval ignores resamples without a value.

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
        # The cells are in the order of a ScoreTable: for yes/no answers MCC equals the
        # correlations, and with the same draws their intervals are equal too.
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
        """The interval of a mean of scores, given each score's count; None without scores."""
        import numpy as np

        scores = np.array(sorted(counts), dtype=float)
        numbers = np.array([counts[score] for score in sorted(counts)], dtype=float)
        if not numbers.sum():
            return None
        stacks = self._resampled(numbers)
        return self._percentiles([stack @ scores / numbers.sum() for stack in stacks])

    def _resampled(self, counts: Floats) -> Iterator[Floats]:
        """Yields arrays of resampled tables, one table a row, each with as many cases as
        ``counts``."""
        import numpy as np

        n = int(counts.sum())
        if n == 0:
            return
        # A new generator for every table: one judge's interval must not depend on which other
        # judges are compared with it.
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


# ------------------------------------------------------------
# The accuracy of a system, estimated from an imperfect judge and a few human labels.


@dataclass(frozen=True, slots=True)
class Corrected:
    """An estimate with its interval, in [0, 1]."""

    value: float
    low: float
    high: float


def prediction_powered(
    labels: Sequence[bool],
    scores: Sequence[float],
    all_scores: Sequence[float],
    weights: Sequence[float] | None = None,
    confidence: float = 0.95,
) -> Corrected:
    """The share of yes among all cases, estimated from all scores and a few human labels.

    λ · mean(all scores) + mean(label - λ · score), with the λ in [0, 1] of least variance. Scores
    that do not predict the labels get λ = 0, and the interval is that of the labels alone.

    Args:
        labels: human labels of some of the cases.
        scores: the judge's scores of the same cases.
        all_scores: the judge's scores of all cases.
        weights: per labelled case, 1 / the probability with which it was chosen for labelling;
            None if these probabilities are equal.

    Source: Angelopoulos, Duchi & Zrnic 2023, PPI++ (arXiv:2311.01453), as their ``ppi_py`` has it.
    """
    n, total = len(labels), len(all_scores)
    scale = n / sum(weights) if weights is not None else 1.0
    weight = [one * scale for one in weights] if weights is not None else [1.0] * n
    said = [w * y for w, y in zip(weight, labels, strict=True)]
    judged = [w * f for w, f in zip(weight, scores, strict=True)]
    power = _power(weight, said, judged, all_scores)
    rest = [y - power * f for y, f in zip(said, judged, strict=True)]
    value = power * fmean(all_scores) + fmean(rest)
    half = _z(confidence) * sqrt(power**2 * pvariance(all_scores) / total + pvariance(rest) / n)
    return _within(value, half)


def _power(
    weight: Sequence[float],
    said: Sequence[float],
    judged: Sequence[float],
    all_scores: Sequence[float],
) -> float:
    """λ, the weight of the scores in the estimate, in [0, 1]."""
    middle = fmean(all_scores) + fmean(y - f for y, f in zip(said, judged, strict=True))
    truth = [y - w * middle for w, y in zip(weight, said, strict=True)]
    guess = [f - w * middle for w, f in zip(weight, judged, strict=True)]
    spread = variance([*guess, *(one - middle for one in all_scores)])
    if not spread:
        return 0.0
    means = fmean(truth), fmean(guess)
    together = fmean((a - means[0]) * (b - means[1]) for a, b in zip(truth, guess, strict=True))
    return min(1.0, max(0.0, together / (spread * (1 + len(said) / len(all_scores)))))


def rogan_gladen(
    yes: int, n: int, yes_of_right: int, right: int, yes_of_wrong: int, wrong: int,
    confidence: float = 0.95,
) -> Corrected | None:  # fmt: skip
    """The share of right cases among n, estimated from a judge's yes answers and its error rates.
    None if the judge does not say yes to right cases more often than to wrong ones.

    (p + specificity - 1) / (sensitivity + specificity - 1). Pseudo-counts keep rates from few
    labels off exactly 0 and 1.

    Args:
        yes: cases of the n to which the judge says yes.
        yes_of_right: of the ``right`` labelled cases that are right, how many got a yes.
        yes_of_wrong: of the ``wrong`` labelled cases that are wrong, how many got a yes.

    Source: Rogan & Gladen (1978); the interval is Lang & Reiczigel's (2014).
    """
    z = _z(confidence)
    size, among_right, among_wrong = n + z * z, right + 2, wrong + 2
    share = (yes + z * z / 2) / size
    hits, rejects = (yes_of_right + 1) / among_right, (wrong - yes_of_wrong + 1) / among_wrong
    informed = hits + rejects - 1
    if informed <= 0:
        return None
    found = min(1.0, max(0.0, (share + rejects - 1) / informed))
    of_hits = hits * (1 - hits) / among_right
    of_rejects = rejects * (1 - rejects) / among_wrong
    shift = 2 * z * z * (found * of_hits - (1 - found) * of_rejects)
    spread = share * (1 - share) / size + found**2 * of_hits + (1 - found) ** 2 * of_rejects
    interval = _within(found + shift, z * sqrt(spread) / informed)
    return Corrected(found, interval.low, interval.high)


def _within(value: float, half: float) -> Corrected:
    low, high = max(0.0, value - half), min(1.0, value + half)
    return Corrected(min(1.0, max(0.0, value)), min(low, 1.0), max(high, 0.0))


def _z(confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2)


def weighted_kappa(
    rows: Sequence[tuple[bool, bool, float]], *, resamples: int = 1000, seed: int = 0
) -> tuple[float | None, Interval | None]:
    """Cohen's κ of weighted (label, answer, weight) rows, with its 95 % percentile bootstrap.

    With the reciprocal of a row's probability of having been drawn as its weight, κ is that of all
    rows there are (Horvitz and Thompson 1952). None where it is undefined.

    >>> weighted_kappa([(True, True, 1.0), (False, False, 1.0), (True, False, 2.0)])[0]
    0.2
    """
    import numpy as np

    if not rows:
        return None, None
    # A column per cell of the 2x2 table: tn, fp, fn, tp.
    cells = np.zeros((len(rows), 4))
    for i, (label, answer, weight) in enumerate(rows):
        cells[i, 2 * label + answer] = weight

    def ratio(sums: Any) -> Any:
        tn, fp, fn, tp = sums.T
        up, down = COUNT_STATISTICS["kappa"](tp, fp, fn, tn)
        undefined = np.full_like(np.asarray(down, dtype=float), np.nan)
        return np.divide(up, down, out=undefined, where=np.asarray(down) > 0)

    found = float(ratio(cells.sum(axis=0)))
    draws = np.random.default_rng(seed).multinomial(
        len(rows), np.full(len(rows), 1 / len(rows)), size=resamples
    )
    values = ratio(draws @ cells)
    values = values[~np.isnan(values)]
    if found != found or not len(values):
        return None, None
    low, high = np.percentile(values, [2.5, 97.5])
    return found, (float(low), float(high))
