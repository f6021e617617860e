"""Calibration against scikit-learn and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.errors import InputError
from sqljury.learning.calibration import fit_temperature, log_loss, reliability

FRACTIONS = st.floats(0, 1, allow_nan=False)
LABELLED = st.lists(st.tuples(FRACTIONS, st.booleans()), min_size=1, max_size=60)


def sample(seed: int, sharpness: float, n: int = 400):
    """Cases whose honest logits are known, told too sharply or too softly."""
    random = np.random.default_rng(seed)
    honest = random.normal(0, 1.5, n)
    labels = random.random(n) < 1 / (1 + np.exp(-honest))
    return honest * sharpness, labels


@pytest.mark.parametrize("sharpness", [0.3, 1.0, 4.0])
def test_temperature_is_what_a_general_optimiser_finds(sharpness):
    from scipy.optimize import minimize

    logits, labels = sample(1, sharpness)
    found = fit_temperature(logits, labels)
    best = minimize(lambda t: log_loss(logits / t[0], labels), x0=[1.0], method="Nelder-Mead")
    assert found == pytest.approx(best.x[0], rel=1e-2)
    assert found == pytest.approx(sharpness, rel=0.35)
    assert log_loss(logits / found, labels) <= log_loss(logits, labels) + 1e-9


def test_log_loss_and_brier_as_scikit_learn_has_them():
    metrics = pytest.importorskip("sklearn.metrics")
    logits, labels = sample(2, 2.0)
    scores = 1 / (1 + np.exp(-logits))
    assert log_loss(logits, labels) == pytest.approx(metrics.log_loss(labels, scores))
    found = reliability(scores.tolist(), labels.tolist())
    assert found.brier == pytest.approx(metrics.brier_score_loss(labels, scores))


def test_bins_as_scikit_learn_has_them():
    calibration = pytest.importorskip("sklearn.calibration")
    logits, labels = sample(3, 1.0)
    scores = 1 / (1 + np.exp(-logits))
    right, told = calibration.calibration_curve(labels, scores, n_bins=10)
    bins = [one for one in reliability(scores.tolist(), labels.tolist()).bins if one.count]
    assert [one.right for one in bins] == pytest.approx(right.tolist())
    assert [one.score for one in bins] == pytest.approx(told.tolist())


def test_ece_by_hand():
    found = reliability([0.9, 0.9, 0.1, 0.15], [True, False, False, False], bins=2)
    # Half of the cases are told 0.9 where half of them are right, half 0.125 where none is.
    assert found.ece == pytest.approx(0.5 * 0.4 + 0.5 * 0.125)


@given(LABELLED)
def test_what_holds_for_all(cases):
    scores, labels = [score for score, _ in cases], [label for _, label in cases]
    found = reliability(scores, labels)
    assert sum(one.count for one in found.bins) == found.n == len(cases)
    assert found.ece is not None and 0 <= found.ece <= 1
    assert found.brier is not None and 0 <= found.brier <= 1
    # The distance of the means of all is never more than that of the bins.
    assert abs(np.mean(scores) - np.mean(labels)) <= found.ece + 1e-9


def test_nothing_to_compare():
    found = reliability([], [])
    assert (found.n, found.ece, found.brier) == (0, None, None)
    assert fit_temperature([1.0, 2.0], [True, True]) == 1.0
    assert 0.05 <= fit_temperature([-3.0, 3.0], [False, True]) <= 0.06  # told apart entirely


@pytest.mark.parametrize(
    ("scores", "labels"), [([float("nan")], [True]), ([1.5], [True]), ([0.5], [])]
)
def test_what_is_no_score(scores, labels):
    with pytest.raises(InputError, match="SJ025"):
        reliability(scores, labels)
    with pytest.raises(InputError, match="SJ025"):
        fit_temperature([float("inf")] if scores == [1.5] else scores, labels)
