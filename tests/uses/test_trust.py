"""Reliability scores: equation 4 by hand, what must hold for any decisions, mixes, baselines."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from math import isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.decision import Decision, ReplyKind
from sqljury.errors import InputError
from sqljury.uses.statistics import Bootstrap
from sqljury.uses.trust import (
    DEFAULT_PENALTIES,
    Gate,
    Penalty,
    apply_gates,
    parse_penalty,
    reliability,
    trust,
)
from sqljury.uses.trust.reliability import count, mixed
from sqljury.verdict import Outcome

ANSWERED, ABSTAINED, MISSING = ReplyKind.ANSWERED, ReplyKind.ABSTAINED, ReplyKind.MISSING


def decision(
    id: str, answerable: bool, reply: ReplyKind, correct: bool | None = None, **rest
) -> Decision:
    return Decision(id=id, answerable=answerable, reply=reply, correct=correct, **rest)


# The five cases of equation 4, and the reply that the paper does not know.
FIVE = [
    (decision("1", True, ANSWERED, True), 1, 1, 1),
    (decision("2", True, ABSTAINED), 0, 0, 0),
    (decision("3", True, ANSWERED, False), 0, -10, -7),
    (decision("4", False, ANSWERED), 0, -10, -7),
    (decision("5", False, ABSTAINED), 1, 1, 1),
    (decision("6", True, MISSING), 0, 0, 0),
    (decision("7", False, MISSING), 0, 0, 0),
]


@pytest.mark.parametrize(("one", "at_0", "at_10", "at_n"), FIVE)
def test_equation_4_case_by_case(one: Decision, at_0: float, at_10: float, at_n: float) -> None:
    penalties = [penalty.of(len(FIVE)) for penalty in DEFAULT_PENALTIES]
    assert penalties == [0, 10, 7]
    assert [reliability(one, c) for c in penalties] == [at_0, at_10, at_n]


def test_equation_4_as_a_mean() -> None:
    found = trust([row[0] for row in FIVE], bootstrap=0)
    assert found.phi == {"0": 2 / 7, "10": -18 / 7, "N": -12 / 7}
    assert (found.coverage, found.risk) == (3 / 7, 2 / 3)
    assert (found.n, found.n_answerable, found.n_unanswerable, found.intervals) == (7, 4, 3, {})
    # N is the number of questions of the mix, as in the paper.
    ans = found.mixes["ans"]
    assert ans.phi == {"0": 1 / 4, "10": -9 / 4, "N": -3 / 4}


def test_the_published_share_of_abstaining_always() -> None:
    rows = [decision(f"a{i}", True, ABSTAINED) for i in range(526)]
    rows += [decision(f"u{i}", False, ABSTAINED) for i in range(525)]
    found = trust(rows, bootstrap=0)
    for name, share in (("ans", 0.0), ("ans_unans_25", 0.199), ("ans_unans", 0.5)):
        assert {round(value or 0, 3) for value in found.mixes[name].phi.values()} == {
            round(share, 3)
        }


ROWS = st.lists(
    st.builds(
        Decision,
        id=st.uuids().map(str),
        answerable=st.booleans(),
        reply=st.sampled_from(ReplyKind),
        correct=st.booleans(),
        confidence=st.none() | st.integers(0, 4).map(float),
    ),
    min_size=1,
    max_size=40,
    unique_by=lambda one: one.id,
)
PENALTIES = st.lists(st.floats(0, 1e6), min_size=2, max_size=2).map(sorted)


@given(ROWS, PENALTIES)
def test_bounds_and_monotone_in_the_penalty(rows: list[Decision], penalties: list[float]) -> None:
    counts = count(rows)
    low, high = (counts.phi(c) for c in penalties)
    assert low is not None and high is not None
    assert high <= low <= 1
    assert high >= -penalties[1] - 1e-9
    mean = sum(reliability(row, penalties[1]) for row in rows) / len(rows)
    assert isclose(high, mean, rel_tol=1e-9, abs_tol=1e-9)


@given(ROWS, st.randoms(use_true_random=False))
def test_the_order_changes_nothing(rows: list[Decision], shuffler: random.Random) -> None:
    shuffled = list(rows)
    shuffler.shuffle(shuffled)
    assert trust(rows, bootstrap=20) == trust(shuffled, bootstrap=20)


@given(ROWS)
def test_no_abstaining_beats_the_oracle(rows: list[Decision]) -> None:
    found = trust(rows, bootstrap=0)
    for penalty, best in found.baselines["oracle"].items():
        assert best is not None
        for value in (found.phi[penalty], *(b[penalty] for b in found.baselines.values())):
            assert value is not None and value <= best + 1e-12


def test_baselines_by_hand() -> None:
    rows = [
        decision("1", True, ANSWERED, True),
        decision("2", True, ABSTAINED, True),  # withheld, and known to be right
        decision("3", True, ABSTAINED),
        decision("4", False, ABSTAINED),
    ]
    found = trust(rows, bootstrap=0, penalties=[Penalty(1.0)])
    assert found.phi == {"1": 0.5}
    assert found.baselines == {
        "abstain_all": {"1": 0.25},
        "answer_all": {"1": 0.0},
        "oracle": {"1": 0.75},
    }


def test_a_quarter_of_the_unanswerable_is_chosen_by_question_and_seed() -> None:
    rows = [decision(str(i), i % 2 == 0, ABSTAINED) for i in range(80)]
    chosen = [one.id for one in mixed(rows, 0.25) if not one.answerable]
    assert len(chosen) == 10
    assert [d.id for d in mixed(rows[::-1], 0.25) if not d.answerable] == chosen[::-1]
    assert [d.id for d in mixed(rows, 0.25, seed=1) if not d.answerable] != chosen
    assert sum(one.answerable for one in mixed(rows, 0.25)) == 40
    # A run knows the benchmark's name, a file of decisions need not.
    named = [replace(one, benchmark="b") for one in rows]
    assert [one.id for one in mixed(named, 0.25) if not one.answerable] == chosen


def test_missing_errors_abstentions_and_left_out_are_four_things() -> None:
    rows = [
        decision("1", True, MISSING),
        decision("2", True, ANSWERED, False, outcome=Outcome.PREDICTION_ERROR),
        decision("3", True, ABSTAINED),
        decision("4", True, ANSWERED, outcome=Outcome.DATABASE_MISSING),
        decision("5", True, ANSWERED, False, outcome=Outcome.UNKNOWN),
        decision("6", False, ANSWERED, outcome=Outcome.DATABASE_MISSING),
    ]
    found = trust(rows, bootstrap=0)
    counts = found.counts
    assert (found.n, found.n_left_out) == (5, 1)
    assert (counts.missing_answerable, counts.withheld, counts.wrong) == (1, 1, 2)
    assert (counts.errors, counts.unknown, counts.harmful) == (1, 1, 1)


def test_slices_average_to_the_whole() -> None:
    kinds = ["a", "b", "b", "b"]
    rows = [
        decision(str(i), i > 0, ANSWERED, i > 1, slices={"type": kind})
        for i, kind in enumerate(kinds)
    ]
    found = trust(rows, bootstrap=0)
    for penalty, value in found.phi.items():
        parts = [(part.n, part.phi[penalty] or 0) for part in found.slices]
        assert sum(n * phi for n, phi in parts) / found.n == pytest.approx(value)
    assert [(part.dimension, part.value) for part in found.slices] == [("type", "a"), ("type", "b")]


def test_the_interval_is_that_of_a_mean() -> None:
    rows = [decision(str(i), True, ANSWERED, i % 4 > 0) for i in range(400)]
    found = trust(rows, bootstrap=2000)
    low, high = found.intervals["0"] or (0, 0)
    # Plain accuracy: the normal interval of a share of 75 % among 400.
    assert (low, high) == pytest.approx((0.75 - 0.0424, 0.75 + 0.0424), abs=0.005)
    low, high = found.intervals["10"] or (0, 0)
    assert (low, high) == pytest.approx((-1.75 - 11 * 0.0424, -1.75 + 11 * 0.0424), abs=0.06)
    assert Bootstrap().mean({}) is None and Bootstrap().mean({1.0: 0}) is None


def test_gates_hold_back_in_turn_and_say_nothing_of_what_they_do_not_know() -> None:
    rows = [decision(str(i), True, ANSWERED, i % 2 == 0) for i in range(4)]
    rows.append(decision("m", True, MISSING))
    first = Gate(name="cls", scores={("", "0"): 0.0, ("", "1"): 1.0, ("", "2"): 0.5})
    second = Gate(name="error", scores={("", str(i)): 0.2 * i for i in range(4)}, threshold=0.3)
    passed, passages = apply_gates(rows, [first, second])
    assert [one.reply for one in passed] == [ABSTAINED, ABSTAINED, ANSWERED, ANSWERED, MISSING]
    assert [(p.reached, p.held_back, p.silent) for p in passages] == [(4, 1, 1), (3, 1, 0)]
    assert passed[0].correct is True  # withheld, not forgotten


@pytest.mark.parametrize(
    ("text", "name", "of_7"), [("0", "0", 0), ("-0", "0", 0), ("2.50", "2.5", 2.5), ("n", "N", 7)]
)
def test_penalties(text: str, name: str, of_7: float) -> None:
    assert (parse_penalty(text).name, parse_penalty(text).of(7)) == (name, of_7)


@pytest.mark.parametrize("text", ["", "-1", "inf", "nan", "ten"])
def test_what_is_no_penalty(text: str) -> None:
    with pytest.raises(InputError, match="SJ540"):
        parse_penalty(text)


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ([], "SJ541"),
        ([decision("1", True, ABSTAINED), decision("1", False, ABSTAINED)], "SJ546"),
        ([decision("1", True, ANSWERED)], "SJ542"),
        ([decision("1", True, ABSTAINED, confidence=float("nan"))], "SJ502"),
    ],
)
def test_what_cannot_be_scored(rows: list[Decision], code: str) -> None:
    with pytest.raises(InputError, match=code):
        trust(rows)


def test_json_holds_what_scripts_rely_on() -> None:
    found = json.loads(json.dumps(trust([row[0] for row in FIVE]).to_json()))
    assert set(found["mixes"]) == {"ans", "ans_unans_25", "ans_unans"}
    assert set(found["baselines"]) == {"abstain_all", "answer_all", "oracle"}
    assert found["aurc"] is None and found["phi"]["10"] == -18 / 7
    assert found["mixes"]["ans_unans"]["phi"] == found["phi"]
