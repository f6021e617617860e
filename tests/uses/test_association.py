"""AUC and rank correlations against scikit-learn and scipy, and where they are undefined."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sqljury.uses.statistics import ASSOCIATION_STATISTICS, Confusion, ScoreTable

COARSE = st.sampled_from([0.0, 0.25, 0.5, 1.0])
FINE = st.floats(-1e6, 1e6, allow_nan=False, allow_subnormal=False)
ROWS = st.lists(st.tuples(st.one_of(COARSE, FINE), st.booleans()), min_size=2, max_size=60)


@given(ROWS)
def test_equals_scikit_learn_and_scipy(rows: list[tuple[float, bool]]) -> None:
    from scipy import stats
    from sklearn.metrics import roc_auc_score

    scores, labels = zip(*rows, strict=True)
    assume(len(set(labels)) == 2 and len(set(scores)) > 1)
    found = ScoreTable.of(scores, labels).statistics()
    assert list(found) == list(ASSOCIATION_STATISTICS)
    assert found["auc"] == pytest.approx(roc_auc_score(labels, scores), abs=1e-12)
    assert found["kendall_tau"] == pytest.approx(stats.kendalltau(scores, labels)[0], abs=1e-9)
    assert found["spearman_rho"] == pytest.approx(stats.spearmanr(scores, labels)[0], abs=1e-9)


@given(
    st.lists(
        st.tuples(st.integers(-1000, 1000).map(lambda i: i / 8), st.booleans()),
        min_size=2,
        max_size=60,
    )
)
def test_pearson_equals_scipy(rows: list[tuple[float, bool]]) -> None:
    from scipy import stats

    scores, labels = zip(*rows, strict=True)
    assume(len(set(labels)) == 2 and len(set(scores)) > 1)
    found = ScoreTable.of(scores, labels).statistics()["pearson_r"]
    assert found == pytest.approx(stats.pearsonr(scores, labels)[0], abs=1e-9)


@pytest.mark.parametrize(
    ("scores", "labels", "defined"),
    [
        ([], [], set()),
        ([0.5], [True], set()),
        ([0.1, 0.9], [True, True], set()),
        ([0.1, 0.9], [False, False], set()),
        ([0.5, 0.5, 0.5], [True, False, True], {"auc"}),
        ([0.1, 0.9], [False, True], set(ASSOCIATION_STATISTICS)),
    ],
)
def test_undefined_is_none(scores: list[float], labels: list[bool], defined: set[str]) -> None:
    found = ScoreTable.of(scores, labels).statistics()
    assert {name for name, value in found.items() if value is not None} == defined


def test_constant_scores_separate_nothing() -> None:
    assert ScoreTable.of([0.5] * 4, [True, False, True, False]).statistics()["auc"] == 0.5


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1.0, 1e9, 1e200])
def test_scores_of_any_size(scale: float) -> None:
    scores = [1.0, 2.0, 3.0, 4.0]
    labels = [False, True, False, True]
    scaled = ScoreTable.of([scale * score for score in scores], labels).statistics()
    assert scaled == pytest.approx(ScoreTable.of(scores, labels).statistics())


def test_close_scores_far_from_zero_keep_their_correlation() -> None:
    steps, labels = [0.0, 7.0, 13.0, 14.0], [False, True, False, True]
    far = ScoreTable.of([1e8 + step * math.ulp(1e8) for step in steps], labels)
    assert far.statistics() == ScoreTable.of(steps, labels).statistics()


@given(ROWS, st.randoms(use_true_random=False))
def test_order_of_cases_changes_no_digit(
    rows: list[tuple[float, bool]], rnd: random.Random
) -> None:
    shuffled = list(rows)
    rnd.shuffle(shuffled)
    first, second = (
        ScoreTable.of([s for s, _ in some], [y for _, y in some]) for some in (rows, shuffled)
    )
    assert first.statistics() == second.statistics()


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=2, max_size=40))
def test_for_yes_and_no_all_correlations_are_mcc(pairs: list[tuple[bool, bool]]) -> None:
    mcc = Confusion.of(pairs).statistics()["mcc"]
    found = ScoreTable.of([float(yes) for _, yes in pairs], [label for label, _ in pairs])
    for name in ("kendall_tau", "spearman_rho", "pearson_r"):
        assert found.statistics()[name] == (mcc if mcc is None else pytest.approx(mcc, abs=1e-12))
