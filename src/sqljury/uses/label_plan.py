"""Which cases people should label next, and how many for a wanted interval."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from random import Random
from statistics import NormalDist, pvariance
from typing import Final

_SUREST: Final = 0.01
"""No score is taken to be surer than this of either side: a judge may be wrong to be sure."""
_STEPS: Final = 60


def chances(scores: Sequence[float], count: int) -> list[float]:
    """With what probability to have each case labelled, so that so many are expected.

    In proportion to how unsure the judge is: the standard deviation of a label whose probability
    is the score.

    Source: Zrnic & Candès 2024, Active statistical inference (arXiv:2403.03208).
    """
    unsure = [_deviation(score) for score in scores]
    if count >= len(scores):
        return [1.0] * len(scores)
    low, high = 0.0, len(scores) / min(unsure)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if sum(min(1.0, middle * one) for one in unsure) < count:
            low = middle
        else:
            high = middle
    return [min(1.0, high * one) for one in unsure]


def drawn(ids: Sequence[str], probabilities: Sequence[float], seed: int) -> list[bool]:
    """Whether each case is to be labelled: by its id, so that the same seed draws the same."""
    pairs = zip(ids, probabilities, strict=True)
    return [Random(f"{seed}:{one}").random() < probability for one, probability in pairs]


def half_width(scores: Sequence[float], count: int, confidence: float = 0.95) -> float:
    """Half the width of the interval to expect of so many labels, if the scores are probabilities.

    The interval is that of :func:`sqljury.uses.statistics.prediction_powered`.
    """
    rest = sum(
        _deviation(score) ** 2 / chance
        for score, chance in zip(scores, chances(scores, count), strict=True)
    )
    spread = pvariance(scores) / len(scores) + rest / len(scores) ** 2
    return NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(spread)


def labels_for(scores: Sequence[float], wanted: float) -> int | None:
    """The fewest labels for which such an interval is to be expected; None where all are not
    enough."""
    if half_width(scores, len(scores)) > wanted:
        return None
    low, high = 1, len(scores)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if half_width(scores, middle) <= wanted else (middle + 1, high)
    return high


def _deviation(score: float) -> float:
    inside = min(max(score, _SUREST), 1 - _SUREST)
    return sqrt(inside * (1 - inside))
