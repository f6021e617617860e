"""Systems by what a judge says of them: scores, ranks, and which ranks are more than chance."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations

from sqljury.case import Json
from sqljury.uses.statistics import SIGNIFICANT, PairedCounts, holm, wilson_interval
from sqljury.uses.systems import is_right
from sqljury.verdict import Record

Question = tuple[str, str]
"""A benchmark and an id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One system's place.

    Args:
        n: questions that count: a reference and a database were there.
        score: the share that is right, in [0, 1], with Wilson's interval of 95 %.
        rank: 1 for the best; equal scores share the smaller number.
        best: 1 and one more for each system that is better by more than chance.
        worst: the number of systems less one for each that is worse by more than chance.
    """

    system: str
    n: int
    score: float | None
    low: float | None
    high: float | None
    rank: int
    best: int
    worst: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTest:
    """Two systems on the questions that count for both.

    Args:
        first, second: the better one first.
        only_first, only_second: questions that only one of them gets right.
        p: of McNemar's exact test, two-sided; ``p_holm``: adjusted for all pairs by Holm's method.
    """

    first: str
    second: str
    only_first: int
    only_second: int
    p: float
    p_holm: float

    @property
    def significant(self) -> bool:
        """Whether the difference is more than chance, at 5 % over all pairs together."""
        return self.p_holm < SIGNIFICANT


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaderboard:
    """The systems, best first, and every pair of them."""

    judge: str
    standings: tuple[Standing, ...]
    tests: tuple[PairTest, ...]

    def to_json(self) -> dict[str, Json]:
        """A JSON object."""
        return {
            "judge": self.judge,
            "standings": [asdict(one) for one in self.standings],
            "tests": [{**asdict(one), "significant": one.significant} for one in self.tests],
        }


def right_answers(records: Iterable[Record]) -> dict[str, dict[Question, bool]]:
    """By system and question whether one judge says that it is right.

    What is left out of scores (no reference, no database) is not there.
    """
    found: dict[str, dict[Question, bool]] = {}
    for record in records:
        own = found.setdefault(record.case.source, {})
        if not record.verdict.outcome.left_out:
            own[record.case.benchmark, record.case.id] = is_right(record.verdict)
    return found


def leaderboard(judge: str, right: Mapping[str, Mapping[Question, bool]]) -> Leaderboard:
    """Scores, ranks and paired tests of all systems.

    >>> board = leaderboard("j", {"a": {("", "1"): True}, "b": {("", "1"): False}})
    >>> [(one.system, one.rank, one.best, one.worst) for one in board.standings]
    [('a', 1, 1, 2), ('b', 2, 1, 2)]

    Source: McNemar (1947) for pairs; Holm (1979) for many of them.
    """
    scores = {name: _score(own) for name, own in right.items()}
    order = sorted(right, key=lambda name: (-scores[name], name))
    tests = _tests(order, right)
    return Leaderboard(
        judge=judge,
        standings=tuple(_standing(name, right[name], scores, tests) for name in order),
        tests=tests,
    )


def _score(own: Mapping[Question, bool]) -> float:
    """The share that is right; what has no question comes last."""
    return sum(own.values()) / len(own) if own else -1.0


def _standing(
    name: str,
    own: Mapping[Question, bool],
    scores: Mapping[str, float],
    tests: Sequence[PairTest],
) -> Standing:
    apart = [one for one in tests if one.significant]
    low, high = wilson_interval(sum(own.values()), len(own)) or (None, None)
    return Standing(
        system=name,
        n=len(own),
        score=scores[name] if own else None,
        low=low,
        high=high,
        rank=1 + sum(score > scores[name] for score in scores.values()),
        best=1 + sum(one.second == name for one in apart),
        worst=len(scores) - sum(one.first == name for one in apart),
    )


def _tests(
    order: Sequence[str], right: Mapping[str, Mapping[Question, bool]]
) -> tuple[PairTest, ...]:
    counted = []
    for first, second in combinations(order, 2):
        shared = right[first].keys() & right[second].keys()
        counts = PairedCounts.of((right[first][one], right[second][one]) for one in shared)
        counted.append((first, second, counts, counts.p))
    adjusted = holm([p for *_, p in counted])
    return tuple(
        PairTest(
            first=first,
            second=second,
            only_first=counts.only_first,
            only_second=counts.only_second,
            p=p,
            p_holm=p_holm,
        )
        for (first, second, counts, p), p_holm in zip(counted, adjusted, strict=True)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Flip:
    """Two systems that change places.

    Args:
        p_before, p_after: adjusted for all pairs by Holm's method.
    """

    ahead_before: str
    ahead_after: str
    p_before: float
    p_after: float


def flips(before: Leaderboard, after: Leaderboard) -> tuple[Flip, ...]:
    """The pairs whose order is another one afterwards; what is level on one side is no flip."""
    ranks = [{one.system: one.rank for one in board.standings} for board in (before, after)]
    known = {frozenset((one.first, one.second)): one for one in after.tests}
    return tuple(
        Flip(
            ahead_before=one.first,
            ahead_after=one.second,
            p_before=one.p_holm,
            p_after=known[frozenset((one.first, one.second))].p_holm,
        )
        for one in before.tests
        if ranks[0][one.first] < ranks[0][one.second] and ranks[1][one.first] > ranks[1][one.second]
    )
