"""Run a witness again: in a fresh SQLite database, and in DuckDB."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqljury.databases.generated.scratch import quoted
from sqljury.databases.sqlite import SQLiteDatabase, connect_memory
from sqljury.errors import MissingExtraError
from sqljury.execution import Execution, Limits, Status
from sqljury.schema import Schema, Table


def replayed(script: str, queries: Sequence[str], limits: Limits) -> list[Execution]:
    """The queries on the database that a script of ours makes anew, constraints and all."""
    connection = connect_memory()
    try:
        connection.executescript(script)
    except sqlite3.Error as error:
        connection.close()
        return [Execution(Status.ERROR, None, str(error)) for _ in queries]
    database = SQLiteDatabase(connection, "witness", _as_it_is)
    try:
        return [database.execute(sql, limits) for sql in queries]
    finally:
        database.close()


def _as_it_is(schema: Schema) -> Schema:
    return schema


_DUCKDB_TYPES = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}


def in_duckdb(
    tables: Sequence[Table],
    rows: Mapping[str, Sequence[tuple[Any, ...]]],
    queries: Sequence[str],
    limits: Limits,
) -> list[Execution] | None:
    """The queries, in DuckDB's dialect, on the same rows; None where DuckDB is not installed.

    A column has the type of its values: DuckDB knows no columns of mixed types. The rows go
    through a file, so that the queries run under the guard of DuckDB files.
    """
    try:
        from sqljury.databases.duckdb import DuckDBDatabase
    except MissingExtraError:
        return None
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "witness.duckdb"
        _write(path, tables, rows)
        database = DuckDBDatabase(path, "witness", _as_it_is)
        try:
            return [database.execute(sql, limits) for sql in queries]
        finally:
            database.close()


def _write(
    path: Path, tables: Sequence[Table], rows: Mapping[str, Sequence[tuple[Any, ...]]]
) -> None:
    import duckdb

    connection = duckdb.connect(str(path), config={"threads": "1"})
    for table in tables:
        own = rows.get(table.name, ())
        columns = ", ".join(
            f"{quoted(column.name)} {_type([row[i] for row in own], column.type)}"
            for i, column in enumerate(table.columns)
        )
        connection.execute(f"CREATE TABLE {quoted(table.name)} ({columns})")
        if own:
            marks = ", ".join("?" * len(table.columns))
            connection.executemany(f"INSERT INTO {quoted(table.name)} VALUES ({marks})", own)
    connection.close()


def _type(values: Sequence[Any], declared: str) -> str:
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) == 1:
        return _DUCKDB_TYPES[kinds.pop()]
    if kinds == {int, float}:
        return "DOUBLE"
    if kinds:
        return "VARCHAR"
    return "VARCHAR" if "CHAR" in declared.upper() or "TEXT" in declared.upper() else "BIGINT"
