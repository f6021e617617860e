"""From pools to cases that judges look at, and from their verdicts to ballots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqljury.benchmarks import recorded_verdict
from sqljury.case import MISSING, Case
from sqljury.errors import InputError
from sqljury.evidence_shapes import results_of
from sqljury.uses.evaluate.summary import counted_score
from sqljury.uses.select.pool import Ballot, CandidatePool
from sqljury.uses.select.selection import Seen
from sqljury.verdict import Outcome, Verdict

Verdicts = Mapping[tuple[str, str, str], Verdict]
"""By the key of a case."""

UNLABELLED = "unlabelled"
NO_REFERENCE = str(Outcome.REFERENCE_MISSING)


def judged_cases(pool: CandidatePool, *, grouped: bool, judged: bool) -> Iterator[Case]:
    """A case that holds the whole pool, then one for each distinct candidate.

    Args:
        grouped: results are asked for.
        judged: each candidate's verdict is asked for. The first case stands for the question
            then, which may have no usable candidate.
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
    """A case for each distinct candidate, without the references of the benchmark."""
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
    """What is known before anything is run or judged."""
    return Ballot(
        counts=tuple(one.count for one in pool.candidates),
        systems=tuple(one.systems for one in pool.candidates),
    )


def with_results(pool: CandidatePool, ballot: Ballot, verdict: Verdict) -> Ballot:
    """With what the judge of results says; where it says nothing, nothing runs."""
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
    """With the results that the pool has written down.

    Raises:
        InputError: SJ571: it has none of some candidate.
    """
    found = [one.recorded for one in pool.candidates]
    if any(result is None and one.sql for result, one in zip(found, pool.candidates, strict=True)):
        raise InputError(
            "SJ571",
            "strategies that look at results need them, and the pool has none.",
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
    """With the candidates that do not run left out of what is picked by score."""
    known = zip(pool.candidates, ballot.runs, strict=True)
    return replace(ballot, left_out=tuple(one.sql is not None and not runs for one, runs in known))


def with_scores(pool: CandidatePool, ballot: Ballot, judge: str, verdicts: Verdicts) -> Ballot:
    """With a judge's scores; what does not run scores 0, what nobody can say None.

    Raises:
        InputError: SJ505: a score is no number in [0, 1].
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


def seen_by_label(pool: CandidatePool, ballot: Ballot, field: str, unusable: str = "") -> Seen:
    """With recorded verdicts; a question with a candidate that has none does not count."""
    right = [_label(pool, place, field) for place in range(len(pool.candidates))]
    if unusable or None in right:
        return Seen(pool, ballot, unusable or UNLABELLED)
    return Seen(pool, replace(ballot, right=tuple(map(bool, right))))


def _label(pool: CandidatePool, place: int, field: str) -> bool | None:
    candidate = pool.candidates[place]
    if candidate.sql is None and field not in candidate.extra:
        return False
    return recorded_verdict(candidate.extra.get(field), pool.question.origin)


def seen_by_judge(
    pool: CandidatePool, ballot: Ballot, verdicts: Verdicts, threshold: float, unusable: str = ""
) -> Seen:
    """With verdicts; a question that the judge could not look at does not count."""
    if not pool.question.reference_sqls:
        return Seen(pool, ballot, NO_REFERENCE)
    own = [
        None if one.sql is None else verdicts[(*pool.key, str(place))]
        for place, one in enumerate(pool.candidates)
    ]
    looked = [verdicts[(*pool.key, "")], *filter(None, own)]
    failed = next((str(one.outcome) for one in looked if one.outcome.left_out), "")
    if unusable or failed:
        return Seen(pool, ballot, unusable or failed)
    scores = [
        0.0 if verdict is None else counted_score(verdict.outcome, verdict.score) for verdict in own
    ]
    right = tuple(score is not None and score >= threshold for score in scores)
    return Seen(pool, replace(ballot, right=right))
