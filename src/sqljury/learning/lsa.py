"""Latent semantic analysis: short texts as a few numbers, learnt from other texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqljury.learning.tfidf import Tfidf

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    Array = NDArray[Any]

_DIMENSIONS = 64
_ITERATIONS = 4


@dataclass(frozen=True, slots=True)
class Lsa:
    """TF–IDF of characters, projected on its largest singular vectors.

    The projection is brought to length 1: its direction says what a text is about. The last number
    is the length of what it loses, large for texts that are built of other terms.

    Source: Deerwester et al. (1990), Indexing by latent semantic analysis.
    """

    tfidf: Tfidf
    axes: Array
    """Terms by dimensions, orthonormal."""

    @classmethod
    def fit(cls, texts: Sequence[str]) -> Lsa:
        """Learn terms and axes; the same texts give the same axes."""
        tfidf = Tfidf.fit(texts, analyzer="char_wb", ngrams=(2, 4), least=2)
        return cls(tfidf, _axes(tfidf.transform(texts)))

    @property
    def is_large(self) -> bool:
        """It is arrays in the model file."""
        return False

    def transform(self, texts: Sequence[str]) -> Array:
        """A row for each text."""
        import numpy as np

        inside = self.tfidf.transform(texts) @ self.axes
        kept = np.sqrt((inside**2).sum(axis=1, keepdims=True))
        lost = np.sqrt(np.clip(1 - kept**2, 0, None))
        return np.hstack([inside / np.maximum(kept, 1e-12), lost])

    def facts(self) -> dict[str, Any]:
        """The terms, for a model file."""
        tfidf = self.tfidf
        return {
            "name": "lsa",
            "terms": tfidf.terms,
            "ngrams": tfidf.ngrams,
            "analyzer": tfidf.analyzer,
        }

    def arrays(self) -> dict[str, Array]:
        """The axes and the terms' weights, for a model file."""
        return {"idf": self.tfidf.idf, "axes": self.axes}

    @classmethod
    def from_file(cls, facts: Mapping[str, Any], arrays: Mapping[str, Array]) -> Lsa:
        """The inverse of :meth:`facts` and :meth:`arrays`."""
        low, high = facts["ngrams"]
        tfidf = Tfidf(facts["analyzer"], (low, high), tuple(facts["terms"]), arrays["idf"])
        return cls(tfidf, arrays["axes"])


def _axes(vectors: csr_array) -> Array:
    """The largest right singular vectors, by random projection and power iterations.

    Source: Halko, Martinsson & Tropp (2011), arXiv:0909.4061, algorithm 4.4.
    """
    import numpy as np

    most = min(_DIMENSIONS, *vectors.shape)
    start = np.random.default_rng(0).standard_normal((vectors.shape[0], most))
    found, _ = np.linalg.qr(vectors.T @ start)
    for _ in range(_ITERATIONS):
        found, _ = np.linalg.qr(vectors.T @ (vectors @ found))
    return found
