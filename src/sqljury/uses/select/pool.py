"""A question's pool of candidates, and the ballot: what strategies may use to pick one."""

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
    """A distinct query of a pool, with the number of its occurrences."""

    sql: str | None
    """None if the candidate is an abstention."""
    count: int = 1
    """How many samples or systems gave this query."""
    systems: tuple[str, ...] = ()
    """The systems that gave it, if known."""
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Further fields of the pool: recorded verdicts, log-probabilities."""

    @property
    def recorded(self) -> RecordedResult | None:
        """The result of running it, if the pool records that; else None."""
        return recorded_result(self.extra)


@dataclass(frozen=True, slots=True)
class CandidatePool:
    """A question and its distinct candidates; equal texts are one candidate."""

    question: Case
    """The question as a case without a prediction."""
    candidates: tuple[Candidate, ...]
    order: tuple[int, ...] = ()
    """Indices of ``candidates`` in the order of the input, repeated for equal texts; empty if
    unknown."""

    @property
    def key(self) -> tuple[str, str]:
        """Benchmark and id of the question."""
        return self.question.benchmark, self.question.id

    @property
    def n(self) -> int:
        """The number of candidates, with equal ones counted separately."""
        return sum(candidate.count for candidate in self.candidates)

    def count_systems(self) -> int:
        """The number of named systems that gave a candidate."""
        return len({system for one in self.candidates for system in one.systems})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ballot:
    """What strategies may use: an entry per distinct candidate, and no reference."""

    counts: tuple[int, ...]
    runs: tuple[bool, ...] = ()
    """For each, True if it runs; empty if none was run."""
    rows: tuple[bool, ...] = ()
    """For each, True if it returns at least one row."""
    groups: tuple[int | None, ...] = ()
    """For each, the number of its group of equal results; None if it does not run."""
    systems: tuple[tuple[str, ...], ...] = ()
    scores: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    """By judge, its score of each candidate; None if unknown."""
    left_out: tuple[bool, ...] = ()
    """For each, True if strategies that pick by score must skip it, because it does not run.
    Empty: none is skipped."""
    right: tuple[bool, ...] | None = None
    """For each, True if it is right; used by the oracle and for scoring only."""

    @property
    def n(self) -> int:
        """The number of candidates, with equal ones counted separately."""
        return sum(self.counts)

    def among(self, places: Sequence[int]) -> Ballot:
        """The ballot of only these candidates; an index that occurs k times counts k times."""
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
    """A pool for each run of adjacent cases with the same benchmark and id.

    A case is one candidate, or, if it has a ``pool``, as many as that holds. The fields ``count``
    or ``systems`` of its ``extra`` say how often it counts. A missing prediction is no candidate.
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
        systems = (case.source,)  # a number is a candidate's, not a system's name
    return Candidate(sql=sql, count=times, systems=systems, extra=case.extra)


def _merged(candidates: Iterable[Candidate]) -> Iterator[Candidate]:
    """One candidate per text, in the order of first occurrence."""
    found: dict[str | None, Candidate] = {}
    for new in candidates:
        old = found.get(new.sql)
        found[new.sql] = (
            new
            if old is None
            else replace(old, count=old.count + new.count, systems=old.systems + new.systems)
        )
    yield from found.values()
