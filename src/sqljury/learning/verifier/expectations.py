"""What a question is expected to ask for: learned from questions and reference queries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sqljury.errors import MissingExtraError
from sqljury.learning.boosting import Boosting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

RARE = "?"
"""What stands for all words that were seldom the answer."""
_LEAST_TERM = 3
_LEAST_WORD = 8
_INVERSE_PENALTY = 0.1
_ROUNDS = 60


@dataclass(frozen=True)
class Choices:
    """Several questions about one text, each with its own words for answers.

    Args:
        terms: what a text may have, in the order of the weights' rows.
        words: by question, its answers in the order of the weights' columns.
        weights: by question, an array (terms + 1, answers); the last row is added always.
    """

    terms: tuple[str, ...]
    words: Mapping[str, tuple[str, ...]]
    weights: Mapping[str, Array]

    @cached_property
    def _place(self) -> Mapping[str, int]:
        return {term: place for place, term in enumerate(self.terms)}

    @classmethod
    def train(cls, texts: Sequence[Iterable[str]], answers: Mapping[str, Sequence[str]]) -> Choices:
        """Learn from the terms of texts, and the answers to each question for each text.

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
        """By question, the probability of each of its words."""
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
        """What is no array, for a model file."""
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
    """The chances of columns, of tables, and of the parts of a query's sketch.

    Args:
        by_role: for each role of a column, trees over the column's features.
        by_table: trees over the features of a table.
        choices: the words of the sketch by the terms of a masked question.
    """

    by_role: Mapping[str, Boosting]
    by_table: Boosting
    choices: Choices

    def roles(self, vectors: Vectors) -> dict[str, list[float]]:
        """By role, the chance of each column."""
        return {role: _chances(trees, vectors) for role, trees in self.by_role.items()}

    def tables(self, vectors: Vectors) -> list[float]:
        """The chance of each table."""
        return _chances(self.by_table, vectors)

    def parts(self, terms: Iterable[str]) -> dict[str, dict[str, float]]:
        """By part of the sketch, the chance of each word."""
        return self.choices.probabilities(terms)

    def arrays(self) -> dict[str, Array]:
        """All arrays by name, for a model file."""
        found = self.by_table.arrays("table_") | self.choices.arrays("part_")
        for role, trees in self.by_role.items():
            found |= trees.arrays(f"role_{role}_")
        return found

    def facts(self) -> dict[str, Any]:
        """What is no array."""
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
