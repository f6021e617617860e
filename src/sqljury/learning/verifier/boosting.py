"""Gradient boosted trees: trained by scikit-learn, kept as arrays, applied without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqljury.errors import MissingExtraError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_PARTS = ("base", "roots", "left", "right", "feature", "threshold", "value")
_LEAF = -1


@dataclass(frozen=True, slots=True)
class Boosting:
    """All nodes of all trees one after the other; the sum of one leaf a tree is a log-odds.

    ``left`` is the next node where a feature is at most the threshold, -1 in a leaf. Features are
    numbers, none of them missing.

    Source: Friedman (2001), Greedy function approximation: a gradient boosting machine.
    """

    base: Array
    roots: Array
    left: Array
    right: Array
    feature: Array
    threshold: Array
    value: Array

    @classmethod
    def train(
        cls,
        vectors: Array,
        labels: Array,
        *,
        weights: Array | None = None,
        rising: Sequence[int] | None = None,
        trees: int,
        leaves: int,
        rate: float,
        least: int,
        seed: int = 0,
    ) -> Boosting:
        """Train with scikit-learn; the same seed gives the same trees.

        Args:
            vectors: one row for each example.
            labels: one truth value for each.
            weights: one for each; all the same where there are none.
            rising: for each feature 1 where more of it may only raise the score, -1 where it may
                only lower it, 0 where it may do both.
            trees: their number.
            leaves: of one tree at most.
            rate: how much of each tree counts.
            least: examples in a leaf.

        Raises:
            MissingExtraError: scikit-learn is not installed.
        """
        try:
            from sklearn.ensemble import HistGradientBoostingClassifier
        except ImportError:
            raise MissingExtraError("scikit-learn", "learning", "Training a verifier") from None
        model = HistGradientBoostingClassifier(
            max_iter=trees,
            max_leaf_nodes=leaves,
            learning_rate=rate,
            min_samples_leaf=least,
            l2_regularization=1.0,
            monotonic_cst=rising,
            early_stopping=False,
            random_state=seed,
        )
        # A cut may be at a value: kept in single precision, it must be met in single precision.
        model.fit(_single(vectors), labels, sample_weight=weights)
        return cls._of(model)

    @classmethod
    def _of(cls, model: Any) -> Boosting:
        import numpy as np

        trees = [predictors[0].nodes for predictors in model._predictors]
        roots = np.cumsum([0, *(len(nodes) for nodes in trees[:-1])])

        def child(name: str) -> Array:
            parts = (
                np.where(nodes["is_leaf"], _LEAF, nodes[name].astype(np.int64) + root)
                for nodes, root in zip(trees, roots, strict=True)
            )
            return np.concatenate(list(parts)).astype(np.int32)

        nodes = np.concatenate(trees)
        return cls(
            np.asarray(model._baseline_prediction, dtype=np.float64).reshape(-1),
            roots.astype(np.int32),
            child("left"),
            child("right"),
            np.where(nodes["is_leaf"], 0, nodes["feature_idx"]).astype(np.int16),
            np.where(nodes["is_leaf"], 0.0, nodes["num_threshold"]).astype(np.float32),
            nodes["value"].astype(np.float32),
        )

    def log_odds(self, vectors: Array) -> Array:
        """The log-odds of yes for each row."""
        import numpy as np

        rows = _single(vectors)
        at = np.tile(self.roots, (len(rows), 1))
        number = np.arange(len(rows))[:, None]
        while True:
            inner = self.left[at] != _LEAF
            if not inner.any():
                total: Array = self.base[0] + self.value[at].sum(axis=1, dtype=np.float64)
                return total
            below = rows[number, self.feature[at]] <= self.threshold[at]
            at = np.where(inner, np.where(below, self.left[at], self.right[at]), at)

    def probabilities(self, vectors: Array) -> Array:
        """The probability of yes for each row."""
        import numpy as np

        return np.asarray(1.0 / (1.0 + np.exp(-self.log_odds(vectors))))

    def arrays(self, prefix: str = "") -> dict[str, Array]:
        """The parts by name, for a model file."""
        return {f"{prefix}{name}": getattr(self, name) for name in _PARTS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], prefix: str = "") -> Boosting:
        """The inverse of :meth:`arrays`."""
        return cls(*(arrays[f"{prefix}{name}"] for name in _PARTS))


def _single(vectors: Array) -> Array:
    import numpy as np

    return np.asarray(vectors, dtype=np.float32)
