"""Select: what each strategy picks, how often it is right, and whether that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from math import fsum

from sqljury.case import Json
from sqljury.sql import hardness
from sqljury.uses.evaluate.summary import DIFFICULTIES, MissingCounter
from sqljury.uses.select.curves import sizes_up_to
from sqljury.uses.select.pool import Ballot, CandidatePool
from sqljury.uses.select.strategies import Oracle, Strategy
from sqljury.uses.statistics import Bootstrap, Paired, PairedCounts, adjusted


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """What one strategy picks for one question."""

    pool: CandidatePool
    place: int | None
    """Among the distinct candidates; None where there is none to pick."""
    share: float
    """How likely this pick was."""
    right: bool | None
    """None where nothing says so."""
    agreement: float | None = None
    """The share of the candidates that return what it returns; None where nothing was run."""

    @property
    def sql(self) -> str | None:
        """The query; None abstains, or there is none."""
        return None if self.place is None else self.pool.candidates[self.place].sql


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceFigures:
    """The questions that share a property."""

    dimension: str
    value: str
    n: int
    accuracy: float
    curve: tuple[float, ...] = ()
    in_order: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyFigures:
    """One strategy's figures over the questions that count. Fractions.

    ``accuracy`` is the expectation over everything that is drawn at random (a tie, a query of the
    largest group); ``drawn`` is the accuracy of the picks that this seed makes, which tests are
    done on.
    """

    name: str
    n: int
    accuracy: float | None
    low: float | None
    """95 % interval by resampling questions."""
    high: float | None
    drawn: float | None
    regret: float | None
    """The oracle's accuracy minus this strategy's."""
    curve: tuple[float, ...] = ()
    """Accuracy for each of :attr:`Selection.sizes`; empty where it is not known."""
    in_order: tuple[float, ...] = ()
    """So with the first n candidates of each pool, as they were given, and no others."""
    slices: tuple[SliceFigures, ...] = ()


_TEST_JSON = {
    "strategy": "first",
    "baseline": "second",
    "n": "n",
    "only_strategy": "only_first",
    "only_baseline": "only_second",
    "difference": "difference",
    "low": "low",
    "high": "high",
    "p": "p",
    "p_chi2": "p_chi2",
    "p_bonferroni": "p_bonferroni",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What `select` finds. ``n`` is the denominator; what is left out of it is counted by why."""

    strategies: tuple[StrategyFigures, ...]
    oracle: StrategyFigures | None
    """None where no candidate is known to be right or wrong."""
    tests: tuple[Paired, ...]
    """Each strategy against each baseline, on the picks that this seed makes."""
    systems: Mapping[str, float]
    """The accuracy of each system of a pool of systems, the best first."""
    sizes: tuple[int, ...]
    """Numbers of candidates that curves are given for."""
    n: int
    total: int
    left_out: Mapping[str, int]
    candidates: int
    """Of the questions that count, equal ones counted."""
    distinct: int
    signature: str
    judges: Mapping[str, str]
    """Whose scores strategies read, by the name that they give it: signatures."""
    missing: int = 0
    """Verdicts on candidates that the machinery owes; the same command again judges them."""
    none_runs: int = 0
    """Questions whose candidates all fail, where those are left out: one is picked all the same."""
    missing_reasons: Mapping[str, int] = field(default_factory=dict)
    """The most frequent reasons why they are missing."""
    picks: Mapping[str, tuple[Pick, ...]] = field(default_factory=dict, repr=False)
    """By strategy, for every question, also those that do not count."""

    def to_json(self) -> dict[str, Json]:
        """A JSON object: fractions, null where nothing is known; without the picks."""
        rest = {
            name: getattr(self, name) for name in self.__slots__ if name not in _NOT_AS_THEY_ARE
        }
        strategies = [asdict(figures) for figures in self.strategies]
        oracle = None if self.oracle is None else asdict(self.oracle)
        tests = [test.to_json(**_TEST_JSON) for test in self.tests]
        return {"strategies": strategies, "oracle": oracle, "tests": tests, **rest}


_MOST_IN_ORDER = 256
"""Sizes of pools that are looked at in their order: beyond, this would take most of the time."""
_NOT_AS_THEY_ARE = ("strategies", "oracle", "tests", "picks")


@dataclass(frozen=True, slots=True)
class Seen:
    """A question, what strategies may look at, and why it does not count, if it does not."""

    pool: CandidatePool
    ballot: Ballot
    left_out: str = ""


def selection(
    seen: Sequence[Seen],
    strategies: Sequence[Strategy],
    *,
    signature: str,
    judges: Mapping[str, str] | None = None,
    seed: int = 0,
    resamples: int = 400,
    without_curve: Iterable[str] = (),
    missing: MissingCounter | None = None,
) -> Selection:
    """Pick by every strategy, and score the picks where it is known what is right.

    The same picks and figures in whatever order the questions come.

    Args:
        signature: how candidates were judged.
        judges: signatures of the judges whose scores strategies read.
        seed: of everything that is drawn.
        resamples: orders of the candidates that a vote's curve is the mean over.
        missing: verdicts that were to be had and are not.
        without_curve: strategies whose scores say nothing of smaller pools.
    """
    counted = [one for one in seen if not one.left_out and one.ballot.right is not None]
    sizes = sizes_up_to(max((one.ballot.n for one in counted), default=0))
    skipped = set(without_curve)
    found = {
        strategy.name: _StrategyTally(
            strategy, counted, [] if strategy.name in skipped else sizes, seed, resamples
        )
        for strategy in strategies
    }
    bound = _StrategyTally(Oracle("oracle"), counted, sizes, seed, resamples) if counted else None
    best = None if bound is None else bound.accuracy
    drawn = f"seed:{seed}|resamples:{resamples}|bootstrap:{Bootstrap().resamples}"
    return Selection(
        strategies=tuple(one.figures(best) for one in found.values()),
        oracle=None if bound is None else bound.figures(best),
        tests=tuple(_tests(found)),
        systems=_systems(counted),
        sizes=tuple(sizes),
        n=len(counted),
        total=len(seen),
        left_out=dict(sorted(Counter(one.left_out for one in seen if one.left_out).items())),
        candidates=sum(one.ballot.n for one in counted),
        distinct=sum(len(one.ballot.counts) for one in counted),
        signature=f"select|{signature}|n:{len(counted)}|{drawn}",
        judges=dict(judges or {}),
        none_runs=sum(bool(one.ballot.left_out) and all(one.ballot.left_out) for one in seen),
        missing=missing.count if missing else 0,
        missing_reasons=missing.reasons if missing else {},
        picks={
            strategy.name: tuple(draw(strategy, one, seed) for one in seen)
            for strategy in strategies
            if not isinstance(strategy, Oracle) or len(counted) == len(seen)
        },
    )


class _StrategyTally:
    """One strategy over the questions that count."""

    def __init__(
        self,
        strategy: Strategy,
        seen: Sequence[Seen],
        sizes: Sequence[int],
        seed: int,
        resamples: int,
    ) -> None:
        self.strategy, self.seen, self.n = strategy, seen, len(seen)
        self.expected = [_expected(strategy, one.ballot) for one in seen]
        self.drawn = [bool(draw(strategy, one, seed).right) for one in seen]
        self.accuracy = _mean(self.expected)
        self._curves = self._all_curves(sizes, seed, resamples)
        self._in_order = self._all_in_order(sizes)

    def _all_curves(
        self, sizes: Sequence[int], seed: int, resamples: int
    ) -> list[Sequence[float]] | None:
        """Of each question; None where they are not known."""
        if not sizes:
            return None
        return [
            self.strategy.curve(
                one.ballot,
                one.ballot.right or (),
                sizes,
                _number(f"{seed}/{self.strategy.name}", one.pool),
                resamples,
            ).tolist()
            if one.ballot.counts
            else [0.0] * len(sizes)
            for one in self.seen
        ]

    def _all_in_order(self, sizes: Sequence[int]) -> list[Sequence[float]] | None:
        """Of each question; None where an order is not known, or pools are very large."""
        known = all(len(one.pool.order) == one.ballot.n for one in self.seen)
        if not known or not 0 < len(sizes) <= _MOST_IN_ORDER:
            return None
        return [_first_ones(self.strategy, one, sizes) for one in self.seen]

    def figures(self, best: float | None) -> StrategyFigures:
        """The figures, with the regret against the best that there could be."""
        low, high = Bootstrap().mean(Counter(self.expected)) or (None, None)
        known = best is not None and self.accuracy is not None
        return StrategyFigures(
            name=self.strategy.name,
            n=self.n,
            accuracy=self.accuracy,
            low=low,
            high=high,
            drawn=_mean([float(right) for right in self.drawn]),
            regret=(best or 0.0) - (self.accuracy or 0.0) if known else None,
            curve=_means(self._curves, range(self.n)),
            in_order=_means(self._in_order, range(self.n)),
            slices=tuple(self._slices()),
        )

    def _slices(self) -> Iterable[SliceFigures]:
        for dimension, value_of in _DIMENSIONS.items():
            parts: dict[str, list[int]] = {}
            for place, one in enumerate(self.seen):
                parts.setdefault(value_of(one.pool), []).append(place)
            for value in sorted(filter(None, parts), key=_hardness_order):
                places = parts[value]
                yield SliceFigures(
                    dimension=dimension,
                    value=value,
                    n=len(places),
                    accuracy=fsum(self.expected[place] for place in places) / len(places),
                    curve=_means(self._curves, places),
                    in_order=_means(self._in_order, places),
                )


def _means(curves: Sequence[Sequence[float]] | None, places: Sequence[int]) -> tuple[float, ...]:
    """The mean of some of the questions' curves."""
    if curves is None or not places:
        return ()
    columns = zip(*(curves[place] for place in places), strict=True)
    return tuple(fsum(column) / len(places) for column in columns)


def _first_ones(strategy: Strategy, one: Seen, sizes: Sequence[int]) -> list[float]:
    """Accuracy with the first n candidates; where there are fewer, with all of them.

    Source: Tritto et al. 2026 (GradeSQL), table 6 and figure 3, as far as they say.
    """
    order = one.pool.order
    longest = min(len(order), sizes[-1])
    found = [_expected(strategy, one.ballot.among(order[:size])) for size in range(longest + 1)]
    return [found[min(size, len(order))] for size in sizes]


def _hardness(pool: CandidatePool) -> str:
    references = pool.question.reference_sqls
    return (hardness(references[0]) if references else None) or ""


_DIMENSIONS: dict[str, Callable[[CandidatePool], str]] = {
    "difficulty": lambda pool: pool.question.difficulty or "",
    "hardness": _hardness,
}


def _hardness_order(value: str) -> tuple[int, str]:
    known = value in DIFFICULTIES
    return DIFFICULTIES.index(value) if known else len(DIFFICULTIES), value


def _expected(strategy: Strategy, ballot: Ballot) -> float:
    if not ballot.counts:
        return 0.0
    shares = strategy.shares(ballot)
    return fsum(share for share, right in zip(shares, ballot.right or (), strict=True) if right)


def draw(strategy: Strategy, one: Seen, seed: int) -> Pick:
    """The pick that a seed makes: all strategies of a question are drawn by one number."""
    ballot = one.ballot
    shares = strategy.shares(ballot) if ballot.counts else []
    if not any(shares):
        return Pick(pool=one.pool, place=None, share=1.0, right=False if ballot.right else None)
    at = _number(str(seed), one.pool) / 2**64 * sum(shares)
    place = next(i for i, share in enumerate(shares) if share)
    passed = 0.0
    for i, share in enumerate(shares):
        if share:
            place, passed = i, passed + share
            if at < passed:
                break
    right = None if ballot.right is None else ballot.right[place]
    agreement = _agreement(ballot, place)
    return Pick(pool=one.pool, place=place, share=shares[place], right=right, agreement=agreement)


def _agreement(ballot: Ballot, place: int) -> float | None:
    if not ballot.groups:
        return None
    group = ballot.groups[place]
    if group is None:
        return 0.0
    votes = zip(ballot.groups, ballot.counts, strict=True)
    return sum(count for one, count in votes if one == group) / ballot.n


def _number(salt: str, pool: CandidatePool) -> int:
    """64 bits that depend on the question alone, not on its place or on a hash seed."""
    text = "\0".join((salt, *pool.key)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def _tests(found: Mapping[str, _StrategyTally]) -> list[Paired]:
    """Every strategy that is no baseline against every one that is; baselines among themselves
    where there is nothing else."""
    asked = [one for one in found.values() if one.n and not isinstance(one.strategy, Oracle)]
    base = [one for one in asked if one.strategy.is_baseline]
    pairs = [(one, other) for one in asked if one not in base for other in base]
    pairs += [(one, other) for i, one in enumerate(base) for other in base[:i]]
    tests = []
    for one, other in pairs:
        # Of the picks: expectations over ties may differ in the other direction.
        counts = PairedCounts()
        for a, b in zip(one.drawn, other.drawn, strict=True):
            counts.add(a, b, int(a) - int(b))
        tests.append(counts.named(one.strategy.name, other.strategy.name))
    return adjusted(tests)


def _systems(seen: Sequence[Seen]) -> dict[str, float]:
    """A system that has no answer to a question is wrong there."""
    right: Counter[str] = Counter()
    for one in seen:
        for names, yes in zip(one.ballot.systems, one.ballot.right or (), strict=True):
            right.update({name: int(yes) for name in set(names)})
    return {name: right[name] / len(seen) for name in sorted(right, key=lambda n: (-right[n], n))}
