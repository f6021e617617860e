"""Agreement: the contract on unknown, left out and unlabelled cases, pairs, notes, errors."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.errors import InputError, catalogue
from sqljury.uses.agree.agreement import STATISTICS, JudgeAgreement, agree
from sqljury.uses.statistics import Confusion, Paired
from sqljury.verdict import Outcome, Scored


def rows(*triples: tuple[float | None, bool | None, Outcome | None], **rest: str) -> list[Scored]:
    return [
        Scored(id=str(i), score=score, label=label, outcome=outcome, **rest)  # type: ignore[arg-type]
        for i, (score, label, outcome) in enumerate(triples)
    ]


def plain(pairs: Iterable[tuple[float | None, bool]], **rest: str) -> list[Scored]:
    return rows(*((score, label, None) for score, label in pairs), **rest)


def one(given_rows: list[Scored], unknown: str = "no") -> JudgeAgreement:
    return agree({"j": given_rows}, bootstrap=0, unknown=unknown).judges[0]  # type: ignore[arg-type]


def pair(a: list[Scored], b: list[Scored], unknown: str = "no") -> Paired:
    return agree({"a": a, "b": b}, bootstrap=0, unknown=unknown).pairs[0]  # type: ignore[arg-type]


# ---------------------------------------------------------------- what counts as what

NO_SCORE = [(None, None), (None, Outcome.UNKNOWN), (None, Outcome.ABSTAINED)]
# A judge may attach a score all the same: the outcome decides.
DESPITE_SCORE = [(0.9, Outcome.UNKNOWN), (0.9, Outcome.ABSTAINED)]


@pytest.mark.parametrize(("score", "outcome"), NO_SCORE + DESPITE_SCORE)
def test_unknown_counts_as_no_and_not_as_a_score(
    score: float | None, outcome: Outcome | None
) -> None:
    found = one(rows((1.0, True, None), (0.0, False, None), (score, True, outcome)))
    assert (found.n, found.n_scored, found.n_unknown) == (3, 2, 1)
    assert found.coverage == pytest.approx(2 / 3)
    assert found.confusion == Confusion(tp=1, fn=1, tn=1)
    assert found.accuracy == pytest.approx(2 / 3)
    assert found.auc == found.auc_thresholded == 1.0


@pytest.mark.parametrize(("score", "outcome"), NO_SCORE + DESPITE_SCORE)
def test_unknown_excluded(score: float | None, outcome: Outcome | None) -> None:
    found = one(rows((1.0, True, None), (0.0, False, None), (score, True, outcome)), "exclude")
    assert (found.n, found.n_scored, found.n_unknown) == (2, 2, 1)
    assert found.coverage == pytest.approx(2 / 3)
    assert found.kappa == found.accuracy == 1.0


@pytest.mark.parametrize("outcome", [o for o in Outcome if o.startswith("prediction_")])
@pytest.mark.parametrize("score", [None, 0.0, 1.0])
def test_a_prediction_that_fails_is_a_scored_no(outcome: Outcome, score: float | None) -> None:
    found = one(rows((1.0, True, None), (score, False, outcome)))
    assert (found.n, found.n_scored, found.n_unknown) == (2, 2, 0)
    assert found.confusion == Confusion(tp=1, tn=1)


@pytest.mark.parametrize("outcome", [o for o in Outcome if o.left_out])
@pytest.mark.parametrize("unknown", ["no", "exclude"])
def test_what_is_left_out_is_counted_beside(outcome: Outcome, unknown: str) -> None:
    found = one(rows((1.0, True, None), (0.0, False, None), (1.0, False, outcome)), unknown)
    assert (found.n, found.n_left_out, found.n_unknown, found.coverage) == (2, 1, 0, 1.0)
    assert found.confusion == Confusion(tp=1, tn=1)


def test_rows_without_label_are_counted_and_left_out() -> None:
    reference = Outcome.REFERENCE_ERROR
    found = one(rows((1.0, True, None), (1.0, None, None), (None, None, reference)))
    assert (found.n, found.n_unlabelled, found.n_left_out) == (1, 2, 0)


def test_the_threshold_of_the_row_decides() -> None:
    scores = [(0.5, True), (0.49, False)]
    assert one(plain(scores)).accuracy == 1.0
    strict = [
        Scored(id=str(i), score=score, label=label, threshold=0.6)
        for i, (score, label) in enumerate(scores)
    ]
    assert one(strict).confusion == Confusion(fn=1, tn=1)


def test_scores_of_others_may_be_any_number() -> None:
    found = one(plain([(-7.0, False), (-3.5, False), (12.0, True)]))
    assert found.auc == 1.0 and found.kappa == 1.0


def test_calibration_is_of_graded_scores_in_the_unit_interval() -> None:
    graded = [(0.1, False), (0.15, True), (0.65, True), (0.95, True), (None, True)]
    found = one(plain(graded)).calibration
    assert found is not None
    assert found.n == 4
    assert found.ece == pytest.approx((2 * abs(0.125 - 0.5) + 0.35 + 0.05) / 4)
    labels, scores = ([True, False], [1.0, 0.0])
    assert one(plain(zip(scores * 3, labels * 3, strict=True))).calibration is None
    assert one(plain([(0.2, True), (0.5, False), (1.5, True)])).calibration is None


def test_continuous_and_thresholded_differ() -> None:
    found = one(plain([(0.9, True), (0.6, False), (0.7, True), (0.2, False), (0.1, True)]))
    assert found.auc == pytest.approx(4 / 6)
    assert found.auc_thresholded == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert found.kendall_tau_thresholded == pytest.approx(found.mcc)
    assert found.kendall_tau != found.kendall_tau_thresholded


def test_one_class_leaves_statistics_undefined_as_json_null() -> None:
    found = agree({"j": plain([(1.0, True), (1.0, True)])}, bootstrap=20)
    judge = json.loads(json.dumps(found.to_json(), allow_nan=False))["judges"][0]
    assert {name for name in STATISTICS if judge[name] is None} == (
        set(STATISTICS) - {"accuracy", "precision", "recall", "f1"}
    )
    assert judge["intervals"]["kappa"] is None
    assert judge["intervals"]["accuracy"] == [1.0, 1.0]


SCORED = st.builds(
    Scored,
    id=st.integers(0, 30).map(str),
    score=st.one_of(st.none(), st.sampled_from([0.0, 0.3, 0.5, 1.0])),
    label=st.one_of(st.none(), st.booleans()),
    outcome=st.one_of(st.none(), st.sampled_from(Outcome)),
    benchmark=st.sampled_from(["bird", "spider"]),
    slices=st.dictionaries(st.sampled_from(["db_id"]), st.sampled_from("xyz")),
)
INPUT = st.lists(SCORED, unique_by=lambda row: (row.benchmark, row.id), max_size=25).filter(
    lambda found: any(row.label is not None for row in found)
)


@given(INPUT, st.sampled_from(["no", "exclude"]))
def test_every_row_is_accounted_for(given_rows: list[Scored], unknown: str) -> None:
    found = one(given_rows, unknown)
    for part, expected in (
        ([found], len(given_rows)),
        (found.by_benchmark, len(given_rows)),
        (found.slices, sum("db_id" in row.slices for row in given_rows)),
    ):
        total = sum(p.n_scored + p.n_unknown + p.n_unlabelled + p.n_left_out for p in part)
        assert total == expected
        for figures in part:
            assert figures.n == figures.confusion.n
            assert figures.n == figures.n_scored + figures.n_unknown * (unknown == "no")
    assert sum(row.n for row in found.by_benchmark) == found.n


@pytest.mark.slow
@given(INPUT, INPUT, st.randoms(use_true_random=False))
def test_order_of_rows_changes_no_digit(
    a: list[Scored], b: list[Scored], rnd: random.Random
) -> None:
    first = agree({"a": a, "b": b}, bootstrap=20)
    shuffled = [list(a), list(b)]
    for some in shuffled:
        rnd.shuffle(some)
    second = agree({"a": shuffled[0], "b": shuffled[1]}, bootstrap=20)
    assert (first.judges, first.pairs) == (second.judges, second.pairs)


# ---------------------------------------------------------------- rows, slices, intervals


def test_a_row_per_benchmark_always_and_slices_by_what_rows_have() -> None:
    def some(benchmark: str, database: str) -> Scored:
        return Scored(
            id=database, score=1.0, label=True, benchmark=benchmark, slices={"db_id": database}
        )

    spider, bird = some("spider", "shop"), some("bird", "zoo")
    found = agree({"j": [spider, bird]}, bootstrap=0).judges[0]
    assert [(row.dimension, row.value, row.n) for row in found.by_benchmark] == [
        ("benchmark", "bird", 1),
        ("benchmark", "spider", 1),
    ]
    assert [(row.dimension, row.value) for row in found.slices] == [
        ("db_id", "shop"),
        ("db_id", "zoo"),
    ]
    assert len(one([spider]).by_benchmark) == 1
    assert agree({"j": [spider]}, bootstrap=0, slices=()).judges[0].slices == ()


def test_intervals_surround_their_statistic_and_depend_on_the_seed() -> None:
    scores = plain([(i % 10 / 10, i % 7 > 2) for i in range(100)])
    found = agree({"j": scores}, bootstrap=300)
    assert list(found.judges[0].intervals) == list(STATISTICS)
    for name, interval in found.judges[0].intervals.items():
        assert interval is not None
        assert interval[0] <= getattr(found.judges[0], name) <= interval[1], name
    again, other = agree({"j": scores}, bootstrap=300), agree({"j": scores}, bootstrap=300, seed=1)
    assert found == again
    assert found.judges != other.judges
    wide = agree({"j": scores}, bootstrap=300, confidence=0.99).judges[0].intervals["kappa"]
    narrow = agree({"j": scores}, bootstrap=300, confidence=0.8).judges[0].intervals["kappa"]
    assert wide is not None and narrow is not None
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_an_interval_does_not_depend_on_the_other_judges() -> None:
    mine = plain([(i % 3 / 2, i % 2 == 0) for i in range(30)])
    theirs = plain([(i % 5 / 4, i % 2 == 0) for i in range(30)])
    alone, beside = agree({"m": mine}), agree({"t": theirs, "m": mine})
    assert alone.judges[0] == beside.judges[1]


def test_json_has_the_published_shape() -> None:
    some = plain([(1.0, True), (0.0, True), (0.0, False)])
    found = agree({"x": some, "y": some}, bootstrap=10).to_json()
    assert list(found)[:2] == ["judges", "pairs"]
    judge = found["judges"][0]
    assert next(iter(judge)) == "name"
    assert {"n", "kappa", "accuracy", "mcc", "f1", "auc"} <= set(judge)
    assert judge["confusion"] == {"tp": 1, "fp": 0, "fn": 1, "tn": 1}
    assert judge["accuracy"] == 2 / 3
    assert {"a", "b", "n", "only_a", "only_b", "p", "p_bonferroni", "p_holm"} <= set(
        found["pairs"][0]
    )


# ---------------------------------------------------------------- pairs


def test_pairs_are_on_the_cases_both_have() -> None:
    a = [Scored(id=i, score=1.0, label=True) for i in "123456"]
    b = [Scored(id=i, score=0.0, label=True) for i in "345678"]
    found = pair(a, b)
    assert (found.n, found.only_first, found.only_second, found.both, found.neither) == (
        *(4, 4, 0),
        *(0, 0),
    )
    assert found.p == pytest.approx(0.125)
    notes = agree({"a": a, "b": b}, bootstrap=0).notes
    assert notes == ("a and b are not over the same labelled cases: 6 and 6, 4 in both.",)


def test_ids_are_joined_with_their_benchmark() -> None:
    a = plain([(1.0, True)], benchmark="bird")
    b = plain([(1.0, True)], benchmark="spider")
    assert (pair(a, b).n, pair(a, b).p, pair(a, b).p_holm) == (0, None, None)


def test_judges_that_never_differ_have_p_one() -> None:
    same = plain([(1.0, True), (0.0, True)])
    assert (pair(same, same).p, pair(same, same).p_holm) == (1.0, 1.0)


@pytest.mark.parametrize(("unknown", "n"), [("no", 3), ("exclude", 2)])
def test_unknown_and_left_out_in_pairs(unknown: str, n: int) -> None:
    a = rows((1.0, True, None), (None, True, Outcome.UNKNOWN), *[(1.0, True, None)] * 2)
    b = rows(*[(1.0, True, None)] * 3, (None, True, Outcome.DATABASE_MISSING))
    found = pair(a, b, unknown)
    assert (found.n, found.only_second) == (n, n - 2)


def test_cases_with_two_labels_are_named_and_not_paired() -> None:
    a = plain([(1.0, True), (1.0, True)])
    b = plain([(1.0, False), (1.0, True)])
    found = agree({"a": a, "b": b}, bootstrap=0)
    assert (found.pairs[0].n, found.pairs[0].n_left_out) == (1, 1)
    assert found.notes == (
        "a and b state different labels for 1 of 2 cases (0): name one file for all with --labels.",
    )


def test_p_values_are_adjusted_over_the_pairs_that_were_tested() -> None:
    right = plain([(1.0, True)] * 12)
    half = plain([(float(i % 2), True) for i in range(12)])
    wrong = plain([(0.0, True)] * 12)
    elsewhere = plain([(1.0, True)], benchmark="elsewhere")
    found = agree({"r": right, "h": half, "w": wrong, "e": elsewhere}, bootstrap=0)
    by_names = {p.first + p.second: p for p in found.pairs}
    assert by_names["rw"].p == pytest.approx(2 / 2**12)
    assert by_names["rw"].p_bonferroni == pytest.approx(6 / 2**12)
    assert by_names["rw"].p_holm == pytest.approx(6 / 2**12)
    assert by_names["hw"].p_holm == pytest.approx(2 * 2 / 2**6)
    assert by_names["re"].p is by_names["re"].p_bonferroni is by_names["re"].p_holm is None


# ---------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("given_rows", "slices", "code", "says"),
    [
        ([Scored(id="7", score=1.0, label=True)] * 2, None, "SJ501", "7"),
        ([Scored(id="1", score=float("nan"), label=True)], None, "SJ502", "nan"),
        ([Scored(id="1", score=float("inf"), label=True, origin="f:3")], None, "SJ502", "f:3"),
        ([Scored(id="1", score=1.0, label=None)], None, "SJ503", "--label"),
        ([], None, "SJ503", "j"),
        ([Scored(id="1", score=1.0, label=True, slices={"db_id": "x"})], ["db"], "SJ504", "db_id"),
    ],
)
def test_errors_say_what_and_where(
    given_rows: list[Scored], slices: list[str] | None, code: str, says: str
) -> None:
    with pytest.raises(InputError, match=code) as caught:
        agree({"j": given_rows}, slices=slices)
    assert says in str(caught.value)
    assert code in catalogue()


def test_ids_that_repeat_in_two_benchmarks_are_two_cases() -> None:
    both = plain([(1.0, True)], benchmark="bird") + plain([(0.0, True)], benchmark="spider")
    assert one(both).n == 2
