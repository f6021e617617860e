"""Thresholds: the best against brute force, the paper's by hand, guarantees by simulation."""

from __future__ import annotations

import random
from itertools import pairwise
from math import inf, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.decision import Decision, ReplyKind
from sqljury.errors import InputError
from sqljury.uses.trust import Penalty, trust
from sqljury.uses.trust.reliability import count
from sqljury.uses.trust.thresholds import (
    best_threshold,
    conformal_threshold,
    heuristic_threshold,
    selective_threshold,
    withhold,
)


def answers(*cases: tuple[float, bool], answerable: bool = True) -> list[Decision]:
    return [
        Decision(
            id=str(i),
            answerable=answerable,
            reply=ReplyKind.ANSWERED,
            correct=right,
            confidence=sure,
        )
        for i, (sure, right) in enumerate(cases)
    ]


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
    max_size=20,
)


@given(ROWS, st.sampled_from([Penalty(0.0), Penalty(1.0), Penalty(10.0), Penalty(None)]))
def test_no_threshold_beats_the_best(rows: list[Decision], penalty: Penalty) -> None:
    c = penalty.of(len(rows))

    def phi(threshold: float) -> float:
        return count(withhold(rows, threshold)).phi(c) or 0.0

    best = best_threshold(rows, penalty)
    assert phi(best) == pytest.approx(max(map(phi, [0.0, 1.0, 2.0, 3.0, 4.0, inf])))


# Figure 2's shape: fourteen samples, the surest first.
FIGURE = "++++-+++-+----"


def test_the_heuristic_stops_where_the_sum_is_largest() -> None:
    rows = answers(*((14.0 - i, sign == "+") for i, sign in enumerate(FIGURE)))
    assert heuristic_threshold(rows) == 14 - 7
    assert heuristic_threshold([*rows, *answers((99.0, True), answerable=False)]) == 14 - 7
    assert heuristic_threshold(answers((1.0, False))) == inf
    # Equal confidences pass together.
    assert heuristic_threshold(answers((1.0, True), (1.0, False), (1.0, False))) == inf


def test_withholding_is_abstaining_below_a_threshold_or_without_a_confidence() -> None:
    rows = [
        *answers((1.0, True), (2.0, True)),
        Decision(id="m", answerable=True, reply=ReplyKind.MISSING),
    ]
    unsure = Decision(id="u", answerable=True, reply=ReplyKind.ANSWERED, correct=True)
    replies = [one.reply for one in withhold([*rows, unsure], 2.0)]
    assert replies == [
        ReplyKind.ABSTAINED,
        ReplyKind.ANSWERED,
        ReplyKind.MISSING,
        ReplyKind.ABSTAINED,
    ]


# ---------------------------------------------------------------- guarantees

SCALES = {"continuous": None, "five votes": 5}


def drawn(generator: random.Random, n: int, votes: int | None) -> list[Decision]:
    """Questions whose answers are wrong with probability 1 - confidence; a tenth impossible."""
    rows = []
    for i in range(n):
        sure = generator.random() if votes is None else generator.randint(1, votes) / votes
        right = generator.random() < sure
        rows.append(
            Decision(
                id=str(i),
                answerable=generator.random() > 0.1,
                reply=ReplyKind.ANSWERED,
                correct=right,
                confidence=sure,
            )
        )
    return rows


@pytest.mark.parametrize("votes", SCALES.values(), ids=SCALES)
@pytest.mark.parametrize("harm", [0.02, 0.1, 0.3])
def test_conformal_keeps_the_share_of_wrong_answers_in_the_mean(
    harm: float, votes: int | None
) -> None:
    generator = random.Random(7)
    population = drawn(generator, 4_000, votes)
    found = []
    for _ in range(300):
        threshold = conformal_threshold(generator.sample(population, 120), harm)
        found.append(_harm(population, threshold))
    mean = sum(found) / len(found)
    error = sqrt(sum((one - mean) ** 2 for one in found)) / len(found)
    assert mean <= harm + 3 * error
    if votes is None:  # and does not waste it: the theorem's lower bound is α - 2/(n + 1)
        assert mean >= harm - 2 / 121 - 3 * error


@pytest.mark.parametrize("votes", SCALES.values(), ids=SCALES)
def test_selective_risk_is_kept_for_nearly_all_calibration_sets(votes: int | None) -> None:
    generator = random.Random(11)
    population = drawn(generator, 4_000, votes)
    risk, delta, broken, answered = 0.35, 0.1, 0, 0
    for _ in range(300):
        threshold = selective_threshold(generator.sample(population, 250), risk, delta)
        answered += threshold < inf
        broken += _risk(population, threshold) > risk
    assert broken / 300 <= delta
    assert answered > 150


def _harm(population: list[Decision], threshold: float) -> float:
    wrong = _steps(population, threshold)[1]
    return wrong / len(population)


def _risk(population: list[Decision], threshold: float) -> float:
    given_, wrong = _steps(population, threshold)
    return wrong / given_ if given_ else 0.0


def _steps(population: list[Decision], threshold: float) -> tuple[int, int]:
    flags = [d.is_wrong for d in population if (d.confidence or 0.0) >= threshold]
    return len(flags), sum(flags)


@given(ROWS)
def test_thresholds_fall_as_more_harm_is_allowed(rows: list[Decision]) -> None:
    found = [conformal_threshold(rows, harm) for harm in (0.01, 0.1, 0.3, 0.9)]
    assert all(a >= b for a, b in pairwise(found))


@given(ROWS, st.floats(0.01, 0.99))
def test_what_was_left_behind_keeps_the_bound_on_the_calibration_set(
    rows: list[Decision], harm: float
) -> None:
    n = len(rows)
    wrong = sum(d.is_wrong for d in withhold(rows, conformal_threshold(rows, harm)))
    assert wrong == 0 or (wrong + 1) / (n + 1) <= harm + 1e-9


@pytest.mark.parametrize("risk", [0.0, 1.0, -0.1, 5])
def test_what_is_no_risk(risk: float) -> None:
    for choose in (conformal_threshold, selective_threshold):
        with pytest.raises(InputError, match="SJ547"):
            choose([], risk)


def test_too_few_decisions_guarantee_nothing() -> None:
    few = answers((1.0, True), (0.5, True))
    assert conformal_threshold(few, 0.1) == inf
    assert selective_threshold(few, 0.1) == inf
    assert selective_threshold([], 0.1) == inf


def test_rows_of_a_score_by_rule() -> None:
    known = answers(*((i / 100, i > 30) for i in range(100)))
    found = trust(answers((0.2, False), (0.9, True)), validation=known, bootstrap=0)
    rows = {row.rule: row for row in found.thresholds}
    assert set(rows) == {
        *("phi_0", "phi_10", "phi_N", "heuristic"),
        *("harm_0.05", "risk_0.05", "harm_0.1", "risk_0.1"),
    }
    assert rows["phi_10"].threshold == 0.31
    assert (rows["phi_10"].coverage, rows["phi_10"].risk, rows["phi_10"].harm) == (0.5, 0.0, 0.0)
    assert rows["phi_10"].counts.withheld == 1
