"""Random forests: trained by scikit-learn, kept as arrays, applied without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sqljury.errors import MissingExtraError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Array = NDArray[Any]

_CELLS_AT_ONCE = 8_000_000
"""Bounds the memory of rows that are made dense."""


@dataclass(frozen=True, slots=True)
class Forest:
    """All nodes of all trees one after the other; ``yes`` is the share of yes in a leaf."""

    roots: Array
    left: Array
    """The next node where the feature is at most the threshold; -1 in a leaf."""
    right: Array
    feature: Array
    threshold: Array
    yes: Array

    @classmethod
    def train(
        cls,
        vectors: csr_array,
        labels: Sequence[bool],
        *,
        seed: int,
        trees: int = 100,
        kind: Literal["random", "extra"] = "random",
        balanced: bool = False,
    ) -> Forest:
        """Train with scikit-learn; the same seed gives the same forest.

        Args:
            kind: ``random`` chooses the best of all cuts, ``extra`` among cuts at random.
            balanced: both labels weigh the same, however many there are.

        Raises:
            MissingExtraError: scikit-learn is not installed.

        Source: Ho (1995), Breiman (2001); extra trees: Geurts, Ernst & Wehenkel (2006).
        """
        try:
            from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier
        except ImportError:
            raise MissingExtraError("scikit-learn", "learning", "Training a forest") from None
        known = RandomForestClassifier if kind == "random" else ExtraTreesClassifier
        weight = "balanced" if balanced else None
        model = known(trees, random_state=seed, class_weight=weight)
        model.fit(vectors, list(map(bool, labels)))
        return cls._of(model)

    @classmethod
    def _of(cls, model: Any) -> Forest:
        import numpy as np

        trees = [tree.tree_ for tree in model.estimators_]
        roots = np.cumsum([0, *(tree.node_count for tree in trees[:-1])])

        def joined(name: str) -> Array:
            return np.concatenate([getattr(tree, name) for tree in trees])

        def children(name: str) -> Array:
            parts = (
                np.where(getattr(tree, name) < 0, -1, getattr(tree, name) + root)
                for tree, root in zip(trees, roots, strict=True)
            )
            return np.concatenate(list(parts)).astype(np.int32)

        yes = list(model.classes_).index(True)
        return cls(
            roots.astype(np.int32),
            children("children_left"),
            children("children_right"),
            joined("feature").astype(np.int32),
            joined("threshold"),
            np.concatenate([_share(tree.value, yes) for tree in trees]),
        )

    def probabilities(self, vectors: csr_array) -> Array:
        """The mean over trees of the share of yes in the leaf that each row falls into."""
        import numpy as np

        out = np.empty(vectors.shape[0])
        step = max(1, _CELLS_AT_ONCE // max(1, vectors.shape[1]))
        for start in range(0, vectors.shape[0], step):
            # scikit-learn compares in single precision, and so must we.
            rows = vectors[start : start + step].toarray().astype(np.float32)
            out[start : start + step] = self._leaves(rows)
        return out

    def _leaves(self, rows: Array) -> Array:
        import numpy as np

        at = np.tile(self.roots, (len(rows), 1))
        number = np.arange(len(rows))[:, None]
        while True:
            inner = self.left[at] >= 0
            if not inner.any():
                return np.asarray(self.yes[at].mean(axis=1))
            value = rows[number, np.where(inner, self.feature[at], 0)]
            below = np.where(value <= self.threshold[at], self.left[at], self.right[at])
            at = np.where(inner, below, at)

    def arrays(self, prefix: str = "") -> dict[str, Array]:
        """The parts by name, for a model file."""
        return {f"{prefix}{name}": getattr(self, name) for name in _PARTS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], prefix: str = "") -> Forest:
        """The inverse of :meth:`arrays`."""
        return cls(*(arrays[f"{prefix}{name}"] for name in _PARTS))


_PARTS = ("roots", "left", "right", "feature", "threshold", "yes")


def _share(value: Array, yes: int) -> Array:
    """The share of one class in each node."""
    counts = value[:, 0, :]
    share: Array = counts[:, yes] / counts.sum(axis=1)
    return share
