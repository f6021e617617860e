"""A SQLite database in memory whose rows are replaced many times."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import local
from typing import Any

from sqljury.databases.sqlite import SQLiteDatabase, connect_memory
from sqljury.errors import MissingExtraError
from sqljury.execution import Execution, Limits, Status
from sqljury.schema import Schema, Table

Named = Callable[[str], str]


class ScratchDatabase(SQLiteDatabase):
    """The tables of a schema without keys or indexes; queries are guarded as on database files.

    Without keys, rows are read in the order in which they were written. A result that depends on
    this order shows it when the rows are written in another one. The caller is responsible for
    keys.
    """

    def __init__(self, tables: Sequence[Table], *, db_id: str = "generated") -> None:
        connection = connect_memory()
        # An automatic index for a join would sort the rows and hide the order they were written in.
        connection.execute("PRAGMA automatic_index = OFF")
        for table in tables:
            connection.execute(create_table(table))
        super().__init__(connection, db_id, _as_it_is)
        self._tables = {table.name: table for table in tables}
        self._schema = Schema(dialect="sqlite", tables=tuple(tables))
        self._inserts = {table.name: _insert(table) for table in tables}

    def fill(self, rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
        """Replaces all rows."""
        self._deadline = self._patience = float("inf")
        with self._authorizer.lifted():
            for name, insert in self._inserts.items():
                self._connection.execute(f"DELETE FROM {quoted(name)}")
                if rows.get(name):
                    self._connection.executemany(insert, rows[name])

    def fingerprint(self) -> str:
        """Empty: the rows change all the time."""
        return self.db_id


def _as_it_is(schema: Schema) -> Schema:
    return schema


def create_table(
    table: Table,
    *,
    keys: Sequence[str] = (),
    dialect: str = "sqlite",
    named: Named | None = None,
) -> str:
    """The CREATE TABLE statement of a table, with the given constraints.

    Args:
        dialect: for one other than SQLite, types are written in its words, with NOT NULL.
        named: spells a name; quoted by default.

    >>> from sqljury.schema import Column
    >>> create_table(Table(name="a b", columns=(Column(name="order", type="INT"),)))
    'CREATE TABLE "a b" ("order" INT)'
    """
    named = named or quoted
    if dialect == "sqlite":
        parts: list[tuple[str, ...]] = [
            (named(c.name), _type(c.type), _collate(c.collation)) for c in table.columns
        ]
    else:
        parts = [
            (
                named(c.name),
                type_in(c.type, dialect),
                _collate(c.collation, dialect),
                "" if c.nullable else "NOT NULL",
            )
            for c in table.columns
        ]
    columns = [" ".join(filter(None, each)) for each in parts]
    return f"CREATE TABLE {named(table.name)} ({', '.join([*columns, *keys])})"


def _collate(name: str, dialect: str = "sqlite") -> str:
    """The COLLATE clause; in SQLite, if it has this collation built in."""
    if dialect != "sqlite":
        written = quoted(name) if dialect == "postgres" else name
        return f"COLLATE {written}" if re.fullmatch(r"[\w.-]+", name) else ""
    known = name.upper() in ("NOCASE", "RTRIM")
    return f"COLLATE {name.upper()}" if known else ""


_TYPE_CHARACTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ (),")
_CONSTRAINTS = frozenset(
    {"PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED"}
)


def _type(text: str) -> str:
    """The words of a type; empty if the text contains more than a type."""
    plain = set(text) <= _TYPE_CHARACTERS and re.fullmatch(r"[^()]*(\([\d ,]*\)[^()]*)?", text)
    words = text.upper().replace("(", " ").split()
    return text if plain and not _CONSTRAINTS & set(words) else quoted(text)


def _insert(table: Table) -> str:
    marks = ", ".join("?" * len(table.columns))
    return f"INSERT INTO {quoted(table.name)} VALUES ({marks})"


def type_in(text: str, dialect: str) -> str:
    """The type in the words of a dialect."""
    if not text:
        return ""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    for spoken, udt in ((None, False), (dialect, True)):
        with suppress(SqlglotError, ValueError, TypeError):
            return exp.DataType.build(text, dialect=spoken, udt=udt).sql(dialect)
    return _type(text)


def quoted(name: str, dialect: str = "sqlite") -> str:
    """The name as a quoted identifier, whatever characters it has."""
    mark = "`" if dialect == "mysql" else '"'
    return mark + name.replace(mark, mark * 2) + mark


# ------------------------------------------------------------
# Run queries again on a witness: in a new SQLite database, and in DuckDB.


def replayed(script: str, queries: Sequence[str], limits: Limits) -> list[Execution]:
    """Runs the queries on the database that one of our scripts creates, with its constraints."""
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


_DUCKDB_TYPES = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}


def in_duckdb(
    tables: Sequence[Table],
    rows: Mapping[str, Sequence[tuple[Any, ...]]],
    queries: Sequence[str],
    limits: Limits,
    *,
    as_declared: bool = False,
) -> list[Execution] | None:
    """Runs the queries, in DuckDB's dialect, on the same rows; None if DuckDB is not installed.

    Each column gets the type of its values, because DuckDB has no columns of mixed types. The rows
    go through a file, so that the queries are guarded as on DuckDB files.

    Args:
        as_declared: create the tables with their DuckDB types, keys and constraints; if DuckDB
            refuses the rows, the queries fail.
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


_OPENED = local()
"""The empty DuckDB database of each thread: opening one takes as long as ten queries."""


def empty_duckdb(limits: Limits) -> Callable[[str], Execution] | None:
    """A function that runs a query in an empty DuckDB database, guarded as on DuckDB files; None if
    DuckDB is not installed."""
    try:
        from sqljury.databases.duckdb import DuckDBDatabase
    except MissingExtraError:
        return None
    if not hasattr(_OPENED, "database"):
        _OPENED.folder = TemporaryDirectory(ignore_cleanup_errors=True)
        path = Path(_OPENED.folder.name) / "empty.duckdb"
        _write(path, (), {}, as_declared=True)
        _OPENED.database = DuckDBDatabase(path, "empty", _as_it_is)
    database = _OPENED.database
    return lambda sql: database.execute(sql, limits)


def _write(
    path: Path,
    tables: Sequence[Table],
    rows: Mapping[str, Sequence[tuple[Any, ...]]],
    as_declared: bool,
) -> str | None:
    """Creates the tables and inserts their rows; returns why DuckDB refused them, or None."""
    import duckdb

    from sqljury.databases.duckdb import CONFIG

    # The types and declarations come from the user's schema, so they are not trusted.
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
            else _type_of_values([row[i] for row in rows], column.type)
        )
        for i, column in enumerate(table.columns)
    ]
    keys = [f"UNIQUE ({', '.join(map(quoted, key))})" for key in table.unique]
    if table.primary_key:
        keys.append(f"PRIMARY KEY ({', '.join(map(quoted, table.primary_key))})")
    return [f"CREATE TABLE {quoted(table.name)} ({', '.join([*columns, *as_declared * keys])})"]


def _type_of_values(values: Sequence[Any], declared: str) -> str:
    kinds = {type(value) for value in values if value is not None}
    if len(kinds) == 1:
        return _DUCKDB_TYPES[kinds.pop()]
    if kinds == {int, float}:
        return "DOUBLE"
    if kinds:
        return "VARCHAR"
    return "VARCHAR" if "CHAR" in declared.upper() or "TEXT" in declared.upper() else "BIGINT"
