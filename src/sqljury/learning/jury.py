"""The jury's model: boosted trees over features of the evidence, and a calibration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqljury.errors import InputError
from sqljury.learning.ensembles import Boosting
from sqljury.learning.model_file import PathLike, read_model, whole_model, write_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

_KIND: Final = "jury"
_VERSION: Final = 1
_FOLDS: Final = 5
_RIGHT: Final = 0.95
"""The share of sure verdicts that are right, on databases left out in training …"""
_LOW: Final = 0.1
"""… in all but so many of the draws of databases, so that it holds for databases of others, too."""
_DRAWS: Final = 400
_TINY: Final = 1e-12
_MEMBERS: Final = 5
"""Number of boosted models whose mean is used; their seeds choose different features per split."""
PENALTIES: Final[Mapping[str, float]] = {
    "asked_reversed_prediction": -4.0,
    "asked_listed_prediction": -3.0,
}
"""What conflicts with the words of the question add to the log-odds. They are too rare in training
data for trees. On 7,000 references of Spider they are found 8 times; there the reference is wrong
or a reader may disagree with it."""
_SETTINGS: Final[Mapping[str, Any]] = {
    "trees": 150,
    "leaves": 8,
    "rate": 0.05,
    "least": 20,
    "shrink": 5.0,
    "share": 0.4,
}

SHIPPED: Final[Mapping[str, Path]] = {
    "everyday": Path(__file__).with_name("jury.npz"),
    "hard": Path(__file__).with_name("jury_hard.npz"),
    "rows": Path(__file__).with_name("jury_rows.npz"),
    "unreferenced": Path(__file__).with_name("jury_unreferenced.npz"),
}
"""The models that come with the package: by the population that they were fitted to, the one for
references that are result tables, and the one that sees no reference."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The model's result for one case.

    Args:
        probability: the probability that the prediction answers the question.
        weights: by feature, how much it changes the log-odds.
        unfamiliar: the features whose value is outside of the range of the training cases.
    """

    probability: float
    weights: Mapping[str, float]
    unfamiliar: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JuryModel:
    """Trees over named features; ``slope`` and ``offset`` calibrate their log-odds."""

    names: tuple[str, ...]
    trees: Boosting
    slope: float
    offset: float
    card: Mapping[str, Any]
    """A description of the training data."""
    sure: tuple[float, float] | None = None
    """At most the first and at least the second probability :data:`_RIGHT` of the verdicts on
    databases left out in training are right; None if that was not found out."""
    ranges: Array | None = None
    """The least and the greatest value of each feature in training, in two rows."""
    constant: Mapping[str, float] = field(default_factory=dict)
    """The features with one value only in training, which the trees do not see."""

    def probabilities(self, vectors: Array, extra: Array | float = 0.0) -> Array:
        """The probability that each row's prediction is right; columns are :attr:`names`.

        Args:
            extra: what is added to the log-odds of each row: :data:`PENALTIES`.
        """
        return _sigmoid(self.slope * self.trees.log_odds(vectors) + self.offset + extra)

    def weigh(self, features: Mapping[str, float]) -> Weighed:
        """The probability of one case, and the weight of each feature; absent features are
        unknown."""
        import numpy as np

        row = np.array([[features.get(name, np.nan) for name in self.names]])
        moved = self.slope * self.trees.contributions(row)[0]
        weights = {name: float(one) for name, one in zip(self.names, moved, strict=True)}
        extra = {name: by for name, by in PENALTIES.items() if features.get(name) == 1}
        outside = [name for name, one in self.constant.items() if features.get(name, one) != one]
        if self.ranges is not None:
            found = (row[0] < self.ranges[0]) | (row[0] > self.ranges[1])
            outside += [name for name, is_out in zip(self.names, found, strict=True) if is_out]
        probability = float(self.probabilities(row, sum(extra.values()))[0])
        return Weighed(probability, {**weights, **extra}, tuple(outside))

    def save(self, path: PathLike) -> None:
        """Write a model file.

        Raises:
            InputError, InfrastructureError: SJ801, SJ802: it cannot be written.
        """
        facts = {
            "kind": _KIND,
            "version": _VERSION,
            "names": list(self.names),
            "slope": self.slope,
            "offset": self.offset,
            "card": dict(self.card),
            "sure": self.sure,
            "constant": dict(self.constant),
        }
        ranges = {} if self.ranges is None else {"ranges": self.ranges}
        write_model(path, facts, {**self.trees.arrays(), **ranges})


def load_jury(path: PathLike) -> JuryModel:
    """Loads the jury of a model file.

    Raises:
        InputError: SJ020: there is no such file, or it does not contain a jury of this version;
            SJ031: it is damaged.
    """
    facts, arrays = read_model(path)
    if facts.get("kind") != _KIND or facts.get("version") != _VERSION:
        raise InputError(
            "SJ020", "not a jury that this version can read: train it again.", where=str(path)
        )
    with whole_model(path):
        return JuryModel(
            tuple(facts["names"]),
            Boosting.from_arrays(arrays),
            float(facts["slope"]),
            float(facts["offset"]),
            facts["card"],
            tuple(facts["sure"]) if facts.get("sure") else None,
            arrays.get("ranges"),
            facts.get("constant", {}),
        )


def train_jury(
    names: Sequence[str],
    rising: Sequence[int],
    vectors: Array,
    labels: Array,
    weights: Array,
    groups: Sequence[str],
    *,
    card: Mapping[str, Any],
    counted: Array | None = None,
    seed: int = 0,
) -> JuryModel:
    """Trains a jury on cases with labels.

    The calibration is fitted on log-odds of cases by trees that were trained without their fold,
    and so are the probabilities from which on a verdict is sure.

    Args:
        names: the names of the features; those that never vary are left out.
        rising: per feature 1 if a higher value may only raise the probability, -1 if it may only
            lower it, 0 if it may do both.
        vectors: one row per case; NaN for an unknown feature.
        labels: whether each prediction answers its question.
        weights: the weight of each case.
        groups: the database or the question of each case; all its cases share a fold.
        card: a description of the training data, for the file.
        counted: the weight of each case in the calibration; by default ``weights``.
        seed: the seed of the folds and the trees.

    Raises:
        InputError: SJ021: the labels are all the same, or of too few questions.
        MissingExtraError: SJ001: scikit-learn is not installed.

    Source: Friedman (2001) for the trees; Platt (1999) for the calibration.
    """
    import numpy as np

    labels = np.asarray(labels, dtype=bool)
    fold = _folds(groups, seed)
    if labels.all() or not labels.any() or len(set(fold.tolist())) < _FOLDS:
        reason = f"a jury needs both labels and {_FOLDS} questions."
        raise InputError("SJ021", reason)
    distinct = [np.unique(column[~np.isnan(column)]) for column in vectors.T]
    kept = [at for at, one in enumerate(distinct) if len(one) > 1]
    constant = {name: float(one[0])
                for name, one in zip(names, distinct, strict=True) if len(one) == 1}  # fmt: skip
    table, signs = vectors[:, kept], [rising[at] for at in kept]
    odds = np.empty(len(labels))
    for number in range(_FOLDS):
        rest, left_out = fold != number, fold == number
        trees = _boosting(table[rest], labels[rest], weights[rest], signs, seed)
        odds[left_out] = trees.log_odds(table[left_out])
    counted = weights if counted is None else counted
    slope, offset = _calibration(odds, labels, counted)
    sure = _sure(_sigmoid(slope * odds + offset), labels, counted, groups)
    members = [_boosting(table, labels, weights, signs, seed + one) for one in range(_MEMBERS)]
    chosen = tuple(names[at] for at in kept)
    ranges = np.stack([np.nanmin(table, axis=0), np.nanmax(table, axis=0)])
    trees = Boosting.mean(members)
    return JuryModel(chosen, trees, slope, offset, card, sure, ranges, constant)


def _boosting(
    vectors: Array, labels: Array, weights: Array, rising: Sequence[int], seed: int
) -> Boosting:
    import numpy as np

    # A feature may be unknown in all of these cases: scikit-learn refuses a column of NaN.
    known = ~np.isnan(vectors).all(axis=0)
    filled = np.where(known, vectors, 0.0)
    return Boosting.train(filled, labels, weights=weights, rising=rising, seed=seed, **_SETTINGS)


def _folds(groups: Sequence[str], seed: int) -> Array:
    """The fold of each case; all cases of a group share one."""
    import numpy as np

    known, place = np.unique(np.asarray(groups), return_inverse=True)
    folds = np.random.default_rng(seed).permutation(len(known)) % _FOLDS
    return np.asarray(folds[place])


def _calibration(odds: Array, labels: Array, weights: Array) -> tuple[float, float]:
    import numpy as np
    from scipy.optimize import minimize

    sign = np.where(labels, 1.0, -1.0)

    def loss(at: Array) -> float:
        return float((weights * np.logaddexp(0.0, -sign * (at[0] * odds + at[1]))).sum())

    # A slope below 0 would reverse the directions that ``rising`` fixes for the features.
    found = minimize(loss, (1.0, 0.0), bounds=((0.05, 5.0), (-5.0, 5.0)))
    return float(found.x[0]), float(found.x[1])


def _sure(
    probabilities: Array, labels: Array, weights: Array, groups: Sequence[str]
) -> tuple[float, float]:
    """The greatest probability at most which, and the least one at least which, :data:`_RIGHT` of
    the verdicts are right in nearly all draws of databases; 0 and 1 if there is none."""
    import numpy as np

    kept = weights > 0
    probabilities, labels, weights = probabilities[kept], labels[kept], weights[kept]
    names, place = np.unique(np.asarray(groups)[kept], return_inverse=True)
    random = np.random.default_rng(0)
    drawn = random.multinomial(len(names), np.full(len(names), 1 / len(names)), _DRAWS)
    found = []
    for sure, is_right in ((1 - probabilities, ~labels), (probabilities, labels)):
        order = np.argsort(-sure, kind="stable")
        of = drawn[:, place[order]] * weights[order]
        share = np.cumsum(of * is_right[order], axis=1) / np.maximum(np.cumsum(of, axis=1), _TINY)
        low = np.quantile(share, _LOW, axis=0)
        enough = np.flatnonzero((low >= _RIGHT) & (sure[order] >= 0.5))
        found.append(float(sure[order][enough[-1]]) if len(enough) else 1.0)
    return 1 - found[0], found[1]


def _sigmoid(odds: Array) -> Array:
    import numpy as np

    return np.asarray(1.0 / (1.0 + np.exp(-odds)))
