"""Risk and coverage: curves by hand, against brute force, under any order."""

from __future__ import annotations

import random
from itertools import pairwise, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.decision import Decision, ReplyKind
from sqljury.uses.trust import trust
from sqljury.uses.trust.decisions import curve_of, risk_coverage

CASES = st.lists(st.tuples(st.integers(0, 3).map(float), st.booleans()), min_size=1, max_size=6)


def test_a_curve_by_hand() -> None:
    curve = curve_of([(0.9, False), (0.8, True), (0.8, False), (0.1, True)], n=5)
    assert [(p.threshold, p.coverage, p.risk) for p in curve.points] == [
        (0.9, 0.2, 0.0),
        (0.8, 0.6, 1 / 3),
        (0.1, 0.8, 0.5),
    ]
    assert curve.accuracy_at(0.5) == pytest.approx(2 / 3)
    assert (curve.accuracy_at(1.0), curve.coverage_at(0.4), curve.coverage_at(0.0)) == (
        None,
        0.6,
        0.2,
    )
    assert curve.aurc == pytest.approx((0 + 0.5 / 2 + 1 / 3 + 0.5) / 4)


@given(st.integers(1, 500), st.integers(2, 300))
def test_fewer_points_of_a_long_curve(n: int, most: int) -> None:
    curve = curve_of([(float(i), i % 3 == 0) for i in range(n)], n=n)
    found = curve.thinned(most)
    assert len(found) == min(n, most) == len(set(found))
    assert (found[0], found[-1]) == (curve.points[0], curve.points[-1])
    assert list(found) == sorted(found, key=lambda point: point.answered)


def test_no_confidence_no_curve() -> None:
    curve = risk_coverage([Decision(id="1", answerable=True, reply=ReplyKind.ABSTAINED)])
    assert (curve.points, curve.aurc, curve.coverage_at(0.5)) == ((), None, 0.0)


@given(CASES)
def test_aurc_is_the_mean_over_all_orders_inside_ties(cases: list[tuple[float, bool]]) -> None:
    values = []
    for order in permutations(cases):
        if all(a[0] >= b[0] for a, b in pairwise(order)):
            wrong = [sum(flag for _, flag in order[:k]) / k for k in range(1, len(order) + 1)]
            values.append(sum(wrong) / len(wrong))
    assert curve_of(cases, len(cases)).aurc == pytest.approx(sum(values) / len(values))


@given(CASES, st.randoms(use_true_random=False))
def test_the_order_changes_nothing(
    cases: list[tuple[float, bool]], shuffler: random.Random
) -> None:
    shuffled = list(cases)
    shuffler.shuffle(shuffled)
    assert curve_of(cases, 9) == curve_of(shuffled, 9)


def test_unanswerable_questions_are_wrong_answers_and_abstentions_lower_the_coverage() -> None:
    rows = [
        Decision(id="1", answerable=True, reply=ReplyKind.ANSWERED, correct=True, confidence=2),
        Decision(id="2", answerable=False, reply=ReplyKind.ANSWERED, confidence=1),
        Decision(id="3", answerable=True, reply=ReplyKind.ABSTAINED, confidence=3),
    ]
    found = trust(rows, bootstrap=0)
    assert (found.n_confident, found.aurc) == (2, 0.25)
    assert found.accuracy_at == {"0.5": 0.5, "0.8": None, "0.9": None, "1": None}
    assert found.coverage_at["0.1"] == pytest.approx(1 / 3)
