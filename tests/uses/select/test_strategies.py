"""What each strategy picks, and what `selection` makes of it."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.uses.select import Ballot, CandidatePool, make_strategy, pools_of, selection
from sqljury.uses.select.pool import Candidate
from sqljury.uses.select.selection import JudgedPool
from sqljury.uses.statistics.paired import mcnemar_chi2, mcnemar_exact

BALLOT = Ballot(
    counts=(2, 3, 1, 4),
    runs=(True, True, True, False),
    rows=(True, False, True, False),
    groups=(0, 1, 0, None),
    systems=(("a", "b"), ("c", "d", "e"), ("f",), ("g", "h", "i", "j")),
    scores={"verifier": (0.1, 0.3, 0.9, None)},
    right=(True, False, False, False),
)


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("first", [1, 0, 0, 0]),
        ("random", [0.2, 0.3, 0.1, 0.4]),
        ("execution", [2 / 3, 0, 1 / 3, 0]),
        # Three votes each: every one of the six is as likely.
        ("majority", [2 / 6, 3 / 6, 1 / 6, 0]),
        ("verifier", [0, 0, 1, 0]),
        # 2 * 0.1 + 0.9 against 3 * 0.3.
        ("verifier-majority", [2 / 3, 0, 1 / 3, 0]),
        ("oracle", [1, 0, 0, 0]),
        ("system:d", [0, 1, 0, 0]),
        ("system:z", [0, 0, 0, 0]),
    ],
)
def test_shares(name: str, shares: list[float]) -> None:
    assert make_strategy(name).shares(BALLOT) == pytest.approx(shares)


def test_failures_never_vote() -> None:
    failing = replace(BALLOT, groups=(None, 0, None, None))
    assert make_strategy("majority").shares(failing) == [0, 1, 0, 0]
    nothing = replace(BALLOT, groups=(None,) * 4, runs=(False,) * 4, rows=(False,) * 4)
    for name in ("majority", "execution"):
        assert make_strategy(name).shares(nothing) == [0.2, 0.3, 0.1, 0.4]


def test_votes_that_weigh_nothing_leave_everything_open() -> None:
    silent = replace(BALLOT, scores={"verifier": (None, 0.0, None, None)})
    assert make_strategy("verifier-majority").shares(silent) == [0.2, 0.3, 0.1, 0.4]


@pytest.mark.parametrize("name", ["best", "judge:", "system:", "verifierr", "Majority", ""])
def test_unknown_strategies(name: str) -> None:
    with pytest.raises(InputError, match="SJ570"):
        make_strategy(name)


@pytest.mark.parametrize(
    ("text", "judge"),
    [
        ("verifier", "verifier"),
        ("verifier,model=a.npz", "verifier,model=a.npz"),
        ("verifier-majority,model=a.npz", "verifier,model=a.npz"),
        ("judge:execution:spider,keep_distinct=true", "execution:spider,keep_distinct=true"),
        ("majority", None),
    ],
)
def test_the_judge_that_a_strategy_reads(text: str, judge: str | None) -> None:
    assert make_strategy(text).judge == judge


def question(number: int, ballot: Ballot = BALLOT, **fields: str) -> JudgedPool:
    candidates = tuple(
        Candidate(sql=f"SELECT {place}", count=count) for place, count in enumerate(ballot.counts)
    )
    case = Case(id=str(number), reference_sqls=("SELECT a FROM t",), **fields)
    return JudgedPool(CandidatePool(case, candidates), ballot)


def found_in(seen: list[JudgedPool], *names: str, seed: int = 0):  # type: ignore[no-untyped-def]
    strategies = [make_strategy(name) for name in names]
    return selection(seen, strategies, signature="test", seed=seed, resamples=20)


def test_accuracy_is_the_expectation_and_the_draw_has_it_in_the_mean() -> None:
    from scipy.stats import binomtest

    seen = [question(number) for number in range(600)]
    found = found_in(seen, "random", "majority", "execution")
    accuracies = [one.accuracy for one in found.strategies]
    assert accuracies == pytest.approx([0.2, 1 / 3, 2 / 3])
    for one in found.strategies:
        assert binomtest(round(one.drawn * 600), 600, one.accuracy).pvalue > 1e-4
        assert one.regret == pytest.approx(1 - one.accuracy)
    assert found.oracle.accuracy == 1


def test_the_order_of_the_questions_changes_nothing() -> None:
    seen = [question(number) for number in range(40)]
    names = ("majority", "execution", "verifier-majority")
    first = found_in(seen, *names)
    random.Random(1).shuffle(seen)
    second = found_in(seen, *names)
    assert first.to_json() == second.to_json()
    assert {p.pool.key: p.sql for p in first.picks["majority"]} == {
        p.pool.key: p.sql for p in second.picks["majority"]
    }
    other = found_in(seen, *names, seed=1)
    assert other.strategies[0].accuracy == first.strategies[0].accuracy
    assert [p.place for p in other.picks["majority"]] != [p.place for p in second.picks["majority"]]


def test_questions_that_do_not_count_are_picked_for_all_the_same() -> None:
    seen = [
        question(1),
        replace_seen(question(2), "database_missing"),
        question(3, Ballot(counts=())),
        question(4, Ballot(counts=(), right=())),
    ]
    found = found_in(seen, "majority", "first")
    assert (found.n, found.total, found.left_out) == (2, 4, {"database_missing": 1})
    assert len(found.picks["majority"]) == 4
    # A question without candidates has no pick, and counts as wrong.
    assert found.picks["first"][3].place is None
    assert found.strategies[1].accuracy == 0.5
    assert found.oracle.accuracy == 0.5


def replace_seen(seen: JudgedPool, why: str) -> JudgedPool:
    return JudgedPool(seen.pool, seen.ballot, why)


def test_nothing_is_known_to_be_right() -> None:
    found = found_in([question(1, replace(BALLOT, right=None))], "majority")
    assert (found.n, found.oracle, found.tests) == (0, None, ())
    assert found.strategies[0].accuracy is None
    assert found.picks["majority"][0].sql in ("SELECT 0", "SELECT 1", "SELECT 2")


def test_slices_by_difficulty_and_by_hardness_of_the_reference() -> None:
    seen = [question(1, difficulty="simple"), question(2, difficulty="hard")]
    slices = found_in(seen, "first").strategies[0].slices
    assert all(part.curve == (1,) * 10 for part in slices)
    assert [(s.dimension, s.value, s.n) for s in slices] == [
        ("difficulty", "simple", 1),
        ("difficulty", "hard", 1),
        ("hardness", "easy", 2),
    ]


def test_systems_and_tests() -> None:
    other = replace(BALLOT, right=(False, True, False, False))
    seen = [question(n, BALLOT if n < 9 else other) for n in range(12)]
    found = found_in(seen, "system:a", "first", "oracle", "verifier")
    assert list(found.systems.items())[:2] == [("a", 0.75), ("b", 0.75)]
    assert found.systems["c"] == 0.25
    pairs = {(test.first, test.second): test for test in found.tests}
    assert set(pairs) == {("verifier", "system:a"), ("verifier", "first"), ("first", "system:a")}
    test = pairs["verifier", "first"]
    assert (test.only_first, test.only_second, test.difference) == (0, 9, -0.75)
    assert test.p == mcnemar_exact(0, 9)
    assert test.p_bonferroni == min(1, 3 * test.p)


@given(st.integers(0, 200), st.integers(0, 200))
def test_mcnemar_by_chi_square(only_first: int, only_second: int) -> None:
    from scipy.stats import chi2

    p = mcnemar_chi2(only_first, only_second)
    if only_first + only_second == 0:
        assert p == 1
    else:
        statistic = max(0, abs(only_first - only_second) - 1) ** 2 / (only_first + only_second)
        assert p == pytest.approx(chi2.sf(statistic, 1))


def pool_in_order(order: tuple[int, ...]) -> JudgedPool:
    """Three distinct queries as they were given; those of places 0 and 2 return the same."""
    counts = tuple(order.count(place) for place in range(3))
    pool = CandidatePool(
        Case(id=str(order), reference_sqls=("SELECT 1",), difficulty="easy"),
        tuple(Candidate(sql=f"SELECT {n}", count=n) for n in counts),
        order,
    )
    ballot = Ballot(
        counts=counts,
        runs=(True,) * 3,
        rows=(True,) * 3,
        groups=(0, 1, 0),
        systems=((),) * 3,
        scores={"verifier": (0.2, 0.9, 0.5)},
        right=(True, False, True),
    )
    return JudgedPool(pool, ballot)


def test_the_first_n_candidates_as_they_were_given() -> None:
    seen = [pool_in_order((0, 1, 1, 2))]
    strategies = [make_strategy(name) for name in ("first", "majority", "verifier", "random")]
    found = selection(seen, strategies, signature="test", resamples=20)
    by_name = {one.name: one.in_order for one in found.strategies}
    # One vote each, then two for the wrong rows, then two each: both are as likely.
    assert by_name["majority"] == pytest.approx((1, 0.5, 0, 0.5))
    assert by_name["verifier"] == (1, 0, 0, 0)
    assert by_name["random"] == pytest.approx((1, 1 / 2, 1 / 3, 1 / 2))
    assert by_name["first"] == (1, 1, 1, 1)
    assert found.oracle is not None
    assert found.oracle.in_order == (1, 1, 1, 1)
    (part, *_) = found.strategies[1].slices
    assert part.in_order == by_name["majority"]
    # With all candidates it is what is picked of all of them.
    for one in found.strategies:
        assert one.in_order[-1] == pytest.approx(one.accuracy)


def test_a_pool_whose_order_is_not_known_has_no_such_curve() -> None:
    one = pool_in_order((0, 1, 2))
    seen = [JudgedPool(replace(one.pool, order=()), one.ballot)]
    (figures,) = selection(seen, [make_strategy("majority")], signature="test").strategies
    assert (figures.in_order, len(figures.curve)) == ((), 3)


def test_pools_keep_the_order_of_what_was_given() -> None:
    sqls = ["SELECT 1", "SELECT 2", "SELECT 1", "SELECT 3"]
    (pool,) = pools_of(Case(id="q", predicted_sql=sql) for sql in sqls)
    assert pool.order == (0, 1, 0, 2)
    assert [one.count for one in pool.candidates] == [2, 1, 1]
