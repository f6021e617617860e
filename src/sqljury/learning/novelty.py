"""How unlike a question is to those that are known to be answerable."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqljury.learning.text_vectors import Tfidf

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Array = NDArray[Any]

_WORD = re.compile(r"\w+")
_NEAREST = 3


@dataclass(frozen=True, slots=True)
class Novelty:
    """The answerable questions' words, and their TF–IDF vectors.

    Two measures: the share of a question's words that no answerable question has, and its mean
    cosine similarity to the three nearest of them.
    """

    words: frozenset[str]
    tfidf: Tfidf
    known: csr_array

    @classmethod
    def fit(cls, texts: Sequence[str]) -> Novelty:
        """Learn from answerable questions."""
        words = frozenset(word for text in texts for word in _WORD.findall(text.lower()))
        tfidf = Tfidf.fit(texts)
        return cls(words, tfidf, tfidf.transform(texts))

    def measures(self, texts: Sequence[str]) -> Array:
        """A row for each text: the share of unknown words, the similarity to the nearest."""
        import numpy as np

        unknown = [self._unknown(text) for text in texts]
        similar = (self.tfidf.transform(texts) @ self.known.T).toarray()
        nearest = np.sort(similar, axis=1)[:, -_NEAREST:].mean(axis=1)
        return np.column_stack([np.array(unknown), nearest])

    def _unknown(self, text: str) -> float:
        words = _WORD.findall(text.lower())
        # A text without words is as unknown as can be.
        return sum(word not in self.words for word in words) / len(words) if words else 1.0

    def arrays(self) -> dict[str, Array]:
        """The vectors, for a model file; words and terms are text, and kept as facts."""
        return {
            "known_data": self.known.data,
            "known_indices": self.known.indices,
            "known_indptr": self.known.indptr,
        }

    @classmethod
    def from_arrays(
        cls, words: Sequence[str], tfidf: Tfidf, arrays: Mapping[str, Array]
    ) -> Novelty:
        """The inverse of :meth:`arrays`."""
        from scipy.sparse import csr_array

        indptr = arrays["known_indptr"]
        shape = (len(indptr) - 1, len(tfidf.terms))
        parts = (arrays["known_data"], arrays["known_indices"], indptr)
        return cls(frozenset(words), tfidf, csr_array(parts, shape=shape))
