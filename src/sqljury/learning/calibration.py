"""Calibration: measures whether cases scored 0.8 are right eight times in ten, and corrects it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqljury.errors import InputError

BINS = 10


@dataclass(frozen=True, slots=True)
class Bin:
    """The cases whose score is at least ``low`` and below ``high`` (the last bin includes 1)."""

    low: float
    high: float
    count: int
    score: float
    """Their mean score; 0 in an empty bin."""
    right: float
    """The share of them with label True; 0 in an empty bin."""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How well scores agree with the observed frequencies.

    ``ece`` is the mean over all cases of the distance between the mean score and the share right in
    the case's bin; ``brier`` is the mean squared distance between score and label. Both are 0 at
    best; None without cases.
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
    """Compares scores with labels, in bins of equal width.

    Raises:
        InputError: SJ025: scores outside of [0, 1], or not one label per score.

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


LOWEST, HIGHEST = 0.05, 20.0
"""Limits of the temperature: if the scores of a few cases separate the labels perfectly, the best
temperature would be 0."""


def fit_temperature(logits: Sequence[float], labels: Sequence[bool]) -> float:
    """The temperature T for which sigmoid(logit / T) has the least log loss on these cases.

    Between 0.05 and 20; 1 if all labels are the same, because nothing can be learnt then.

    Raises:
        InputError: SJ025: not one label per logit, or a logit that is not finite.

    Source: Guo, Pleiss, Sun & Weinberger (2017), On Calibration of Modern Neural Networks,
    arXiv:1706.04599, section 4.2, for two classes.
    """
    import numpy as np
    from scipy.optimize import minimize_scalar

    x, y = np.asarray(logits, dtype=float), np.asarray(labels, dtype=float)
    if x.shape != y.shape or not np.isfinite(x).all():
        raise InputError("SJ025", "calibration takes a finite logit and a label for each case.")
    if len(y) == 0 or y.min() == y.max():
        return 1.0
    # The loss is convex in 1 / T, so there is only one minimum.
    found = minimize_scalar(
        lambda inverse: log_loss(x * inverse, y),
        bounds=(1 / HIGHEST, 1 / LOWEST),
        method="bounded",
        options={"xatol": 1e-7},
    )
    return float(1 / found.x)


def log_loss(logits: Any, labels: Any) -> float:
    """The mean of -log of the probability that was given to the true label, in nats.

    Args:
        logits, labels: arrays of one length; labels are 0 or 1.
    """
    import numpy as np

    return float(np.mean(np.logaddexp(0.0, np.where(labels > 0.5, -logits, logits))))


def area_under_curve(scores: Any, labels: Any) -> float:
    """The area under the ROC curve: the probability that a case of label 1 scores higher than one
    of label 0; ties count half.

    NaN if one label does not occur.

    Source: Mann & Whitney (1947), by ranks.
    """
    from scipy.stats import rankdata

    right = labels > 0.5
    n, m = int(right.sum()), int((~right).sum())
    if not n or not m:
        return float("nan")
    return float((rankdata(scores)[right].sum() - n * (n + 1) / 2) / (n * m))
