"""Boosted trees and random forests: trained by scikit-learn, stored as arrays, used without it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from sqljury.errors import MissingExtraError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Array = NDArray[Any]


# ---------------------------------------------------------------- boosting
#
# Gradient boosted trees: trained by scikit-learn, stored as arrays, applied without it.


_BOOSTING_PARTS = ("base", "roots", "left", "right", "feature", "threshold", "value", "missing")
_LEAF = -1


@dataclass(frozen=True)
class Boosting:
    """Boosted trees as arrays over all nodes of all trees; a row's log-odds are ``base`` plus the
    value of one leaf per tree.

    ``left`` is the next node if the feature is at most the threshold, -1 in a leaf; ``missing`` is
    True if a missing feature (NaN) also goes left. ``value`` of an inner node is the mean of the
    leaf values of its training examples.

    Source: Friedman (2001), Greedy function approximation: a gradient boosting machine.
    """

    base: Array
    roots: Array
    left: Array
    right: Array
    feature: Array
    threshold: Array
    value: Array
    missing: Array

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
        shrink: float = 1.0,
        share: float = 1.0,
        seed: int = 0,
    ) -> Boosting:
        """Trains with scikit-learn; the same seed gives the same trees.

        Args:
            vectors: one row per example; NaN for an unknown feature.
            labels: one truth value per example.
            weights: one per example; by default all are equal.
            rising: per feature 1 if a higher value may only raise the score, -1 if it may only
                lower it, 0 if it may do both.
            trees: number of trees.
            leaves: most leaves of a tree.
            rate: the learning rate.
            least: fewest examples in a leaf.
            shrink: the L2 penalty of leaves.
            share: the random share of features that each split may choose from.

        Raises:
            MissingExtraError: scikit-learn is not installed.
        """
        try:
            from sklearn.ensemble import HistGradientBoostingClassifier
        except ImportError:
            raise MissingExtraError("scikit-learn", "learning", "Training trees") from None
        model = HistGradientBoostingClassifier(
            max_iter=trees,
            max_leaf_nodes=leaves,
            learning_rate=rate,
            min_samples_leaf=least,
            l2_regularization=shrink,
            max_features=share,
            monotonic_cst=rising,
            early_stopping=False,
            random_state=seed,
        )
        # A threshold may equal a value: it is stored in single precision, so train in it, too.
        model.fit(_single(vectors), labels, sample_weight=weights)
        return cls._of(model)

    @classmethod
    def mean(cls, several: Sequence[Boosting]) -> Boosting:
        """One model whose log-odds are the mean of those of several."""
        import numpy as np

        starts = np.cumsum([0, *(len(one.left) for one in several[:-1])])

        def moved(name: str) -> Array:
            parts = ((getattr(one, name), s) for one, s in zip(several, starts, strict=True))
            return np.concatenate([np.where(at == _LEAF, at, at + s) for at, s in parts])

        def joined(name: str) -> Array:
            return np.concatenate([getattr(one, name) for one in several])

        return cls(
            np.mean([one.base for one in several], axis=0),
            moved("roots").astype(np.int32),
            moved("left").astype(np.int32),
            moved("right").astype(np.int32),
            joined("feature"),
            joined("threshold"),
            joined("value") / np.float32(len(several)),
            joined("missing"),
        )

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
            _means(trees).astype(np.float32),
            nodes["missing_go_to_left"].astype(bool),
        )

    def log_odds(self, vectors: Array) -> Array:
        """The log-odds of yes for each row."""
        import numpy as np

        path = self._path
        rows = _single(vectors)
        at = np.tile(path.roots, (len(rows), 1))
        for _ in range(path.depth):
            at = path.after(rows, at)
        total: Array = self.base[0] + self.value[at].sum(axis=1, dtype=np.float64)
        return total

    def contributions(self, vectors: Array) -> Array:
        """How much each feature changes the log-odds of each row; one column per feature.

        A row's sum plus the mean of the training examples is its log-odds.

        Source: Saabas (2014), Interpreting random forests: each split on a row's path attributes
        the change of the node's value to its feature.
        """
        import numpy as np

        path = self._path
        rows = _single(vectors)
        at = np.tile(path.roots, (len(rows), 1))
        number = np.broadcast_to(np.arange(len(rows))[:, None], at.shape)
        found = np.zeros(rows.shape)
        for _ in range(path.depth):
            then = path.after(rows, at)
            np.add.at(found, (number, self.feature[at]), self.value[then] - self.value[at])
            at = then
        return found

    @cached_property
    def _path(self) -> _Path:
        import numpy as np

        own = np.arange(len(self.left))
        inner = self.left != _LEAF
        both = [np.where(inner, side, own) for side in (self.right, self.left)]
        depth, level = 0, self.roots[inner[self.roots]]
        while len(level):
            depth += 1
            level = np.concatenate([self.left[level], self.right[level]])
            level = np.unique(level[inner[level]])
        return _Path(
            self.roots.astype(np.intp),
            self.feature.astype(np.intp),
            self.threshold,
            self.missing,
            np.stack(both, axis=1).astype(np.intp).ravel(),
            depth,
        )

    def probabilities(self, vectors: Array) -> Array:
        """The probability of yes for each row."""
        import numpy as np

        return np.asarray(1.0 / (1.0 + np.exp(-self.log_odds(vectors))))

    def arrays(self, prefix: str = "") -> dict[str, Array]:
        """The parts by name, for a model file."""
        return {f"{prefix}{name}": getattr(self, name) for name in _BOOSTING_PARTS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], prefix: str = "") -> Boosting:
        """The inverse of :meth:`arrays`; older files know of nothing missing."""
        import numpy as np

        nowhere = np.zeros(len(arrays[f"{prefix}left"]), dtype=bool)
        known = {f"{prefix}missing": nowhere, **arrays}
        _check_trees(known, prefix)
        return cls(*(known[f"{prefix}{name}"] for name in _BOOSTING_PARTS))


@dataclass(frozen=True, slots=True)
class _Path:
    """The trees in a layout for fast descent: the child of a leaf is the leaf itself."""

    roots: Array
    feature: Array
    threshold: Array
    missing: Array
    children: Array
    """For node i: at 2i the child for rows above its threshold, at 2i + 1 that for all others."""
    depth: int

    def after(self, rows: Array, at: Array) -> Array:
        """The children that the rows reach from the nodes ``at``; one column per tree."""
        import numpy as np

        starts = np.arange(len(rows))[:, None] * rows.shape[1]
        values = rows.take(starts + self.feature.take(at))
        below = values <= self.threshold.take(at)
        below |= np.isnan(values) & self.missing.take(at)
        after: Array = self.children.take(2 * at + below)
        return after


def _check_trees(arrays: Mapping[str, Array], prefix: str) -> None:
    """Refuse what is no trees: where nodes point back, a descent would not end.

    Raises:
        ValueError: a node's children do not come after it.
    """
    import numpy as np

    left, right = arrays[f"{prefix}left"], arrays[f"{prefix}right"]
    own = np.arange(len(left))
    inner = left != _LEAF
    for side in (left, right):
        if ((side[inner] <= own[inner]) | (side[inner] >= len(own))).any():
            raise ValueError("a node's children do not come after it")


def _single(vectors: Array) -> Array:
    import numpy as np

    return np.asarray(vectors, dtype=np.float32)


def _means(trees: Sequence[Array]) -> Array:
    """The value of each node: a leaf's own, an inner node's the mean over its examples."""
    import numpy as np

    out = []
    for nodes in trees:
        value = nodes["value"].astype(np.float64)
        for number in np.argsort(-nodes["depth"].astype(int), kind="stable"):
            if not nodes["is_leaf"][number]:
                below = [nodes["left"][number], nodes["right"][number]]
                value[number] = np.average(value[below], weights=nodes["count"][below])
        out.append(value)
    return np.concatenate(out)


# ---------------------------------------------------------------- forest
#
# Random forests: trained by scikit-learn, stored as arrays, applied without it.


_CELLS_AT_ONCE = 8_000_000
"""Most cells of sparse rows that are made dense at once, to limit memory."""


@dataclass(frozen=True, slots=True)
class Forest:
    """A forest as arrays over all nodes of all trees; ``yes`` is the share of yes in a node."""

    roots: Array
    left: Array
    """The next node if the feature is at most the threshold; -1 in a leaf."""
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
        """Trains with scikit-learn; the same seed gives the same forest.

        Args:
            kind: ``random`` chooses the best of all splits, ``extra`` the best of random splits.
            balanced: both labels have the same total weight.

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
        """For each row, the mean over the trees of the share of yes in its leaf."""
        import numpy as np

        out = np.empty(vectors.shape[0])
        step = max(1, _CELLS_AT_ONCE // max(1, vectors.shape[1]))
        for start in range(0, vectors.shape[0], step):
            # scikit-learn compares in single precision, so results agree only in that.
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
        return {f"{prefix}{name}": getattr(self, name) for name in _FOREST_PARTS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, Array], prefix: str = "") -> Forest:
        """The inverse of :meth:`arrays`."""
        _check_trees(arrays, prefix)
        return cls(*(arrays[f"{prefix}{name}"] for name in _FOREST_PARTS))


_FOREST_PARTS = ("roots", "left", "right", "feature", "threshold", "yes")


def _share(value: Array, yes: int) -> Array:
    """The share of one class in each node."""
    counts = value[:, 0, :]
    share: Array = counts[:, yes] / counts.sum(axis=1)
    return share
