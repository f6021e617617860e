"""The failures of a run, grouped by cause."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache

from sqljury.api.queries import diff_queries
from sqljury.case import Case
from sqljury.databases import Databases, open_databases
from sqljury.errors import SqljuryError
from sqljury.likeness.differences import Difference
from sqljury.runs import Run
from sqljury.schema import Schema
from sqljury.uses.evaluate.failures import Failures, failures
from sqljury.verdict import Record


def failures_of(run: Run, judge: str | None = None) -> Failures:
    """The failures of a run by cause, the most frequent first.

    If the run's databases still exist, the cause says what the queries do differently; otherwise
    it is taken from the rows.

    Args:
        judge: the judge whose verdicts are read; by default the first.
    """
    judge = judge or run.judges[0].name
    return failures_among(run, (record for record in run.records() if record.judge == judge))


def failures_among(run: Run, records: Iterable[Record]) -> Failures:
    """The failures among some records of a run by cause, the most frequent first."""
    return failures(records, told_apart_in(run))


def told_apart_in(run: Run) -> Callable[[Case], Sequence[Difference]]:
    """A function that returns how the operator trees of a case's first reference and its prediction
    differ, the likeliest difference first.

    It returns nothing if a query cannot be read, or the run's databases no longer exist.
    """
    return _teller(str(run.manifest.get("databases") or ""))


def _teller(databases: str) -> Callable[[Case], Sequence[Difference]]:
    schema_of = _schemas(databases)

    def told_apart(case: Case) -> Sequence[Difference]:
        schema = schema_of(case.db_id)
        if schema is None or not case.reference_sqls:
            return ()
        try:
            found = diff_queries(case.reference_sqls[0], str(case.predicted_sql), schema=schema)
        except SqljuryError:  # a query that cannot be read
            return ()
        return found.differences

    return told_apart


def _schemas(databases: str) -> Callable[[str], Schema | None]:
    opened = _opened(databases)

    @cache
    def schema_of(db_id: str) -> Schema | None:
        try:
            database = None if opened is None else opened.open(db_id)
        except SqljuryError:
            return None
        if database is None:
            return None
        try:
            return database.schema()
        finally:
            database.close()

    return schema_of


def _opened(databases: str) -> Databases | None:
    try:
        return open_databases(databases) if databases else None
    except SqljuryError:
        return None
