"""Vectors of short texts: TF–IDF, and latent semantic analysis of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    from scipy.sparse import csr_array

Analyzer = Literal["word", "char_wb"]

_WORD = re.compile(r"\b\w\w+\b")


@dataclass(frozen=True, slots=False)
class Tfidf:
    """Terms and their inverse document frequencies: ln((1 + n) / (1 + df)) + 1.

    Vectors have length 1. Terms are n-grams of words of two letters or more, or of characters
    within words, in lower case.

    Source: as scikit-learn's TfidfVectorizer, which the paper uses, with the same defaults.
    """

    analyzer: Analyzer
    ngrams: tuple[int, int]
    terms: tuple[str, ...]
    idf: NDArray[Any]

    @classmethod
    def fit(
        cls,
        texts: Sequence[str],
        *,
        analyzer: Analyzer = "word",
        ngrams: tuple[int, int] = (1, 2),
        least: int = 1,
    ) -> Tfidf:
        """Learns the terms of texts; terms in fewer than ``least`` texts are left out."""
        import numpy as np

        found: Counter[str] = Counter()
        for text in texts:
            found.update(set(terms_of(text, analyzer, ngrams)))
        terms = tuple(sorted(term for term, n in found.items() if n >= least))
        idf = [log((1 + len(texts)) / (1 + found[term])) + 1 for term in terms]
        return cls(analyzer, ngrams, terms, np.array(idf))

    @cached_property
    def _place(self) -> Mapping[str, int]:
        return {term: place for place, term in enumerate(self.terms)}

    def transform(self, texts: Sequence[str]) -> csr_array:
        """A sparse row of length 1 per text; empty if the text has no known term."""
        import numpy as np
        from scipy.sparse import csr_array

        values: list[float] = []
        columns: list[int] = []
        ends = [0]
        for text in texts:
            known = Counter(
                place
                for term in terms_of(text, self.analyzer, self.ngrams)
                if (place := self._place.get(term)) is not None
            )
            weights = {place: n * float(self.idf[place]) for place, n in sorted(known.items())}
            norm = sum(weight * weight for weight in weights.values()) ** 0.5
            columns += weights
            values += [weight / norm for weight in weights.values()]
            ends.append(len(columns))
        shape = (len(texts), len(self.terms))
        indices = np.array(columns, dtype=np.int32)
        return csr_array((np.array(values), indices, np.array(ends, dtype=np.int32)), shape=shape)


def terms_of(text: str, analyzer: Analyzer, ngrams: tuple[int, int]) -> Iterator[str]:
    """The terms of a text, each as often as it occurs.

    >>> list(terms_of("How many?", "word", (1, 2)))
    ['how', 'many', 'how many']
    """
    lower = text.lower()
    if analyzer == "word":
        words = _WORD.findall(lower)
        for n in range(ngrams[0], ngrams[1] + 1):
            yield from (" ".join(words[i : i + n]) for i in range(len(words) - n + 1))
        return
    for word in lower.split():
        padded = f" {word} "
        for n in range(ngrams[0], ngrams[1] + 1):
            if len(padded) <= n:
                # A word that is not longer than the n-gram is one term.
                yield padded
                break
            yield from (padded[i : i + n] for i in range(len(padded) - n + 1))


_DIMENSIONS = 64
_ITERATIONS = 4


@dataclass(frozen=True, slots=True)
class Lsa:
    """Latent semantic analysis: TF–IDF of characters, projected on its largest singular vectors.

    The projection is scaled to length 1, because its direction describes a text's topic. The last
    number is the length of the part that the projection loses; it is large for texts with other
    terms than the training texts.

    Source: Deerwester et al. (1990), Indexing by latent semantic analysis.
    """

    tfidf: Tfidf
    axes: Array
    """Orthonormal axes: one row per term, one column per dimension."""

    @classmethod
    def fit(cls, texts: Sequence[str]) -> Lsa:
        """Learns terms and axes; the same texts give the same axes."""
        tfidf = Tfidf.fit(texts, analyzer="char_wb", ngrams=(2, 4), least=2)
        return cls(tfidf, _axes(tfidf.transform(texts)))

    @property
    def is_large(self) -> bool:
        """False: the model file contains all of it."""
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
