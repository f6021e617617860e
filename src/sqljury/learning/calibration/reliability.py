"""Reliability: in each range of scores, how often what was scored so is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqljury.errors import InputError

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """Scores from ``low`` on and below ``high`` (the last bin holds 1 too)."""

    low: float
    high: float
    count: int
    score: float
    """Their mean; 0 in an empty bin."""
    right: float
    """The share of them that is right; 0 in an empty bin."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How far scores are from what they promise.

    ``ece`` is the mean over all cases of the distance between score and share right in the case's
    bin; ``brier`` the mean squared distance between score and label. Both are 0 at best; None
    where there is no case.
    """

    n: int
    ece: float | None
    brier: float | None
    bins: tuple[Bin, ...]

    def to_json(self) -> dict[str, Any]:
        """A JSON object."""
        return asdict(self)


def reliability(
    scores: Sequence[float], labels: Sequence[bool], *, bins: int = BINS
) -> Reliability:
    """Compare scores with labels, in bins of equal width.

    Raises:
        InputError: SJ025: scores outside of [0, 1], or not one label for each.

    Source: Naeini, Cooper & Hauskrecht (2015), AAAI, expected calibration error, for the
    probability of one class; Brier (1950).
    """
    import numpy as np

    x, y = np.asarray(scores, dtype=float), np.asarray(labels, dtype=float)
    if x.shape != y.shape or not ((x >= 0) & (x <= 1)).all():
        raise InputError("SJ025", "calibration takes a score in [0, 1] and a label for each case.")
    place = np.minimum((x * bins).astype(int), bins - 1)
    found = tuple(_bin(i / bins, (i + 1) / bins, x[place == i], y[place == i]) for i in range(bins))
    if len(x) == 0:
        return Reliability(0, None, None, found)
    apart = sum(one.count * abs(one.score - one.right) for one in found if one.count)
    return Reliability(len(x), apart / len(x), float(np.mean((x - y) ** 2)), found)


def _bin(low: float, high: float, scores: Any, labels: Any) -> Bin:
    if len(scores) == 0:
        return Bin(low, high, 0, 0.0, 0.0)
    return Bin(low, high, len(scores), float(scores.mean()), float(labels.mean()))
