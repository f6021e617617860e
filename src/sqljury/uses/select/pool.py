"""A question with the candidates written for it, and what strategies may look at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TypeVar

from sqljury.benchmarks import RecordedResult, recorded_result
from sqljury.benchmarks.pools import count_of
from sqljury.case import MISSING, Case, Json, Missing

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A distinct query, and how often it was given."""

    sql: str | None
    """None abstains."""
    count: int = 1
    """Candidates that are this query: samples, or systems."""
    systems: tuple[str, ...] = ()
    """Who gave it, where that is known."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """What else the pool says of it: recorded verdicts, log-probabilities."""

    @property
    def recorded(self) -> RecordedResult | None:
        """What running it gave, where the pool says that."""
        return recorded_result(self.extra)


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """A question and its candidates; equal texts are one candidate."""

    question: Case
    """Without a prediction."""
    candidates: tuple[Candidate, ...]
    order: tuple[int, ...] = ()
    """The places of the candidates as they were given, equal ones each time; empty: unknown."""

    @property
    def key(self) -> tuple[str, str]:
        """What the question is known by."""
        return self.question.benchmark, self.question.id

    @property
    def n(self) -> int:
        """Candidates, equal ones counted as often as they were given."""
        return sum(candidate.count for candidate in self.candidates)

    def count_systems(self) -> int:
        """How many systems gave a candidate, as far as they are named."""
        return len({system for one in self.candidates for system in one.systems})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """What strategies may look at: one entry for each distinct candidate. No reference."""

    counts: tuple[int, ...]
    runs: tuple[bool, ...] = ()
    """Whether each runs; empty where nothing was run."""
    rows: tuple[bool, ...] = ()
    """Whether each returns a row."""
    groups: tuple[int | None, ...] = ()
    """Those with equal results have one number; what does not run has none."""
    systems: tuple[tuple[str, ...], ...] = ()
    scores: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    """By judge: what it says of each, None where it cannot say."""
    left_out: tuple[bool, ...] = ()
    """Whether each is kept from strategies that pick by score: it does not run. Empty: none is."""
    right: tuple[bool, ...] | None = None
    """Whether each is right: for the oracle alone, and for scoring."""

    @property
    def n(self) -> int:
        """Candidates, equal ones counted."""
        return sum(self.counts)

    def among(self, places: Sequence[int]) -> Ballot:
        """As if only these candidates were there, a place given as often as it stands there."""
        counts = Counter(places)
        kept = sorted(counts)

        def of(values: Sequence[T]) -> tuple[T, ...]:
            return tuple(values[place] for place in kept) if values else ()

        return Ballot(
            counts=tuple(counts[place] for place in kept),
            runs=of(self.runs),
            rows=of(self.rows),
            groups=of(self.groups),
            systems=of(self.systems),
            left_out=of(self.left_out),
            scores={judge: of(scores) for judge, scores in self.scores.items()},
            right=None if self.right is None else of(self.right),
        )


def pools_of(cases: Iterable[Case]) -> Iterator[CandidatePool]:
    """Pools of cases that stand together by benchmark and id.

    A case is a candidate, or as many as its ``pool`` holds. A pool's ``count`` or list of
    ``systems`` says how many candidates one case is. A missing prediction is no candidate.
    """
    for _, group in groupby(cases, key=lambda case: (case.benchmark, case.id)):
        own = list(group)
        given = list(_candidates(own))
        merged = tuple(_merged(given))
        place = {one.sql: i for i, one in enumerate(merged)}
        order = tuple(place[one.sql] for one in given for _ in range(one.count))
        question = replace(own[0], predicted_sql=MISSING, pool=(), source="", label=None, extra={})
        yield CandidatePool(question, merged, order)


def _candidates(cases: Iterable[Case]) -> Iterator[Candidate]:
    for case in cases:
        if case.pool:
            yield from (Candidate(sql=sql) for sql in case.pool)
        elif not isinstance(case.predicted_sql, Missing):
            yield _candidate(case, case.predicted_sql)


def _candidate(case: Case, sql: str | None) -> Candidate:
    listed = case.extra.get("systems")
    systems = tuple(map(str, listed)) if isinstance(listed, list) else ()
    times = count_of(case.extra) or len(systems) or 1
    if not systems and case.source and not case.source.isdigit():
        systems = (case.source,)  # a candidate's number is nobody's name
    return Candidate(sql=sql, count=times, systems=systems, extra=case.extra)


def _merged(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """One for each text, where it first stood."""
    found: dict[str | None, Candidate] = {}
    for new in candidates:
        old = found.get(new.sql)
        found[new.sql] = (
            new
            if old is None
            else replace(old, count=old.count + new.count, systems=old.systems + new.systems)
        )
    yield from found.values()
