"""The small verifier: predicts parts of the query from a question, and scores queries by that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqljury.errors import InputError, MissingExtraError
from sqljury.learning.ensembles import Boosting
from sqljury.learning.model_file import PathLike, read_model, whole_model, write_model

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]


# ---------------------------------------------------------------- expectations
#
# The expected parts of a question's query: learned from questions and reference queries.


RARE = "?"
"""The class of all answers that were rare in training."""
_LEAST_TERM = 3
_LEAST_WORD = 8
_INVERSE_PENALTY = 0.1
_ROUNDS = 60


@dataclass(frozen=True)
class Choices:
    """Classifiers of a text: for each classification question, a linear model over terms.

    Args:
        terms: the known terms of texts, in the order of the weights' rows.
        words: by question, its possible answers in the order of the weights' columns.
        weights: by question, an array (terms + 1, answers); the last row is the constant.
    """

    terms: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, Array]

    @cached_property
    def _place(self) -> Mapping[str, int]:
        return {term: place for place, term in enumerate(self.terms)}

    @classmethod
    def train(cls, texts: Sequence[Iterable[str]], answers: Mapping[str, Sequence[str]]) -> Choices:
        """Trains on the terms of texts, and on the answer to each question for each text.

        Raises:
            MissingExtraError: scikit-learn is not installed.
        """
        try:
            from sklearn.linear_model import LogisticRegression
        except ImportError:
            raise MissingExtraError("scikit-learn", "learning", "Training a verifier") from None
        import numpy as np
        from scipy.sparse import csr_matrix

        sets = [set(text) for text in texts]
        found = Counter(term for text in sets for term in text)
        terms = tuple(sorted(term for term, n in found.items() if n >= _LEAST_TERM))
        place = {term: number for number, term in enumerate(terms)}
        rows = [sorted(place[term] for term in text if term in place) for text in sets]
        ends = np.cumsum([0, *map(len, rows)])
        indices = np.array([one for row in rows for one in row], dtype=np.int32)
        matrix = csr_matrix((np.ones(len(indices)), indices, ends), shape=(len(rows), len(terms)))
        words: dict[str, tuple[str, ...]] = {}
        weights: dict[str, Array] = {}
        for question, given in answers.items():
            often = {word for word, n in Counter(given).items() if n >= _LEAST_WORD}
            wanted = [word if word in often else RARE for word in given]
            model = LogisticRegression(C=_INVERSE_PENALTY, max_iter=_ROUNDS)
            model.fit(matrix, wanted)
            slopes, constants = model.coef_, model.intercept_
            if len(model.classes_) == 2:  # two answers have one row of weights
                slopes, constants = (np.vstack([-x / 2, x / 2]) for x in (slopes, constants))
            both = np.vstack([slopes.T, np.ravel(constants)[None, :]])
            words[question] = tuple(map(str, model.classes_))
            weights[question] = both.astype(np.float16)
        return cls(terms, words, weights)

    def probabilities(self, text: Iterable[str]) -> dict[str, dict[str, float]]:
        """By question, the probability of each of its answers."""
        import numpy as np

        known = {place for term in text if (place := self._place.get(term)) is not None}
        rows = [*sorted(known), len(self.terms)]
        out = {}
        for question, words in self.words.items():
            scores = self.weights[question][rows].sum(axis=0, dtype=np.float64)
            odds = np.exp(scores - scores.max())
            out[question] = dict(zip(words, map(float, odds / odds.sum()), strict=True))
        return out

    def facts(self) -> dict[str, Any]:
        """The terms and answers, for a model file."""
        return {"terms": list(self.terms), "words": {k: list(v) for k, v in self.words.items()}}

    def arrays(self, prefix: str) -> dict[str, Array]:
        """The weights by name, for a model file."""
        return {f"{prefix}{question}": weights for question, weights in self.weights.items()}

    @classmethod
    def from_file(
        cls, facts: Mapping[str, Any], arrays: Mapping[str, Array], prefix: str
    ) -> Choices:
        """The inverse of :meth:`facts` and :meth:`arrays`."""
        words = {question: tuple(known) for question, known in facts["words"].items()}
        return cls(tuple(facts["terms"]), words, {q: arrays[f"{prefix}{q}"] for q in words})


Vectors = Sequence[Sequence[float]]


@dataclass(frozen=True, slots=True)
class Expectations:
    """Predicts from a question which columns, tables and parts of a sketch its query has.

    Args:
        by_role: for each role of a column, trees over the column's features.
        by_table: trees over the features of a table.
        choices: classifiers of the parts of the sketch by the terms of a masked question.
    """

    by_role: Mapping[str, Boosting]
    by_table: Boosting
    choices: Choices

    def roles(self, vectors: Vectors) -> dict[str, list[float]]:
        """By role, the probability that each column, given by its vector, has the role."""
        return {role: _chances(trees, vectors) for role, trees in self.by_role.items()}

    def tables(self, vectors: Vectors) -> list[float]:
        """The probability that the query reads each table, given by its vector."""
        return _chances(self.by_table, vectors)

    def parts(self, terms: Iterable[str]) -> dict[str, dict[str, float]]:
        """By part of the sketch, the probability of each answer."""
        return self.choices.probabilities(terms)

    def arrays(self) -> dict[str, Array]:
        """All arrays by name, for a model file."""
        found = self.by_table.arrays("table_") | self.choices.arrays("part_")
        for role, trees in self.by_role.items():
            found |= trees.arrays(f"role_{role}_")
        return found

    def facts(self) -> dict[str, Any]:
        """The roles and the facts of the classifiers, for a model file."""
        return {"roles": list(self.by_role), "choices": self.choices.facts()}

    @classmethod
    def from_file(cls, facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> Expectations:
        """The inverse of :meth:`facts` and :meth:`arrays`."""
        return cls(
            {role: Boosting.from_arrays(arrays, f"role_{role}_") for role in facts["roles"]},
            Boosting.from_arrays(arrays, "table_"),
            Choices.from_file(facts["choices"], arrays, "part_"),
        )


def _chances(trees: Boosting, vectors: Vectors) -> list[float]:
    import numpy as np

    if not vectors:
        return []
    return [float(one) for one in trees.probabilities(np.array(vectors))]


# ---------------------------------------------------------------- model
#
# The small verifier's model file: expectations, and the trees that score a query by them.


_KIND = "small verifier"
_VERSION = 1
MISSING: Final = -9.0
"""The value of a feature that a query does not have."""

SHIPPED: Final = Path(__file__).with_name("spider_train.npz")
"""The verifier that comes with the package."""


@dataclass(frozen=True, slots=True)
class Weigher:
    """Trees over named features, with a calibration of their log-odds.

    Args:
        slope: the factor of the log-odds, calibrated on held-out questions.
    """

    names: tuple[str, ...]
    trees: Boosting
    slope: float = 1.0

    def probabilities(self, features: Sequence[Mapping[str, float]]) -> list[float]:
        """The probability that each query answers its question."""
        import numpy as np

        if not features:
            return []
        odds = self.slope * self.trees.log_odds(table_of(features, self.names))
        return [float(one) for one in 1.0 / (1.0 + np.exp(-odds))]


def table_of(features: Sequence[Mapping[str, float]], names: Sequence[str]) -> Array:
    """One row for each query, one column for each name."""
    import numpy as np

    return np.array([[one.get(name, MISSING) for name in names] for one in features])


@dataclass(frozen=True, slots=True)
class SmallVerifier:
    """The expectations of a question's query, and the trees that score queries.

    ``asked`` scores queries whose question is known, ``blind`` those without a question.
    """

    expectations: Expectations
    asked: Weigher
    blind: Weigher
    card: Mapping[str, Any]
    """A description of the training data."""

    def save(self, path: PathLike) -> None:
        """Write a model file.

        Raises:
            InputError: SJ020: it cannot be written.
        """
        facts: dict[str, Any] = {
            "kind": _KIND,
            "version": _VERSION,
            "card": dict(self.card),
            "expectations": self.expectations.facts(),
        }
        arrays = self.expectations.arrays()
        for name, weigher in (("asked", self.asked), ("blind", self.blind)):
            facts[name] = {"names": list(weigher.names), "slope": weigher.slope}
            arrays |= weigher.trees.arrays(f"{name}_")
        write_model(path, facts, arrays)


def load_small_verifier(path: PathLike) -> SmallVerifier:
    """Loads the small verifier of a model file.

    Raises:
        InputError: SJ020: there is no such file; SJ030: it holds no small verifier of this version;
            SJ031: it is damaged.
    """
    facts, arrays = read_model(path)
    if facts.get("kind") != _KIND or facts.get("version") != _VERSION:
        raise InputError(
            "SJ030",
            "not a small verifier that this version can read: train it again.",
            where=str(path),
        )
    with whole_model(path):
        asked, blind = (
            Weigher(
                tuple(facts[name]["names"]),
                Boosting.from_arrays(arrays, f"{name}_"),
                float(facts[name]["slope"]),
            )
            for name in ("asked", "blind")
        )
        expectations = Expectations.from_file(facts["expectations"], arrays)
        return SmallVerifier(expectations, asked, blind, facts["card"])


# ---------------------------------------------------------------- training
#
# Training of the small verifier, on vectors of features.


RESTYLED = 0.3
"""The total weight of rewritten queries, as a share of the right and of the wrong ones."""


def train_expectations(
    columns: Array,
    roles: Mapping[str, Array],
    tables: Array,
    read: Array,
    texts: Sequence[Iterable[str]],
    parts: Mapping[str, Sequence[str]],
) -> Expectations:
    """Trains the expectations on questions and their reference queries.

    Args:
        columns: the features of each pair of a question and a column.
        roles: by role, for each such pair, whether the column has the role in the reference.
        tables: the features of each pair of a question and a table.
        read: for each such pair, whether the reference reads the table.
        texts: the terms of each masked question.
        parts: by part of the sketch, the answer for each question's reference.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    by_role = {
        role: Boosting.train(columns, has, trees=120, leaves=20, rate=0.1, least=30)
        for role, has in roles.items()
    }
    by_table = Boosting.train(tables, read, trees=100, leaves=16, rate=0.1, least=30)
    return Expectations(by_role, by_table, Choices.train(texts, parts))


def train_weigher(
    vectors: Array, names: Sequence[str], labels: Array, weights: Array, *, trees: int
) -> Weigher:
    """Trains the trees that score queries.

    Features of unlikely parts can only lower a score, and those of likely parts only raise it:
    wrong queries of other sources have other errors than those of the training data, but errors
    make them less likely, too.

    Args:
        vectors: one row per candidate.
        names: the names of the columns.
        labels: whether each candidate is right.
        weights: the weights of the candidates, as from :func:`balance`.

    Raises:
        MissingExtraError: scikit-learn is not installed.
    """
    rising = [_direction(name) for name in names]
    found = Boosting.train(
        vectors,
        labels,
        weights=weights,
        rising=rising,
        trees=trees,
        leaves=24,
        rate=0.08,
        least=40,
    )
    return Weigher(tuple(names), found)


def balance(labels: Array, questions: Array, restyled: Array) -> Array:
    """Weights of candidates such that all questions, and the right and wrong candidates of each,
    have the same total weight.

    Rewritten queries have the same share of the weight among right as among wrong candidates;
    otherwise a query's style would predict whether it is right.

    Args:
        labels: whether each candidate is right.
        questions: the number of its question.
        restyled: whether it is a rewritten form of another query.
    """
    import numpy as np

    keys = questions.astype(np.int64) * 4 + labels.astype(np.int64) * 2 + restyled
    _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
    weights: Array = np.where(restyled, RESTYLED, 1 - RESTYLED) / counts[place]
    weights *= len(labels) / weights.sum()
    return weights


def _direction(name: str) -> int:
    """1 if a higher value of the feature may only raise the score, -1 if only lower it, else 0."""
    if name.startswith("regret_") or name.endswith(("_regret", "_missed", "_missed_all")):
        return -1
    if name.startswith("chance_") or name.endswith(("_worst", "_mean")):
        return 1
    return {"missing_values": -1, "texts_unsaid": -1, "numbers_unsaid": -1}.get(name, 0)


def slope_of(log_odds: Array, labels: Array, weights: Array) -> float:
    """The factor by which log-odds must be multiplied to be calibrated on held-out candidates.

    Source: Platt (1999), Probabilistic outputs for support vector machines, without the constant.
    """
    import numpy as np
    from scipy.optimize import minimize_scalar

    sign = np.where(labels, 1.0, -1.0)

    def loss(slope: float) -> float:
        return float((weights * np.logaddexp(0.0, -slope * sign * log_odds)).sum())

    return float(minimize_scalar(loss, bounds=(0.05, 5.0), method="bounded").x)
