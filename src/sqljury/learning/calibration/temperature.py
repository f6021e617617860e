"""Temperature scaling: one number that makes probabilities honest and changes no ranking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqljury.errors import InputError

LOWEST, HIGHEST = 0.05, 20.0
"""On a few held-out cases that are all told apart the best temperature would be 0."""


def fit_temperature(logits: Sequence[float], labels: Sequence[bool]) -> float:
    """The T for which sigmoid(logit / T) has the least log loss on these cases.

    Between 0.05 and 20; 1 where all labels are the same, for then nothing can be learnt.

    Raises:
        InputError: SJ025: as many labels as logits are needed, and finite logits.

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
    # In 1 / T the loss is convex, so the minimum that is found is the only one.
    found = minimize_scalar(
        lambda inverse: log_loss(x * inverse, y),
        bounds=(1 / HIGHEST, 1 / LOWEST),
        method="bounded",
        options={"xatol": 1e-7},
    )
    return float(1 / found.x)


def log_loss(logits: Any, labels: Any) -> float:
    """The mean of -log of the probability that was given to what is so, in nats.

    Args:
        logits, labels: arrays of one length; labels are 0 or 1.
    """
    import numpy as np

    return float(np.mean(np.logaddexp(0.0, np.where(labels > 0.5, -logits, logits))))
