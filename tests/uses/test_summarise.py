"""Aggregation: denominators, intervals, measures, slices, exact sums, --fail-under."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.case import Case
from sqljury.errors import InputError, catalogue
from sqljury.judges.base import JUDGES
from sqljury.uses.audit.rescored import leaderboard, right_answers
from sqljury.uses.evaluate import words as sentences
from sqljury.uses.evaluate.summary import JudgeSummary, Slice, Summary, failing, summarise
from sqljury.uses.statistics import wilson_interval
from sqljury.verdict import Outcome, Record, Verdict

SIGNATURES = {
    "execution:spider": "execution:spider|db:sqlite3.45|n:{n}|tol:0",
    "soft_f1": "soft|n:{n}",
}


def record(
    outcome: Outcome = Outcome.CORRECT,
    score: float | None = 1.0,
    *,
    judge: str = "execution:spider",
    features: tuple[str, ...] = (),
    labels: tuple[str, ...] = (),
    measures: dict[str, float] | None = None,
    **case: str,
) -> Record:
    verdict = Verdict(outcome=outcome, score=score, labels=labels, measures=measures or {})
    made = Case(**{"id": "1", **case})  # type: ignore[arg-type]
    return Record(case=made, judge=judge, verdict=verdict, features=features)


def first(*records: Record) -> JudgeSummary:
    return summarise(records, SIGNATURES, "run").judges[0]


# ---------------------------------------------------------------- denominators


@pytest.mark.parametrize("outcome", Outcome)
@pytest.mark.parametrize("score", [None, 0.0, 0.7])
def test_what_each_outcome_counts_for(outcome: Outcome, score: float | None) -> None:
    found = first(record(), record(outcome, score))
    assert found.outcomes == (
        {"correct": 2} if outcome == "correct" else {"correct": 1, outcome: 1}
    )
    assert (found.total, found.n, found.left_out) == ((2, 1, 1) if outcome.left_out else (2, 2, 0))
    assert found.score == (1.0 if outcome.left_out else (1 + (outcome is Outcome.CORRECT)) / 2)


def test_the_signature_carries_the_denominator() -> None:
    found = first(record(), record(), record(Outcome.REFERENCE_ERROR, None))
    assert found.signature == "execution:spider|db:sqlite3.45|n:2|tol:0"


def test_judges_come_in_the_order_of_the_signatures_even_without_records() -> None:
    found = summarise([record(judge="soft_f1")], SIGNATURES, "the/run")
    assert [judge.name for judge in found.judges] == list(SIGNATURES)
    nothing = found.judges[0]
    assert (nothing.n, nothing.total, nothing.score, nothing.low) == (0, 0, None, None)
    assert found.run == "the/run"


def test_all_left_out_scores_nothing_but_is_shown() -> None:
    found = first(record(Outcome.DATABASE_MISSING, None, db_id="shop"))
    assert (found.n, found.left_out, found.score, found.low) == (0, 1, None, None)
    assert found.outcomes == {"database_missing": 1}
    assert found.slices == (
        Slice(dimension="db_id", value="shop", n=0, score=None, low=None, high=None),
    )


def test_outcomes_keep_the_order_of_the_fixed_list() -> None:
    order = [Outcome.UNKNOWN, Outcome.INCORRECT, Outcome.ABSTAINED, Outcome.CORRECT]
    found = first(*(record(outcome, None) for outcome in order))
    assert list(found.outcomes) == ["correct", "incorrect", "abstained", "unknown"]


# ---------------------------------------------------------------- intervals


def test_wilson_for_scores_of_zero_and_one() -> None:
    found = first(*[record()] * 80, *[record(Outcome.INCORRECT, 0.0)] * 20)
    assert found.interval == "wilson"
    assert (found.low, found.high) == wilson_interval(80, 100)


def test_graded_scores_have_a_share_and_a_mean() -> None:
    scores = [0.0, 0.25, 0.5, 1.0] * 25
    found = first(
        *(
            record(Outcome.CORRECT if score >= 0.5 else Outcome.INCORRECT, score, db_id="d")
            for score in scores
        )
    )
    assert found.interval == "wilson"
    assert (found.score, (found.low, found.high)) == (0.5, wilson_interval(50, 100))
    assert (found.slices[0].score, found.slices[0].low) == (found.score, found.low)
    half = 1.959964 * stdev(scores) / 10
    assert found.mean_score == 0.4375
    assert (found.mean_low, found.mean_high) == pytest.approx((0.4375 - half, 0.4375 + half))
    assert sentences.score_sentence(found).endswith("; mean score 43.8 % (36.5–51.0)")


@pytest.mark.parametrize("judge", ["jury:offline", "verifier,threshold=0.6"])
def test_the_mean_of_probabilities_is_called_so(judge: str) -> None:
    found = replace(first(record(score=0.75)), name=judge)
    assert sentences.score_sentence(found).endswith("100.0 % of 1 (wilson 20.7–100.0); mean "
                                                    "probability 75.0 %")  # fmt: skip
    assert hasattr(JUDGES.get(judge.replace(",", ":").partition(":")[0]), "judge")


def test_no_mean_where_it_says_the_same_as_the_score() -> None:
    assert first(record(), record(Outcome.INCORRECT, 0.0)).mean_score is None


def test_a_leaderboard_has_the_same_score() -> None:
    records = [record(score=0.7), record(Outcome.INCORRECT, 0.4), record(Outcome.UNKNOWN, 0.6),
             record(Outcome.DATABASE_MISSING, None)]  # fmt: skip
    records = [replace(one, case=replace(one.case, id=str(i))) for i, one in enumerate(records)]
    found = first(*records)
    (standing,) = leaderboard("j", right_answers(records)).standings
    fields = ("n", "score", "low", "high")
    assert [getattr(found, f) for f in fields] == [getattr(standing, f) for f in fields]


# ---------------------------------------------------------------- measures and labels


def test_measures_are_zero_where_a_prediction_failed() -> None:
    found = first(
        record(measures={"r_ves": 1.25}),
        record(Outcome.INCORRECT, 0.0, measures={"r_ves": 0.0}),
        record(Outcome.PREDICTION_TIMEOUT, 0.0),
        record(Outcome.ABSTAINED, None),
        record(Outcome.REFERENCE_TIMEOUT, None),
    )
    assert found.measures == {"r_ves": 1.25 / 4}


def test_measures_that_do_not_apply_are_not_zero() -> None:
    found = first(record(measures={"b": 0.5, "a": 0.1}), record(measures={"b": 1.0}), record())
    assert found.measures == {"a": 0.1, "b": 0.75}
    assert list(found.measures) == ["a", "b"]


def test_labels_are_counted_on_every_case() -> None:
    found = first(
        record(labels=("limit_cuts_tie",)),
        record(Outcome.REFERENCE_ERROR, None, labels=("gold_fault", "limit_cuts_tie")),
    )
    assert list(found.labels.items()) == [("gold_fault", 1), ("limit_cuts_tie", 2)]


# ---------------------------------------------------------------- slices


def test_slices() -> None:
    found = first(
        record(db_id="b", difficulty="hard", features=("joins", "grouping")),
        record(Outcome.INCORRECT, 0.0, db_id="a", difficulty="easy", features=("joins",)),
        record(Outcome.REFERENCE_ERROR, None, db_id="a", difficulty="odd"),
    )
    assert [(s.dimension, s.value, s.n, s.score) for s in found.slices] == [
        ("db_id", "a", 1, 0.0),
        ("db_id", "b", 1, 1.0),
        ("difficulty", "easy", 1, 0.0),
        ("difficulty", "hard", 1, 1.0),
        ("difficulty", "odd", 0, None),
        ("feature", "grouping", 1, 1.0),
        ("feature", "joins", 2, 0.5),
    ]


@pytest.mark.parametrize("dimension", ["benchmark", "source"])
def test_benchmark_and_source_only_if_there_are_several(dimension: str) -> None:
    one = record(**{dimension: "x"})
    other = record(**{dimension: "y"})
    assert first(one, one).slices == ()
    assert [(s.dimension, s.value) for s in first(one, other).slices] == [
        (dimension, "x"),
        (dimension, "y"),
    ]


# ---------------------------------------------------------------- exact, flat, deterministic

RECORDS = st.lists(
    st.builds(
        record,
        st.sampled_from(Outcome),
        st.one_of(st.none(), st.floats(0, 1)),
        judge=st.sampled_from(list(SIGNATURES)),
        features=st.sampled_from([(), ("joins",), ("joins", "nesting")]),
        labels=st.sampled_from([(), ("x",)]),
        measures=st.sampled_from([{}, {"m": 0.1}, {"m": 0.7, "k": 1e-9}]),
        db_id=st.sampled_from(["", "a", "b"]),
        source=st.sampled_from(["", "s"]),
    ),
    max_size=30,
)


@given(RECORDS, st.randoms(use_true_random=False))
def test_order_of_records_changes_no_digit(records: list[Record], rnd: random.Random) -> None:
    shuffled = list(records)
    rnd.shuffle(shuffled)
    one, other = (summarise(some, SIGNATURES, "r").to_json() for some in (records, shuffled))
    assert json.dumps(one) == json.dumps(other)
    json.dumps(one, allow_nan=False)
    for judge in one["judges"]:
        assert judge["n"] + judge["left_out"] == judge["total"] == sum(judge["outcomes"].values())
        if judge["low"] is not None:
            assert 0 <= judge["low"] <= judge["score"] <= judge["high"] <= 1


def test_memory_is_flat_in_the_number_of_cases() -> None:
    def stream(n: int) -> Iterator[Record]:
        rnd = random.Random(0)
        for i in range(n):
            yield record(score=rnd.random(), id=str(i), db_id=f"d{i % 10}", features=("joins",))

    def peak(n: int) -> int:
        tracemalloc.start()
        summarise(stream(n), SIGNATURES, "r")
        found = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return found

    peak(200)
    assert peak(6000) < 1.5 * peak(600)


def test_evaluate_needs_neither_numpy_nor_scipy() -> None:
    program = """
import sys
from sqljury.case import Case
from sqljury.uses.evaluate import summarise
from sqljury.verdict import Record, Verdict
summarise([Record(case=Case(id="1"), judge="j", verdict=Verdict.correct())], {"j": ""}, "")
assert not {"numpy", "scipy"} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_json_has_the_published_shape() -> None:
    found = summarise([record(), record(Outcome.UNKNOWN, None)], SIGNATURES, "runs/1").to_json()
    assert list(found)[:2] == ["judges", "run"]
    judge = found["judges"][0]
    assert list(judge)[:3] == ["name", "signature", "n"]
    assert (judge["n"], judge["score"]) == (2, 0.5)
    assert judge["outcomes"] == {"correct": 1, "unknown": 1}
    assert json.loads(json.dumps(found))["judges"][1]["score"] is None


# ---------------------------------------------------------------- errors and --fail-under


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (record(score=1.5, id="7"), "score 1.5"),
        (record(score=-0.1, id="7"), "score -0.1"),
        (record(score=float("nan"), id="7"), "score nan"),
        (record(measures={"m": float("inf")}, id="7"), "measure m = inf"),
    ],
)
def test_a_judge_that_gives_nonsense_is_named(bad: Record, says: str) -> None:
    with pytest.raises(InputError, match=r"SJ505 7: execution:spider gave") as caught:
        first(bad)
    assert says in str(caught.value)
    assert "SJ505" in catalogue()


def summary(*scores: float | None) -> Summary:
    judges = tuple(
        JudgeSummary(
            name=f"j{i}",
            signature="",
            n=10,
            total=10,
            left_out=0,
            score=score,
            low=None,
            high=None,
            interval="wilson",
            outcomes={},
        )
        for i, score in enumerate(scores)
    )
    return Summary(judges=judges, run="")


@pytest.mark.parametrize(
    ("scores", "threshold", "lines"),
    [
        ((0.8, 0.9), 0.8, []),
        ((0.7999, 0.9), 0.8, ["j0: 0.7999 over 10 cases"]),
        ((None, 0.9), 0.0, ["j0: nothing was scored"]),
        ((0.0,), 0, []),
        ((0.99, 1.0), 1, ["j0: 0.9900 over 10 cases"]),
    ],
)
def test_failing(scores: tuple[float | None, ...], threshold: float, lines: list[str]) -> None:
    assert failing(summary(*scores), threshold) == lines


@pytest.mark.parametrize(
    ("threshold", "says"), [(80, "0.8"), (-1, "0.8"), (1.5, "0.015"), (200, "0.8")]
)
def test_percent_is_refused(threshold: float, says: str) -> None:
    with pytest.raises(InputError, match="SJ506") as caught:
        failing(summary(0.9), threshold)
    assert f"Write {says}" in str(caught.value)
