"""Compares several systems on the same questions: a score each, and paired tests."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations, groupby

from sqljury.uses.evaluate.summary import (
    JudgeSummary,
    Summary,
    SystemScore,
    is_right,
)
from sqljury.uses.statistics import PairedCounts, adjusted
from sqljury.verdict import Record, Verdict


def add_verdicts(counts: PairedCounts, first: Verdict, second: Verdict) -> None:
    """Add a question to the counts, unless either verdict is left out of scores."""
    if not (first.outcome.left_out or second.outcome.left_out):
        counts.add(is_right(first), is_right(second))


_MOST_COMPARED = 20
"""With more systems no pairs are compared: too many tests, and a table too long to read."""


def several_systems(summary: Summary) -> bool:
    """True if the cases come from more than one system."""
    return any(part.dimension == "source" for judge in summary.judges for part in judge.slices)


def with_systems(summary: Summary, records: Iterable[Record]) -> Summary:
    """The summary with each judge's scores of the systems and paired tests between them.

    Args:
        records: all records of the same question must be adjacent.
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
    """Counts one judge's verdicts on several systems."""

    def __init__(self, judge: JudgeSummary) -> None:
        self._judge = judge
        slices = [part for part in judge.slices if part.dimension == "source"]
        slices.sort(key=lambda part: (-(part.score or 0.0), part.value))
        self._systems = {part.value: part for part in slices}
        self._place = {name: place for place, name in enumerate(self._systems)}
        self._only: Counter[str] = Counter()
        self._pairs: defaultdict[tuple[str, str], PairedCounts] = defaultdict(PairedCounts)

    def add(self, verdicts: Mapping[str, Verdict]) -> None:
        """Add one question: the verdict on each system's prediction."""
        right = [name for name, verdict in verdicts.items() if is_right(verdict)]
        if len(right) == 1 and len(verdicts) > 1:
            self._only[right[0]] += 1
        if len(self._systems) > _MOST_COMPARED:
            return
        known = [name for name in verdicts if name in self._place]
        names = sorted(known, key=self._place.__getitem__)
        for better, worse in combinations(names, 2):
            add_verdicts(self._pairs[better, worse], verdicts[better], verdicts[worse])

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
        places = sorted(self._pairs, key=lambda pair: [self._place[name] for name in pair])
        pairs = adjusted([self._pairs[place].named(*place) for place in places])
        return replace(self._judge, systems=systems, system_pairs=tuple(p for p in pairs if p.n))
