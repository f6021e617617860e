"""Run a witness again: in a fresh SQLite database, and in DuckDB."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqljury.databases.generated.scratch import quoted, type_in
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
    *,
    as_declared: bool = False,
) -> list[Execution] | None:
    """The queries, in DuckDB's dialect, on the same rows; None where DuckDB is not installed.

    A column has the type of its values: DuckDB knows no columns of mixed types. The rows go
    through a file, so that the queries run under the guard of DuckDB files.

    Args:
        as_declared: the tables are DuckDB's own: with their types, keys and constraints. Rows
            that it refuses make the queries fail.
    """
    try:
        from sqljury.databases.duckdb import DuckDBDatabase
    except MissingExtraError:
        return None
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "witness.duckdb"
        refused = _write(path, tables, rows, as_declared)
        if refused is not None:
            return [Execution(Status.ERROR, None, refused) for _ in queries]
        database = DuckDBDatabase(path, "witness", _as_it_is)
        try:
            return [database.execute(sql, limits) for sql in queries]
        finally:
            database.close()


@contextmanager
def empty_duckdb(limits: Limits) -> Iterator[Callable[[str], Execution] | None]:
    """What runs a query in a DuckDB without tables, under the guard of DuckDB files; None where
    DuckDB is not installed."""
    try:
        from sqljury.databases.duckdb import DuckDBDatabase
    except MissingExtraError:
        yield None
        return
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "empty.duckdb"
        _write(path, (), {}, as_declared=True)
        with closing(DuckDBDatabase(path, "empty", _as_it_is)) as database:
            yield lambda sql: database.execute(sql, limits)


def _write(
    path: Path,
    tables: Sequence[Table],
    rows: Mapping[str, Sequence[tuple[Any, ...]]],
    as_declared: bool,
) -> str | None:
    """Make the tables and their rows; why not, where they are refused."""
    import duckdb

    from sqljury.databases.duckdb import CONFIG

    # The types and declarations are somebody else's text.
    with closing(duckdb.connect(str(path), config=CONFIG)) as connection:
        try:
            for table in tables:
                own = rows.get(table.name, ())
                for statement in _made(table, own, as_declared):
                    connection.execute(statement)
                stored = [i for i, column in enumerate(table.columns) if not column.generated]
                if own and stored:
                    names = ", ".join(quoted(table.columns[i].name) for i in stored)
                    marks = ", ".join("?" * len(stored))
                    connection.executemany(
                        f"INSERT INTO {quoted(table.name)} ({names}) VALUES ({marks})",
                        [[row[i] for i in stored] for row in own],
                    )
        except duckdb.Error as error:
            if as_declared:
                return str(error)
            raise
    return None


def _made(table: Table, rows: Sequence[tuple[Any, ...]], as_declared: bool) -> list[str]:
    if as_declared and table.declaration:
        return list(table.declaration)
    columns = [
        f"{quoted(column.name)} "
        + (
            f"{type_in(column.type, 'duckdb') or 'VARCHAR'}{'' if column.nullable else ' NOT NULL'}"
            if as_declared
            else _type([row[i] for row in rows], column.type)
        )
        for i, column in enumerate(table.columns)
    ]
    keys = [f"UNIQUE ({', '.join(map(quoted, key))})" for key in table.unique]
    if table.primary_key:
        keys.append(f"PRIMARY KEY ({', '.join(map(quoted, table.primary_key))})")
    return [f"CREATE TABLE {quoted(table.name)} ({', '.join([*columns, *as_declared * keys])})"]


def _type(values: Sequence[Any], declared: str) -> str:
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) == 1:
        return _DUCKDB_TYPES[kinds.pop()]
    if kinds == {int, float}:
        return "DOUBLE"
    if kinds:
        return "VARCHAR"
    return "VARCHAR" if "CHAR" in declared.upper() or "TEXT" in declared.upper() else "BIGINT"
