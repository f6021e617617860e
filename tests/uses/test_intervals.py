"""Wilson and normal intervals, the bootstrap, McNemar, Bonferroni, Holm, exact means."""

from __future__ import annotations

import math
import random
from statistics import fmean, variance

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.uses.statistics import (
    Bootstrap,
    Confusion,
    ScoreTable,
    Tally,
    holm,
    mean_interval,
    wilson_interval,
)
from sqljury.uses.statistics.paired import bonferroni, mcnemar_exact

SCORES = st.lists(st.floats(0, 1), min_size=1, max_size=40)


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_equals_scipy(counts: tuple[int, int]) -> None:
    from scipy import stats

    successes, n = counts
    for confidence in (0.9, 0.95, 0.99):
        expected = stats.binomtest(successes, n).proportion_ci(confidence, method="wilson")
        found = wilson_interval(successes, n, confidence)
        assert found == pytest.approx((expected.low, expected.high), abs=1e-12)
        assert found is not None and 0 <= found[0] <= successes / n <= found[1] <= 1


def test_intervals_of_nothing_are_none() -> None:
    assert wilson_interval(0, 0) is None
    assert mean_interval(0.5, None, 1) is None


def test_mean_interval_is_the_normal_one_and_stays_in_range() -> None:
    from scipy import stats

    assert mean_interval(0.5, 0.04, 100) == pytest.approx(stats.norm.interval(0.95, 0.5, 0.02))
    assert mean_interval(0.99, 0.25, 4) == (pytest.approx(0.5, abs=1e-3), 1.0)


# ---------------------------------------------------------------- exact means


@given(SCORES, st.randoms(use_true_random=False))
def test_tally_is_exact_in_any_order(scores: list[float], rnd: random.Random) -> None:
    shuffled = list(scores)
    rnd.shuffle(shuffled)
    tallies = []
    for some in (scores, shuffled):
        tally = Tally()
        for score in some:
            tally.add(score)
        tallies.append((tally.n, tally.sum, tally.mean, tally.variance))
    assert tallies[0] == tallies[1]
    assert tallies[0][1] == math.fsum(scores)
    assert tallies[0][2] == pytest.approx(fmean(scores), rel=1e-15)
    if len(scores) > 1:
        assert tallies[0][3] == pytest.approx(variance(scores), rel=1e-12, abs=1e-300)


def test_tally_of_negative_and_whole_numbers() -> None:
    tally = Tally()
    for value in (-1.5, 2, 0.25):
        tally.add(value)
    assert (tally.n, tally.sum, tally.mean) == (3, 0.75, 0.25)
    assert tally.mean_over(6) == 0.125
    assert Tally().mean is None and Tally().variance is None


# ---------------------------------------------------------------- bootstrap


def _rows(n: int) -> tuple[list[float], list[bool]]:
    generator = np.random.default_rng(7)
    labels = generator.random(n) < 0.6
    scores = np.round(0.3 * labels + 0.7 * generator.random(n), 2)
    return [float(score) for score in scores], [bool(label) for label in labels]


def test_bootstrap_agrees_with_scipy() -> None:
    from scipy import stats

    scores, labels = _rows(200)
    answers = [score >= 0.5 for score in scores]
    ours = Bootstrap(resamples=5000).confusion(
        Confusion.of(zip(labels, answers, strict=True))
    ) | Bootstrap(resamples=5000).association(ScoreTable.of(scores, labels))
    theirs = {
        "accuracy": (lambda y, x: np.mean(y == x), answers),
        "pearson_r": (lambda y, x: stats.pearsonr(x, y)[0], scores),
    }
    for name, (statistic, values) in theirs.items():
        found = stats.bootstrap(
            (np.array(labels), np.array(values)),
            statistic,
            paired=True,
            vectorized=False,
            n_resamples=5000,
            method="percentile",
            rng=np.random.default_rng(1),
        ).confidence_interval
        assert ours[name] == pytest.approx((found.low, found.high), abs=0.012), name


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.99])
def test_bootstrap_covers_as_often_as_it_says(confidence: float) -> None:
    generator = np.random.default_rng(3)
    covered = 0
    for seed, counts in enumerate(generator.multinomial(150, [0.5, 0.1, 0.15, 0.25], size=300)):
        tp, fp, fn, tn = map(int, counts)
        interval = Bootstrap(resamples=400, seed=seed, confidence=confidence).confusion(
            Confusion(tp, fp, fn, tn)
        )["accuracy"]
        assert interval is not None
        covered += interval[0] <= 0.75 <= interval[1]
    assert covered / 300 == pytest.approx(confidence, abs=0.07)


def test_same_seed_same_interval_whatever_the_order() -> None:
    scores, labels = _rows(80)
    one = ScoreTable.of(scores, labels)
    other = ScoreTable.of(scores[::-1], labels[::-1])
    assert Bootstrap(300).association(one) == Bootstrap(300).association(other)
    assert Bootstrap(300, seed=1).association(one) != Bootstrap(300, seed=2).association(one)


def test_mcc_and_correlations_of_yes_and_no_share_their_interval() -> None:
    pairs = [(True, True)] * 30 + [(False, True)] * 5 + [(True, False)] * 8 + [(False, False)] * 9
    counts = Bootstrap().confusion(Confusion.of(pairs))
    table = ScoreTable.of([float(yes) for _, yes in pairs], [label for label, _ in pairs])
    assert Bootstrap().association(table)["kendall_tau"] == pytest.approx(counts["mcc"])


def test_bootstrap_in_stacks_equals_itself_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, labels = _rows(60)
    table = ScoreTable.of(scores, labels)
    whole = Bootstrap(200).association(table)
    monkeypatch.setattr("sqljury.uses.statistics.intervals._CELLS_AT_ONCE", 1000)
    assert Bootstrap(200).association(table) == whole


def test_undefined_statistics_have_no_interval() -> None:
    assert set(Bootstrap(50).confusion(Confusion()).values()) == {None}
    assert set(Bootstrap(50).association(ScoreTable.of([], [])).values()) == {None}
    only_yes = Bootstrap(50).confusion(Confusion(tp=5))
    assert only_yes["kappa"] is None and only_yes["accuracy"] == (1.0, 1.0)
    # One no in twenty: many resamples have no class left to tell apart, and do not count.
    rare = Bootstrap(500).association(ScoreTable.of([0.0] + [1.0] * 19, [False] + [True] * 19))
    assert rare["auc"] == (1.0, 1.0)


# ---------------------------------------------------------------- pairs


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_equals_the_binomial_test(only_first: int, only_second: int) -> None:
    from scipy import stats

    found = mcnemar_exact(only_first, only_second)
    n = only_first + only_second
    expected = stats.binomtest(only_first, n).pvalue if n else 1.0
    assert found == pytest.approx(expected, rel=1e-9)
    assert found == mcnemar_exact(only_second, only_first)


def test_mcnemar_with_many_cases() -> None:
    assert mcnemar_exact(50_000, 50_000) == 1.0
    assert 0 < mcnemar_exact(49_000, 51_000) < 1e-8


@given(st.lists(st.floats(0, 1), max_size=12))
def test_adjusted_p_values(p_values: list[float]) -> None:
    by_bonferroni, by_holm = bonferroni(p_values), holm(p_values)
    assert by_bonferroni == [min(1, len(p_values) * p) for p in p_values]
    for raw, step_down, single in zip(p_values, by_holm, by_bonferroni, strict=True):
        assert raw <= step_down <= single
    ranked = sorted(zip(p_values, by_holm, strict=True))
    assert [adjusted for _, adjusted in ranked] == sorted(by_holm)


def test_holm_as_in_the_textbook() -> None:
    # R: p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm")
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
