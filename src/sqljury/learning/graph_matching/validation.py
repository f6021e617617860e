"""How well distances part equivalent pairs from others, and where to draw the line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def auc(scores: Floats, labels: NDArray[np.bool_]) -> float:
    """The chance that an equivalent pair scores above another one; ties count a half.

    Raises:
        ValueError: a label does not occur.
    """
    from scipy.stats import rankdata

    yes = int(labels.sum())
    no = len(labels) - yes
    if not yes or not no:
        raise ValueError("AUC needs both labels")
    above = rankdata(scores)[labels].sum() - yes * (yes + 1) / 2
    return float(above / (yes * no))


def best_threshold(scores: Floats, labels: NDArray[np.bool_]) -> tuple[float, float]:
    """The score from which most labels are right when it counts as yes, and the share that is.

    Between two scores the middle is taken, and of thresholds that are as good the one that is
    nearest to a half.
    """
    order = np.argsort(-scores, kind="stable")
    ranked, right = scores[order], labels[order]
    # With the first k as yes: the equivalent ones among them, and the others among the rest.
    gained = np.where(right, 1, -1)
    hits = (~right).sum() + np.concatenate([[0], np.cumsum(gained)])
    highest, lowest = ranked[0] + 1e-6, ranked[-1] - 1e-6
    lines = np.concatenate([[highest], (ranked[1:] + ranked[:-1]) / 2, [lowest]])
    # A line cannot pass between equal scores.
    possible = np.concatenate([[True], ranked[1:] != ranked[:-1], [True]])
    best = hits[possible].max()
    chosen = lines[possible & (hits == best)]
    return float(chosen[np.abs(chosen - 0.5).argmin()]), float(best / len(labels))
