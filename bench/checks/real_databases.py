"""Database files as tests of trees see them: read twice, once with unordered rows backwards."""

from __future__ import annotations

import sqlite3
import time
from functools import cached_property
from pathlib import Path

from checks.small_databases import Row, quoted
from sqljury.databases.sqlite_schema import read_schema
from sqljury.schema import Schema, Table
from sqljury.trees.affinity import declared_affinity
from sqljury.trees.context import Assumption

_SECONDS = 2.0
_MOST_ROWS = 50_000


class RealEngine:
    """A SQLite file, read only, with a limit on each query's time and rows."""

    def __init__(self, path: Path, backwards: bool = False) -> None:
        uri = f"file:{path}?mode=ro&immutable=1"
        self._connection = sqlite3.connect(uri, uri=True)
        self._connection.text_factory = lambda data: data.decode("utf-8", "replace")
        if backwards:
            self._connection.execute("PRAGMA reverse_unordered_selects = ON")
        self._end = 0.0
        self._connection.set_progress_handler(lambda: time.monotonic() > self._end, 10_000)
        self.schema = self._schema()

    def _schema(self) -> Schema:
        self._end = time.monotonic() + _SECONDS
        return read_schema(self._connection)

    def run(self, sql: str) -> list[Row] | str:
        """The rows of a query, or what SQLite has against it."""
        self._end = time.monotonic() + _SECONDS
        try:
            rows = self._connection.execute(sql).fetchmany(_MOST_ROWS + 1)
        except sqlite3.Error as error:
            return f"{type(error).__name__}: {error}"
        return rows if len(rows) <= _MOST_ROWS else "interrupted: too many rows"

    def close(self) -> None:
        """Let it go."""
        self._connection.close()


class RealCopies:
    """One file read in two ways, and what is true of its data."""

    def __init__(self, path: Path) -> None:
        self.engines = (RealEngine(path), RealEngine(path, backwards=True))
        self.schema = self.engines[0].schema
        self.rows = None

    def close(self) -> None:
        """Let it go."""
        for engine in self.engines:
            engine.close()

    @cached_property
    def held(self) -> frozenset[Assumption]:
        """The assumptions that the data respects; ties are a matter of each query."""
        checks = {
            Assumption.PRIMARY_KEY: _keys_hold,
            Assumption.FOREIGN_KEY: _foreign_keys_hold,
            Assumption.NOT_NULL: _no_nulls,
            Assumption.TYPES: _types_hold,
        }
        engine, tables = self.engines[0], self.schema.tables
        return frozenset(
            assumption
            for assumption, holds in checks.items()
            if all(holds(engine, table) for table in tables if not table.is_view)
        )


def _finds(engine: RealEngine, sql: str) -> bool:
    """Whether a query has rows; true if it fails, so that nothing is taken for granted."""
    return engine.run(f"SELECT 1 WHERE EXISTS ({sql})") != []


def _keys_hold(engine: RealEngine, table: Table) -> bool:
    for names in (table.primary_key, *table.unique):
        columns = ", ".join(map(quoted, names))
        filled = " AND ".join(f"{quoted(name)} IS NOT NULL" for name in names)
        if names and _finds(
            engine,
            f"SELECT 1 FROM {quoted(table.name)} WHERE {filled} GROUP BY {columns} "
            "HAVING COUNT(*) > 1",
        ):
            return False
    nulls = " OR ".join(f"{quoted(name)} IS NULL" for name in table.primary_key)
    return not (nulls and _finds(engine, f"SELECT 1 FROM {quoted(table.name)} WHERE {nulls}"))


def _foreign_keys_hold(engine: RealEngine, table: Table) -> bool:
    for key in table.foreign_keys:
        pairs = list(zip(key.columns, key.target_columns, strict=False))
        filled = " AND ".join(f"a.{quoted(mine)} IS NOT NULL" for mine, _ in pairs)
        same = " AND ".join(f"a.{quoted(mine)} = b.{quoted(theirs)}" for mine, theirs in pairs)
        if not pairs or _finds(
            engine,
            f"SELECT 1 FROM {quoted(table.name)} a WHERE {filled} AND NOT EXISTS "
            f"(SELECT 1 FROM {quoted(key.target_table)} b WHERE {same})",
        ):
            return False
    return True


def _no_nulls(engine: RealEngine, table: Table) -> bool:
    nulls = " OR ".join(f"{quoted(column.name)} IS NULL" for column in table.columns)
    return not _finds(engine, f"SELECT 1 FROM {quoted(table.name)} WHERE {nulls}")


_STORED = {
    "INTEGER": ("integer",),
    "REAL": ("real", "integer"),
    "NUMERIC": ("real", "integer"),
    "TEXT": ("text",),
}
_TEXT_IN_SQLITE = ("DATE", "TIME")
"""Declarations of numeric affinity whose values are texts."""


def _types_hold(engine: RealEngine, table: Table) -> bool:
    for column in table.columns:
        kinds = _STORED.get(declared_affinity(column.type))
        if any(word in column.type.upper() for word in _TEXT_IN_SQLITE):
            kinds = ("text",)
        if kinds is None:
            continue
        listed = ", ".join(f"'{kind}'" for kind in (*kinds, "null"))
        name = quoted(column.name)
        if _finds(
            engine, f"SELECT 1 FROM {quoted(table.name)} WHERE typeof({name}) NOT IN ({listed})"
        ):
            return False
    return True
