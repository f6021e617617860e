"""Select: what each strategy picks, how often it is right, and paired tests of strategies."""

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
    """The candidate that one strategy picks for one question."""

    pool: CandidatePool
    place: int | None
    """Its index among the distinct candidates; None if there is none to pick."""
    share: float
    """The probability of this pick."""
    right: bool | None
    """True if the pick is right; None if unknown."""
    agreement: float | None = None
    """The share of the candidates with the same result as it; None if none was run."""

    @property
    def sql(self) -> str | None:
        """The picked query; None for an abstention or no pick."""
        return None if self.place is None else self.pool.candidates[self.place].sql


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceFigures:
    """A strategy's accuracy on the questions that share a property, such as a difficulty."""

    dimension: str
    value: str
    n: int
    accuracy: float
    curve: tuple[float, ...] = ()
    in_order: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyFigures:
    """One strategy's figures over the questions that count. Fractions.

    ``accuracy`` is the expected accuracy over all random choices (a tie, a query of the largest
    group). ``drawn`` is the accuracy of the picks made with this seed, on which tests are done.
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
    """The mean accuracy with n candidates, for each n of :attr:`Selection.sizes`; empty if
    unknown."""
    in_order: tuple[float, ...] = ()
    """The same with the first n candidates of each pool, in the order of the input; empty if
    unknown."""
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
    """The results of `select`. ``n`` is the denominator; ``left_out`` counts the other questions
    by reason."""

    strategies: tuple[StrategyFigures, ...]
    oracle: StrategyFigures | None
    """None if it is not known which candidates are right."""
    tests: tuple[Paired, ...]
    """Each strategy compared with each baseline, on the picks made with this seed."""
    systems: Mapping[str, float]
    """The accuracy of each system in the pools, the best first."""
    sizes: tuple[int, ...]
    """The numbers of candidates for which curves have values."""
    n: int
    total: int
    left_out: Mapping[str, int]
    candidates: int
    """The candidates of the questions that count, with equal ones counted separately."""
    distinct: int
    signature: str
    judges: Mapping[str, str]
    """Signatures of the judges whose scores strategies use, by the judge's name in the strategy."""
    missing: int = 0
    """Missing verdicts on candidates; running the same command again judges them."""
    none_runs: int = 0
    """Questions whose candidates all fail, if failing candidates are skipped; one of them is
    picked all the same."""
    missing_reasons: Mapping[str, int] = field(default_factory=dict)
    """The most frequent reasons why verdicts are missing."""
    picks: Mapping[str, tuple[Pick, ...]] = field(default_factory=dict, repr=False)
    """By strategy, its pick for every question, including those that do not count."""

    def to_json(self) -> dict[str, Json]:
        """A JSON object without the picks; scores are fractions, null if unknown."""
        rest = {
            name: getattr(self, name) for name in self.__slots__ if name not in _NOT_AS_THEY_ARE
        }
        strategies = [asdict(figures) for figures in self.strategies]
        oracle = None if self.oracle is None else asdict(self.oracle)
        tests = [test.to_json(**_TEST_JSON) for test in self.tests]
        return {"strategies": strategies, "oracle": oracle, "tests": tests, **rest}


_MOST_IN_ORDER = 256
"""With pools above this size ``in_order`` is not computed: it would take most of the time."""
_NOT_AS_THEY_ARE = ("strategies", "oracle", "tests", "picks")


@dataclass(frozen=True, slots=True)
class JudgedPool:
    """A question's pool and ballot, and the reason why it does not count (empty if it does)."""

    pool: CandidatePool
    ballot: Ballot
    left_out: str = ""


def selection(
    pools: Sequence[JudgedPool],
    strategies: Sequence[Strategy],
    *,
    signature: str,
    judges: Mapping[str, str] | None = None,
    seed: int = 0,
    resamples: int = 400,
    without_curve: Iterable[str] = (),
    missing: MissingCounter | None = None,
) -> Selection:
    """Pick by every strategy, and score the picks of questions whose right candidates are known.

    Picks and figures do not depend on the order of the questions.

    Args:
        signature: says how candidates were judged.
        judges: signatures of the judges whose scores strategies use.
        seed: of all random choices.
        resamples: the number of random orders over which a vote's curve is averaged.
        missing: the missing verdicts on candidates, counted.
        without_curve: strategies without a curve, as their scores depend on the whole pool.
    """
    counted = [one for one in pools if not one.left_out and one.ballot.right is not None]
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
        total=len(pools),
        left_out=dict(sorted(Counter(one.left_out for one in pools if one.left_out).items())),
        candidates=sum(one.ballot.n for one in counted),
        distinct=sum(len(one.ballot.counts) for one in counted),
        signature=f"select|{signature}|n:{len(counted)}|{drawn}",
        judges=dict(judges or {}),
        none_runs=sum(bool(one.ballot.left_out) and all(one.ballot.left_out) for one in pools),
        missing=missing.count if missing else 0,
        missing_reasons=missing.reasons if missing else {},
        picks={
            strategy.name: tuple(draw(strategy, one, seed) for one in pools)
            for strategy in strategies
            if not isinstance(strategy, Oracle) or len(counted) == len(pools)
        },
    )


class _StrategyTally:
    """One strategy's picks and curves over the questions that count."""

    def __init__(
        self,
        strategy: Strategy,
        pools: Sequence[JudgedPool],
        sizes: Sequence[int],
        seed: int,
        resamples: int,
    ) -> None:
        self.strategy, self.pools, self.n = strategy, pools, len(pools)
        self.expected = [_expected(strategy, one.ballot) for one in pools]
        self.drawn = [bool(draw(strategy, one, seed).right) for one in pools]
        self.accuracy = _mean(self.expected)
        self._curves = self._all_curves(sizes, seed, resamples)
        self._in_order = self._all_in_order(sizes)

    def _all_curves(
        self, sizes: Sequence[int], seed: int, resamples: int
    ) -> list[Sequence[float]] | None:
        """The curve of each question; None if there are no sizes."""
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
            for one in self.pools
        ]

    def _all_in_order(self, sizes: Sequence[int]) -> list[Sequence[float]] | None:
        """Each question's accuracies with its first n candidates.

        None if a pool's order is unknown or pools are very large.
        """
        known = all(len(one.pool.order) == one.ballot.n for one in self.pools)
        if not known or not 0 < len(sizes) <= _MOST_IN_ORDER:
            return None
        return [_first_ones(self.strategy, one, sizes) for one in self.pools]

    def figures(self, best: float | None) -> StrategyFigures:
        """The strategy's figures; ``best`` is the oracle's accuracy, for the regret."""
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
            for place, one in enumerate(self.pools):
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
    """The mean of the curves of the questions at ``places``; empty if unknown."""
    if curves is None or not places:
        return ()
    columns = zip(*(curves[place] for place in places), strict=True)
    return tuple(fsum(column) / len(places) for column in columns)


def _first_ones(strategy: Strategy, one: JudgedPool, sizes: Sequence[int]) -> list[float]:
    """The accuracy with the first n candidates for each n; with all, if there are fewer.

    Source: Tritto et al. 2026 (GradeSQL), table 6 and figure 3, as far as they describe it.
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


def draw(strategy: Strategy, one: JudgedPool, seed: int) -> Pick:
    """The pick made with a seed; all strategies use the same random number for a question."""
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
    """A 64-bit number that depends only on ``salt`` and the question's key."""
    text = "\0".join((salt, *pool.key)).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big")


def _mean(values: Sequence[float]) -> float | None:
    return fsum(values) / len(values) if values else None


def _tests(found: Mapping[str, _StrategyTally]) -> list[Paired]:
    """Paired tests of each other strategy against each baseline, and between the baselines."""
    asked = [one for one in found.values() if one.n and not isinstance(one.strategy, Oracle)]
    base = [one for one in asked if one.strategy.is_baseline]
    pairs = [(one, other) for one in asked if one not in base for other in base]
    pairs += [(one, other) for i, one in enumerate(base) for other in base[:i]]
    tests = []
    for one, other in pairs:
        # On the picks; the expected accuracies over ties may differ in the other direction.
        counts = PairedCounts.of(zip(one.drawn, other.drawn, strict=True))
        tests.append(counts.named(one.strategy.name, other.strategy.name))
    return adjusted(tests)


def _systems(pools: Sequence[JudgedPool]) -> dict[str, float]:
    """The accuracy of each system, the best first; a question without its answer counts as
    wrong."""
    right: Counter[str] = Counter()
    for one in pools:
        for names, yes in zip(one.ballot.systems, one.ballot.right or (), strict=True):
            right.update({name: int(yes) for name in set(names)})
    return {name: right[name] / len(pools) for name in sorted(right, key=lambda n: (-right[n], n))}
