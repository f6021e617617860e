"""TF–IDF as scikit-learn computes it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.learning.text_vectors import Tfidf

TEXTS = ["How many boats are there?", "List all boats, all!", "x", "", "Ünder 0 boats 0 there"]


@pytest.mark.parametrize(
    ("analyzer", "ngrams", "least"),
    [("word", (1, 2), 1), ("word", (1, 1), 2), ("char_wb", (2, 4), 1), ("char_wb", (3, 3), 2)],
)
def test_the_same_vectors_as_scikit_learn(
    analyzer: str, ngrams: tuple[int, int], least: int
) -> None:
    from sklearn.feature_extraction.text import TfidfVectorizer

    theirs = TfidfVectorizer(analyzer=analyzer, ngram_range=ngrams, min_df=least)
    ours = Tfidf.fit(TEXTS, analyzer=analyzer, ngrams=ngrams, least=least)
    expected = theirs.fit_transform(TEXTS).toarray()
    assert ours.terms == tuple(sorted(theirs.vocabulary_))
    order = [theirs.vocabulary_[term] for term in ours.terms]
    np.testing.assert_allclose(ours.transform(TEXTS).toarray(), expected[:, order], atol=1e-12)


@given(st.lists(st.text(max_size=20), min_size=1, max_size=5), st.text(max_size=20))
def test_any_text_has_a_row_of_length_one_or_none(texts: list[str], other: str) -> None:
    for analyzer, ngrams in (("word", (1, 2)), ("char_wb", (2, 4))):
        row = Tfidf.fit(texts, analyzer=analyzer, ngrams=ngrams).transform([other]).toarray()
        assert np.linalg.norm(row) == pytest.approx(1) or not row.any()
