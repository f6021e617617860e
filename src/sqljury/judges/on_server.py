"""Another engine than SQLite, asked over rows that stand in the query."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqljury.execution import Execution, Status
from sqljury.schema import Table
from sqljury.sql.transpile import over_rows, quoted_name


@dataclass(frozen=True, slots=True)
class Server:
    """A database server on which queries run over rows of ours; no table on it is read or written.

    Args:
        engine: its name.
        dialect: sqlglot's name of its SQL.
        execute: runs one statement there, read-only and limited.
    """

    engine: str
    dialect: str
    execute: Callable[[str], Execution]


_TEXTS: Final = re.compile(r"char|text|clob|citext", re.IGNORECASE)


def _checks(table: Table, dialect: str) -> Iterator[str]:
    """Queries that find rows which are equal in a key of texts: its collation decides that."""
    for key in filter(None, (table.primary_key, *table.unique)):
        columns = [column for column in table.columns if column.name in key]
        if not any(_TEXTS.search(column.type) for column in columns):
            continue
        names = [quoted_name(column.name, dialect) for column in columns]
        held = " AND ".join(f"{name} IS NOT NULL" for name in names)
        yield (
            f"SELECT 1 FROM {quoted_name(table.name, dialect)} WHERE {held} "
            f"GROUP BY {', '.join(names)} HAVING COUNT(*) > 1"
        )


class ServerRows:
    """The rows of one generated database at a time, written into each query that is sent."""

    def __init__(self, server: Server, tables: Sequence[Table]) -> None:
        self._server = server
        self._tables = tables
        self._rows: Mapping[str, Sequence[tuple[Any, ...]]] = {}
        self._checks = [text for table in tables for text in _checks(table, server.dialect)]
        self._refused: str | None = None
        """Why the server would not hold the rows of now; None where that was not asked yet."""

    def fill(self, rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
        """Replace all rows."""
        self._rows, self._refused = rows, None

    def rows(self, sql: str) -> Execution:
        """Run one statement on the rows of now; failures are values."""
        if self._refused is None:
            self._refused = "a key is violated" if any(map(self._shows, self._checks)) else ""
        if self._refused:
            return Execution(Status.ERROR, None, self._refused)
        return self._run(sql)

    def _shows(self, sql: str) -> bool:
        table = self._run(sql).table
        return table is None or bool(table.rows)

    def _run(self, sql: str) -> Execution:
        written = over_rows(sql, self._server.dialect, self._tables, self._rows)
        if written is None:
            return Execution(Status.ERROR, None, "it cannot be written over rows")
        return self._server.execute(written)

    def close(self) -> None:
        """Nothing to give back: the connection is somebody else's."""
