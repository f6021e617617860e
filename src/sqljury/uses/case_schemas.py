"""The schemas of a run's cases, and what follows from them: how two queries of a case differ."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from functools import cached_property

from sqljury.case import Case
from sqljury.databases import Databases, open_databases, schema_from_ddl
from sqljury.difference import Difference
from sqljury.errors import SqljuryError
from sqljury.schema import Schema
from sqljury.uses.queries import diff_queries


class CaseSchemas:
    """The schemas of cases, each database read once.

    Args:
        databases: where their databases are; None: only cases that bring a schema have one.
    """

    def __init__(self, databases: str | None) -> None:
        self._place = databases
        self._read: dict[str, Schema | None] = {}

    @cached_property
    def _databases(self) -> Databases | None:
        try:
            return open_databases(self._place) if self._place else None
        except SqljuryError:  # they have been moved since
            return None

    def of(self, case: Case) -> Schema | None:
        """The schema of a case's database; None if it is not known."""
        try:
            if case.schema_sql is not None:
                return schema_from_ddl(case.schema_sql)
            if case.db_id not in self._read:
                self._read[case.db_id] = None
                database = self._databases and self._databases.open(case.db_id)
                if database:
                    with closing(database):
                        self._read[case.db_id] = database.schema()
            return self._read[case.db_id]
        except SqljuryError:
            return None


def differences_of(case: Case, schema: Schema | None) -> Sequence[Difference]:
    """How the operator trees of a case's first reference and its prediction differ, the likeliest
    difference first; nothing if the schema is not known or a query cannot be read."""
    if schema is None or not case.reference_sqls or not isinstance(case.predicted_sql, str):
        return ()
    try:
        return diff_queries(case.reference_sqls[0], case.predicted_sql, schema=schema).differences
    except SqljuryError:  # a query that cannot be read
        return ()
