"""The accuracy of a system from a judge that errs and a few labels of people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist, fmean, pvariance, variance


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
    """The share of yes among all cases: the mean score, less what scores exceed labels by.

    λ · mean(all scores) + mean(label - λ · score), with the λ in [0, 1] that makes the variance
    least: a judge that says nothing of the labels costs nothing.

    Args:
        labels: of people, on some of the cases.
        scores: the judge's on the same cases.
        all_scores: the judge's on all cases.
        weights: of the labelled cases: 1 / the probability with which each was chosen, where
            these differ.

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
    """How much of the scores to use, from 0 to 1."""
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
    """The share of right cases among n, of which a judge says yes to some; None where it says no
    more of right cases than of wrong ones.

    (p + specificity - 1) / (sensitivity + specificity - 1), with pseudo-counts, so that rates of
    few labels are not 0 or 1 for sure.

    Args:
        yes_of_right: labelled cases that are right and called so, of ``right``.
        yes_of_wrong: labelled cases that are wrong and called right, of ``wrong``.

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
