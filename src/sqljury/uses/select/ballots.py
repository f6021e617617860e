"""Turns pools into cases for judges, and their verdicts into ballots for strategies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqljury.benchmarks import recorded_verdict
from sqljury.case import MISSING, Case
from sqljury.errors import InputError
from sqljury.evidence_shapes import results_of
from sqljury.uses.evaluate.summary import counted_score
from sqljury.uses.select.pool import Ballot, CandidatePool
from sqljury.uses.select.selection import JudgedPool
from sqljury.verdict import Outcome, Verdict

Verdicts = Mapping[tuple[str, str, str], Verdict]
"""Verdicts by the key of their case."""

UNLABELLED = "unlabelled"
NO_REFERENCE = str(Outcome.REFERENCE_MISSING)


def judged_cases(pool: CandidatePool, *, grouped: bool, judged: bool) -> Iterator[Case]:
    """A case for the whole question, then one per distinct candidate.

    Args:
        grouped: the first case gets the whole pool, to find candidates with equal results.
        judged: cases for the candidates follow, to get a verdict on each. The first case is then
            needed for questions without a usable candidate.
    """
    sqls = [candidate.sql for candidate in pool.candidates]
    runnable = next((sql for sql in sqls if sql and sql.strip()), None)
    first = replace(pool.question, predicted_sql=runnable if sqls else MISSING)
    if grouped:
        everything = [one.sql for one in pool.candidates for _ in range(one.count)]
        first = replace(first, pool=tuple(everything))
    yield first
    if judged:
        yield from _each(pool, pool.question.reference_sqls)


def scored_cases(pool: CandidatePool, references: Sequence[str] = ()) -> Iterator[Case]:
    """A case per distinct candidate, with ``references`` in place of the benchmark's."""
    return _each(pool, references)


def _each(pool: CandidatePool, references: Sequence[str]) -> Iterator[Case]:
    for place, candidate in enumerate(pool.candidates):
        if candidate.sql is not None:
            yield replace(
                pool.question,
                predicted_sql=candidate.sql,
                reference_sqls=tuple(references),
                source=str(place),
            )


def plain_ballot(pool: CandidatePool) -> Ballot:
    """The ballot with counts and systems only, before candidates are run or judged."""
    return Ballot(
        counts=tuple(one.count for one in pool.candidates),
        systems=tuple(one.systems for one in pool.candidates),
    )


def with_results(pool: CandidatePool, ballot: Ballot, verdict: Verdict) -> Ballot:
    """The ballot with the verdict of the judge ``results``; without its evidence, none runs."""
    results = results_of(verdict.evidence)
    found = iter(zip(results["rows"], results["group"], strict=True))
    nothing: tuple[int | None, int | None] = (None, None)
    pairs = [next(found, nothing) if one.sql else nothing for one in pool.candidates]
    return replace(
        ballot,
        runs=tuple(rows is not None for rows, _ in pairs),
        rows=tuple(bool(rows) for rows, _ in pairs),
        groups=tuple(group for _, group in pairs),
    )


def with_recorded_results(pool: CandidatePool, ballot: Ballot) -> Ballot:
    """The ballot with the results that the pool records.

    Raises:
        InputError: SJ571: a candidate has no recorded result.
    """
    found = [one.recorded for one in pool.candidates]
    if any(result is None and one.sql for result, one in zip(found, pool.candidates, strict=True)):
        raise InputError(
            "SJ571",
            "a strategy needs the results of candidates, and the pool has none.",
            where=pool.question.origin,
            hint="Add --databases with a folder that holds DB_ID/DB_ID.sqlite, or a URL.",
        )
    runs = [result is not None and result.runs for result in found]
    tables = [result.table if result is not None and result.runs else None for result in found]
    numbers = {table: number for number, table in enumerate(dict.fromkeys(filter(None, tables)))}
    return replace(
        ballot,
        runs=tuple(runs),
        rows=tuple(
            bool(result and result.rows) and yes for result, yes in zip(found, runs, strict=True)
        ),
        groups=tuple(None if table is None else numbers.get(table) for table in tables),
    )


def without_failing(pool: CandidatePool, ballot: Ballot) -> Ballot:
    """The ballot that keeps candidates that do not run from strategies that pick by score."""
    known = zip(pool.candidates, ballot.runs, strict=True)
    return replace(ballot, left_out=tuple(one.sql is not None and not runs for one, runs in known))


def with_scores(pool: CandidatePool, ballot: Ballot, judge: str, verdicts: Verdicts) -> Ballot:
    """The ballot with a judge's scores: 0 for a candidate that does not run, None if unknown.

    Raises:
        InputError: SJ505: a score is not in [0, 1].
    """
    scores = [
        None if candidate.sql is None else _score(verdicts.get((*pool.key, str(place))), judge)
        for place, candidate in enumerate(pool.candidates)
    ]
    return replace(ballot, scores={**ballot.scores, judge: tuple(scores)})


def _score(verdict: Verdict | None, judge: str) -> float | None:
    score = None if verdict is None else counted_score(verdict.outcome, verdict.score)
    if score is not None and not 0 <= score <= 1:
        raise InputError("SJ505", f"{judge} gave the score {score}; scores are in [0, 1] or None.")
    return score


def judged_by_label(
    pool: CandidatePool, ballot: Ballot, field: str, unusable: str = ""
) -> JudgedPool:
    """The question with recorded verdicts; it does not count if a candidate has none."""
    right = [_label(pool, place, field) for place in range(len(pool.candidates))]
    if unusable or None in right:
        return JudgedPool(pool, ballot, unusable or UNLABELLED)
    return JudgedPool(pool, replace(ballot, right=tuple(map(bool, right))))


def _label(pool: CandidatePool, place: int, field: str) -> bool | None:
    candidate = pool.candidates[place]
    if candidate.sql is None and field not in candidate.extra:
        return False
    return recorded_verdict(candidate.extra.get(field), pool.question.origin)


def judged_by_verdicts(
    pool: CandidatePool, ballot: Ballot, verdicts: Verdicts, threshold: float, unusable: str = ""
) -> JudgedPool:
    """The question with a judge's verdicts; it does not count if the judge could not judge it."""
    if not pool.question.reference_sqls:
        return JudgedPool(pool, ballot, NO_REFERENCE)
    own = [
        None if one.sql is None else verdicts[(*pool.key, str(place))]
        for place, one in enumerate(pool.candidates)
    ]
    looked = [verdicts[(*pool.key, "")], *filter(None, own)]
    failed = next((str(one.outcome) for one in looked if one.outcome.left_out), "")
    if unusable or failed:
        return JudgedPool(pool, ballot, unusable or failed)
    scores = [
        0.0 if verdict is None else counted_score(verdict.outcome, verdict.score) for verdict in own
    ]
    right = tuple(score is not None and score >= threshold for score in scores)
    return JudgedPool(pool, replace(ballot, right=right))
