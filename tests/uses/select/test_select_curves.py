"""Curves against all subsets, one by one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqljury.uses.select import Ballot, make_strategy
from sqljury.uses.select.curves import of_ranking, of_vote, sizes_up_to
from sqljury.uses.select.strategies import Strategy

_CANDIDATE = st.tuples(
    st.integers(1, 3), st.sampled_from([None, 0, 1, 2]), st.booleans(), st.integers(0, 4)
)
BALLOTS = st.lists(_CANDIDATE, min_size=1, max_size=4)


def ballot_of(candidates: Sequence[tuple[int, int | None, bool, int]]) -> Ballot:
    counts, groups, right, scores = zip(*candidates, strict=True)
    return Ballot(
        counts=counts,
        runs=tuple(group is not None for group in groups),
        rows=tuple(group not in (None, 0) for group in groups),
        groups=groups,
        systems=tuple(() for _ in counts),
        scores={"verifier": tuple(score / 4 for score in scores)},
        right=right,
    )


def over_all_subsets(ballot: Ballot, n: int, accuracy: Callable[[Ballot], float]) -> float:
    """The mean over every subset of n of the candidates, equal ones told apart."""
    places = [place for place, count in enumerate(ballot.counts) for _ in range(count)]
    found = [accuracy(_part(ballot, chosen)) for chosen in combinations(places, n)]
    return sum(found) / len(found)


def _part(ballot: Ballot, chosen: Sequence[int]) -> Ballot:
    kept = sorted(set(chosen))

    def only(values: Sequence) -> tuple:  # type: ignore[type-arg]
        return tuple(values[place] for place in kept)

    return Ballot(
        counts=tuple(chosen.count(place) for place in kept),
        runs=only(ballot.runs),
        rows=only(ballot.rows),
        groups=only(ballot.groups),
        systems=only(ballot.systems),
        scores={name: only(scores) for name, scores in ballot.scores.items()},
        right=only(ballot.right or ()),
    )


def expected(strategy: Strategy) -> Callable[[Ballot], float]:
    def of(ballot: Ballot) -> float:
        shares = strategy.shares(ballot)
        assert sum(shares) == pytest.approx(1)
        return sum(s for s, right in zip(shares, ballot.right or (), strict=True) if right)

    return of


@pytest.mark.parametrize("name", ["random", "execution", "verifier", "oracle"])
@given(candidates=BALLOTS)
@settings(max_examples=40)
def test_curves_of_rankings_are_exact(
    name: str, candidates: list[tuple[int, int | None, bool, int]]
) -> None:
    ballot = ballot_of(candidates)
    strategy = make_strategy(name)
    sizes = sizes_up_to(ballot.n)
    curve = strategy.curve(ballot, ballot.right or (), sizes, 0, 1)
    brute = [over_all_subsets(ballot, n, expected(strategy)) for n in sizes]
    assert curve == pytest.approx(brute)


@pytest.mark.parametrize("name", ["majority", "verifier-majority"])
@given(candidates=BALLOTS)
@settings(max_examples=15)
def test_curves_of_votes_are_unbiased(
    name: str, candidates: list[tuple[int, int | None, bool, int]]
) -> None:
    ballot = ballot_of(candidates)
    strategy = make_strategy(name)
    sizes = sizes_up_to(ballot.n)
    curve = strategy.curve(ballot, ballot.right or (), sizes, 7, 4000)
    brute = [over_all_subsets(ballot, n, expected(strategy)) for n in sizes]
    # Five standard deviations of the mean of 4,000 draws from [0, 1].
    assert curve == pytest.approx(brute, abs=5 * 0.5 / 4000**0.5)
    assert (curve[0], curve[-1]) == pytest.approx((brute[0], brute[-1]))


@given(n=st.integers(1, 60), data=st.data())
def test_the_oracle_is_pass_at_n(n: int, data: st.DataObject) -> None:
    """Chen et al. 2021, equation 1: 1 - C(N - c, n) / C(N, n)."""
    right = data.draw(st.integers(0, n))
    sizes = range(1, n + 1)
    curve = of_ranking([right or 1, n - right or 1], [1, 0], [right > 0, False], sizes)
    total = (right or 1) + (n - right or 1)
    hits = right if right else 0
    for size, value in zip(sizes, curve, strict=True):
        assert value == pytest.approx(1 - comb(total - hits, size) / comb(total, size))


@given(candidates=BALLOTS)
def test_nothing_beats_the_oracle_and_it_only_grows(
    candidates: list[tuple[int, int | None, bool, int]],
) -> None:
    ballot = ballot_of(candidates)
    right = ballot.right or ()
    sizes = sizes_up_to(ballot.n)
    best = make_strategy("oracle").curve(ballot, right, sizes, 0, 50)
    assert all(np.diff(best) >= -1e-12)
    for name in ("random", "execution", "verifier"):
        curve = make_strategy(name).curve(ballot, right, sizes, 0, 50)
        assert all(curve <= best + 1e-9)
    for name in ("majority", "verifier-majority"):
        curve = make_strategy(name).curve(ballot, right, sizes, 0, 50)
        assert curve[0] == pytest.approx(best[0])
        assert curve[-1] <= best[-1] + 1e-9


def test_fewer_candidates_than_asked_for_are_all_of_them() -> None:
    ballot = ballot_of([(2, 0, True, 1), (1, 1, False, 2)])
    for name in ("oracle", "majority"):
        curve = make_strategy(name).curve(ballot, ballot.right or (), [1, 3, 5, 9], 0, 100)
        assert curve[1] == curve[2] == curve[3] == 1


def test_a_vote_does_not_depend_on_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    ballot = ballot_of([(3, 0, True, 1), (3, 1, False, 2), (2, None, False, 0)])
    arguments = (ballot, [1.0] * 3, ballot.right or (), [1, 4, 8])
    whole = of_vote(*arguments, seed=3, resamples=500)
    monkeypatch.setattr("sqljury.uses.select.curves._CELLS_AT_ONCE", 100)
    assert of_vote(*arguments, seed=3, resamples=500) == pytest.approx(whole, abs=0.12)


def test_many_candidates_have_a_bounded_curve() -> None:
    sizes = sizes_up_to(100_000)
    assert len(sizes) <= 1025
    assert (sizes[0], sizes[-1]) == (1, 100_000)
    assert sizes == sorted(set(sizes))
