"""Several systems on the same questions: a score each, and who is better by more than chance."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, groupby

from sqljury.uses.evaluate.summary import (
    JudgeSummary,
    Summary,
    SystemPair,
    SystemScore,
    counted_score,
)
from sqljury.uses.statistics import Bootstrap, PairedCounts, holm
from sqljury.verdict import Outcome, Record, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class PairedDifference:
    """Two sets of verdicts on the same questions. Fractions, not percent."""

    n: int
    """Questions that count in both."""
    only_first: int
    only_second: int
    difference: float | None
    """The second's mean score minus the first's; None for n = 0."""
    low: float | None
    high: float | None
    p: float
    """McNemar's exact test, two-sided."""


@dataclass(slots=True)
class PairCounter:
    """Counts pairs of verdicts while they pass."""

    _counts: PairedCounts = field(default_factory=PairedCounts)
    _differences: Counter[float] = field(default_factory=Counter)

    def add(self, first: Verdict, second: Verdict) -> None:
        """Count a question, unless either verdict says nothing of its prediction."""
        if first.outcome.left_out or second.outcome.left_out:
            return
        self._counts.add(is_right(first), is_right(second))
        self._differences[_score(second) - _score(first)] += 1

    def result(self) -> PairedDifference:
        """The counts, with the interval of the difference by bootstrap over questions."""
        low, high = Bootstrap().mean(self._differences) or (None, None)
        total = sum(value * times for value, times in self._differences.items())
        counts = self._counts
        return PairedDifference(
            n=counts.n,
            only_first=counts.only_first,
            only_second=counts.only_second,
            difference=total / counts.n if counts.n else None,
            low=low,
            high=high,
            p=counts.p,
        )


def is_right(verdict: Verdict) -> bool:
    """Whether a verdict counts as a yes in a paired test."""
    return verdict.outcome is Outcome.CORRECT


def _score(verdict: Verdict) -> float:
    return counted_score(verdict.outcome, verdict.score) or 0.0


_MOST_COMPARED = 20
"""More systems than that are no table that anybody reads, and hundreds of tests."""


def several_systems(summary: Summary) -> bool:
    """Whether the cases come from more than one system."""
    return any(part.dimension == "source" for judge in summary.judges for part in judge.slices)


def with_systems(summary: Summary, records: Iterable[Record]) -> Summary:
    """The summary with a scoreboard of the systems for each judge.

    Args:
        records: those of one question (of a benchmark) next to each other.
    """
    counters = {judge.name: _SystemCounter(judge) for judge in summary.judges}
    for _, group in groupby(records, key=lambda record: (record.case.benchmark, record.case.id)):
        by_judge: dict[str, dict[str, Verdict]] = defaultdict(dict)
        for record in group:
            by_judge[record.judge][record.case.source] = record.verdict
        for judge, verdicts in by_judge.items():
            counters[judge].add(verdicts)
    return replace(summary, judges=tuple(counter.summary() for counter in counters.values()))


class _SystemCounter:
    """What is kept of one judge's verdicts on several systems."""

    def __init__(self, judge: JudgeSummary) -> None:
        self._judge = judge
        slices = [part for part in judge.slices if part.dimension == "source"]
        slices.sort(key=lambda part: (-(part.score or 0.0), part.value))
        self._systems = {part.value: part for part in slices}
        self._place = {name: place for place, name in enumerate(self._systems)}
        self._only: Counter[str] = Counter()
        self._pairs: defaultdict[tuple[str, str], PairCounter] = defaultdict(PairCounter)

    def add(self, verdicts: Mapping[str, Verdict]) -> None:
        """Count one question."""
        right = [name for name, verdict in verdicts.items() if is_right(verdict)]
        if len(right) == 1 and len(verdicts) > 1:
            self._only[right[0]] += 1
        if len(self._systems) > _MOST_COMPARED:
            return
        known = [name for name in verdicts if name in self._place]
        names = sorted(known, key=self._place.__getitem__)
        for better, worse in combinations(names, 2):
            self._pairs[better, worse].add(verdicts[worse], verdicts[better])

    def summary(self) -> JudgeSummary:
        """The judge's summary with its systems, the best first."""
        systems = tuple(
            SystemScore(
                name=name,
                n=part.n,
                score=part.score,
                low=part.low,
                high=part.high,
                only=self._only[name],
            )
            for name, part in self._systems.items()
        )
        return replace(self._judge, systems=systems, system_pairs=tuple(self._tested()))

    def _tested(self) -> Iterator[SystemPair]:
        places = sorted(self._pairs, key=lambda pair: [self._place[name] for name in pair])
        found = [(pair, self._pairs[pair].result()) for pair in places]
        adjusted = holm([one.p for _, one in found])
        for ((better, worse), one), p_holm in zip(found, adjusted, strict=True):
            if one.n:
                yield SystemPair(
                    better=better,
                    worse=worse,
                    n=one.n,
                    only_better=one.only_second,
                    only_worse=one.only_first,
                    difference=one.difference,
                    low=one.low,
                    high=one.high,
                    p=one.p,
                    p_holm=p_holm,
                )
