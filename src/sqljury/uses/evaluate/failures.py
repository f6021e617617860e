"""Predictions that are not correct, grouped by cause."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqljury.case import MISSING, Case
from sqljury.difference import Difference
from sqljury.frames import data_frame
from sqljury.reports.evidence import cause_of, one_line
from sqljury.reports.words import count, shortened, visible
from sqljury.runs import Run
from sqljury.uses.case_schemas import CaseSchemas, differences_of
from sqljury.verdict import Outcome, Record


@dataclass(frozen=True, slots=True)
class Failure:
    """One prediction whose verdict is not ``correct``."""

    case: Case
    judge: str
    outcome: Outcome
    cause: str
    """What other failures may share: ``missing filter``, ``no such column``, ``tie``."""
    reason: str
    """Why it failed, on one line."""

    def to_row(self) -> dict[str, Any]:
        """A row of a data frame: column name → value."""
        case = self.case
        return {
            "cause": self.cause,
            "benchmark": case.benchmark,
            "id": case.id,
            "source": case.source,
            "db_id": case.db_id,
            "question": case.question,
            "reference_sql": next(iter(case.reference_sqls), None),
            "predicted_sql": None if case.predicted_sql is MISSING else case.predicted_sql,
            "judge": self.judge,
            "outcome": str(self.outcome),
            "reason": self.reason,
        }


class Failures(dict[str, list[Failure]]):
    """Failures by cause, the most frequent first."""

    def to_frame(self, library: str | None = None) -> Any:
        """A data frame with a row per failure.

        Args:
            library: ``pandas`` or ``polars``; by default the first of them that is installed.

        Raises:
            InputError: SJ803: neither is installed.
        """
        return data_frame([one.to_row() for group in self.values() for one in group], library)


def failures(
    records: Iterable[Record], told_apart: Callable[[Case], Sequence[Difference]]
) -> Failures:
    """The failures among some records by cause, the most frequent cause first.

    Cases that are left out of a score (a reference that fails, …) are not failures.

    Args:
        told_apart: returns the differences between a case's prediction and its reference; empty
            if they cannot be found.
    """
    found: defaultdict[str, list[Failure]] = defaultdict(list)
    for record in records:
        verdict = record.verdict
        if verdict.outcome is Outcome.CORRECT or verdict.outcome.left_out:
            continue
        differences = told_apart(record.case) if verdict.outcome is Outcome.INCORRECT else ()
        cause = cause_of(verdict, differences)
        reason = differences[0].words if differences else verdict.reason or str(verdict.outcome)
        failure = Failure(record.case, record.judge, verdict.outcome, cause, one_line(reason))
        found[cause].append(failure)
    return Failures(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))


_LONGEST = 300


def failures_text(found: Mapping[str, Sequence[Failure]], most: int, run: str) -> str:
    """A text with each cause, its count and at most ``most`` of its failures."""
    return "\n".join(_lines(found, most, run))


def _lines(found: Mapping[str, Sequence[Failure]], most: int, run: str) -> Iterator[str]:
    total = sum(map(len, found.values()))
    yield f"{count(total)} failures, {count(len(found))} causes"
    for cause, group in found.items():
        yield ""
        yield f"{visible(cause)}: {count(len(group))}"
        for failure in group[:most]:
            yield from _failure(failure)
        if len(group) > most:
            yield f"  and {count(len(group) - most)} more"
    if total:
        first = next(iter(found.values()))[0]
        yield ""
        yield f"all of one: sqljury report {visible(run)} --case {visible(first.case.name)}"


def _failure(failure: Failure) -> Iterator[str]:
    case = failure.case
    yield f"  {visible(case.name)}  {_shown(case.question or '')}".rstrip()
    for sign, sql in (("-", next(iter(case.reference_sqls), None)), ("+", case.predicted_sql)):
        if isinstance(sql, str):
            yield f"    {sign} {_shown(sql)}"
    yield f"    {_shown(failure.reason)}"


def _shown(text: str) -> str:
    return shortened(visible(" ".join(text.split())), _LONGEST)


def failures_of(run: Run, judge: str | None = None) -> Failures:
    """The failures of a run by cause, the most frequent first.

    If the run's databases still exist, the cause says what the queries do differently; otherwise
    it is taken from the rows.

    Args:
        judge: the judge whose verdicts are read; by default the first.
    """
    judge = judge or next((one.name for one in run.judges), "")
    return failures_among(run, (record for record in run.records() if record.judge == judge))


def failures_among(run: Run, records: Iterable[Record]) -> Failures:
    """The failures among some records of a run by cause, the most frequent first."""
    return failures(records, differences_in(run))


def differences_in(run: Run) -> Callable[[Case], Sequence[Difference]]:
    """A function that returns how the operator trees of a case's first reference and its prediction
    differ, the likeliest difference first.

    It returns nothing if a query cannot be read, or the run's databases no longer exist.
    """
    schemas = CaseSchemas(run.databases)
    return lambda case: differences_of(case, schemas.of(case))
