"""Boosted trees are what scikit-learn trained."""

from __future__ import annotations

import numpy as np
import pytest

from sqljury.learning.ensembles import Boosting


@pytest.fixture(scope="module")
def examples():
    chance = np.random.default_rng(0)
    vectors = chance.normal(size=(600, 4)).astype(np.float32)
    labels = vectors[:, 0] + vectors[:, 1] ** 2 > 0.5
    return vectors, labels, chance.random(600)


def test_trees_as_scikit_learn_applies_them(examples) -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    vectors, labels, weights = examples
    settings = {"trees": 30, "leaves": 8, "rate": 0.2, "least": 5}
    ours = Boosting.train(vectors, labels, weights=weights, rising=[1, 0, 0, -1], **settings)
    theirs = HistGradientBoostingClassifier(
        max_iter=30,
        max_leaf_nodes=8,
        learning_rate=0.2,
        min_samples_leaf=5,
        l2_regularization=1.0,
        monotonic_cst=[1, 0, 0, -1],
        early_stopping=False,
        random_state=0,
    ).fit(vectors, labels, sample_weight=weights)
    np.testing.assert_allclose(ours.log_odds(vectors), theirs.decision_function(vectors), atol=1e-4)
    np.testing.assert_allclose(
        ours.probabilities(vectors), theirs.predict_proba(vectors)[:, 1], atol=1e-4
    )


def test_more_of_a_rising_feature_never_lowers_the_score(examples) -> None:
    vectors, labels, _ = examples
    trees = Boosting.train(
        vectors, labels, rising=[1, 0, 0, 0], trees=30, leaves=8, rate=0.2, least=5
    )
    higher = vectors + np.array([1.0, 0, 0, 0], dtype=np.float32)
    assert (trees.log_odds(higher) >= trees.log_odds(vectors)).all()


@pytest.fixture(scope="module")
def with_gaps(examples):
    """A third of one column is missing, and then the label is mostly no."""
    vectors, labels, _ = examples
    gaps = np.random.default_rng(1).random(600) < 0.33
    rows = vectors.copy()
    rows[gaps, 0] = np.nan
    return rows, labels & ~gaps


def test_what_is_missing_goes_where_scikit_learn_sends_it(with_gaps) -> None:
    from sklearn.ensemble import HistGradientBoostingClassifier

    rows, labels = with_gaps
    ours = Boosting.train(rows, labels, trees=20, leaves=8, rate=0.2, least=5, shrink=3.0)
    theirs = HistGradientBoostingClassifier(
        max_iter=20,
        max_leaf_nodes=8,
        learning_rate=0.2,
        min_samples_leaf=5,
        l2_regularization=3.0,
        early_stopping=False,
        random_state=0,
    ).fit(rows, labels)
    np.testing.assert_allclose(ours.log_odds(rows), theirs.decision_function(rows), atol=1e-4)


def test_contributions_add_up_to_the_log_odds(with_gaps) -> None:
    rows, labels = with_gaps
    trees = Boosting.train(rows, labels, trees=20, leaves=8, rate=0.2, least=5)
    found = trees.contributions(rows)
    start = trees.base[0] + trees.value[trees.roots].sum()
    np.testing.assert_allclose(start + found.sum(axis=1), trees.log_odds(rows), atol=1e-4)
    assert np.abs(found[:, 0]).mean() > 5 * np.abs(found[:, 2:]).mean()


def test_files_of_before_know_of_nothing_missing(examples) -> None:
    vectors, labels, _ = examples
    trees = Boosting.train(vectors, labels, trees=5, leaves=4, rate=0.2, least=5)
    arrays = trees.arrays()
    del arrays["missing"]
    again = Boosting.from_arrays(arrays)
    np.testing.assert_array_equal(again.log_odds(vectors), trees.log_odds(vectors))
