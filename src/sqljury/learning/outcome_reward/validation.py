"""How good a verifier is on questions that it was not trained on."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from sqljury.learning.calibration import log_loss
from sqljury.learning.language_model.prefix_scoring import PrefixScorer, Score


@dataclass(frozen=True, slots=True)
class Tokens:
    """An example as tokens."""

    shared: tuple[int, ...]
    own: tuple[int, ...]
    label: bool


def scored(
    scorer: PrefixScorer,
    examples: Sequence[Tokens],
    share: slice = slice(None),
    gathered: Callable[[list[dict[int, Score]]], list[dict[int, Score]]] = lambda own: own,
) -> list[Score]:
    """The scores of examples, those that share their beginning together.

    Args:
        share: of the groups, for this process, where several score together.
        gathered: from what this process scored to what all did.
    """
    groups: dict[tuple[int, ...], list[int]] = {}
    for place, example in enumerate(examples):
        groups.setdefault(example.shared, []).append(place)
    own: dict[int, Score] = {}
    for shared, places in list(groups.items())[share]:
        scores = scorer.scores(shared, [examples[place].own for place in places])
        own |= zip(places, scores, strict=True)
    found = dict(ChainMap(*gathered([own])))
    return [found[place] for place in range(len(examples))]


def measures(scores: Sequence[Score], labels: Sequence[bool]) -> dict[str, float]:
    """Log loss (nats), area under the ROC curve, accuracy at 0.5, mean mass on an answer."""
    import numpy as np

    logits, y = np.array([score.logit for score in scores]), np.array(labels, dtype=float)
    masses = [score.mass for score in scores if score.mass is not None]
    found = {
        "log_loss": log_loss(logits, y),
        "auc": area_under_curve(logits, y),
        "accuracy": float(np.mean((logits >= 0) == (y > 0.5))),
    }
    return found | ({"mass": float(np.mean(masses))} if masses else {})


def area_under_curve(scores: Any, labels: Any) -> float:
    """The chance that a right candidate scores higher than a wrong one; ties count half.

    NaN where one label is missing.

    Source: Mann & Whitney (1947), by ranks.
    """
    from scipy.stats import rankdata

    right = labels > 0.5
    n, m = int(right.sum()), int((~right).sum())
    if not n or not m:
        return float("nan")
    return float((rankdata(scores)[right].sum() - n * (n + 1) / 2) / (n * m))
