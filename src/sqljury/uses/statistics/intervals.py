"""Confidence intervals in closed form."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

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
