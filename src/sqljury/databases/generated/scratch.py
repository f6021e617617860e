"""A SQLite database in memory whose rows are replaced again and again."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from sqljury.databases.sqlite import SQLiteDatabase, connect_memory
from sqljury.schema import Schema, Table

Named = Callable[[str], str]


class ScratchDatabase(SQLiteDatabase):
    """The tables of a schema without keys or indexes, under the same guard as database files.

    Without keys, the order in which rows are read is the one in which they were written: a
    result that depends on it shows so when the rows are written in another one. Keys are the
    business of whoever makes the rows.
    """

    def __init__(self, tables: Sequence[Table], *, db_id: str = "generated") -> None:
        connection = connect_memory()
        # An index that a join makes for itself would sort the rows, in whatever order they stand.
        connection.execute("PRAGMA automatic_index = OFF")
        for table in tables:
            connection.execute(create_table(table))
        super().__init__(connection, db_id, _as_it_is)
        self._tables = {table.name: table for table in tables}
        self._schema = Schema(dialect="sqlite", tables=tuple(tables))
        self._inserts = {table.name: _insert(table) for table in tables}

    def fill(self, rows: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
        """Replace all rows."""
        self._deadline = self._patience = float("inf")
        with self._authorizer.lifted():
            for name, insert in self._inserts.items():
                self._connection.execute(f"DELETE FROM {quoted(name)}")
                if rows.get(name):
                    self._connection.executemany(insert, rows[name])

    def fingerprint(self) -> str:
        """Nothing to tell apart: the rows come and go."""
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
    """The CREATE TABLE of a table, with constraints as given.

    Args:
        dialect: another than SQLite's writes types as it has them, and NOT NULL.
        named: how a name is written; between quotes by default.

    >>> from sqljury.schema import Column
    >>> create_table(Table(name="a b", columns=(Column(name="order", type="INT"),)))
    'CREATE TABLE "a b" ("order" INT)'
    """
    named = named or quoted
    if dialect == "sqlite":
        parts = [(named(c.name), _type(c.type), _collate(c.collation)) for c in table.columns]
    else:
        parts = [
            (named(c.name), type_in(c.type, dialect), "" if c.nullable else "NOT NULL")
            for c in table.columns
        ]
    columns = [" ".join(filter(None, each)) for each in parts]
    return f"CREATE TABLE {named(table.name)} ({', '.join([*columns, *keys])})"


def _collate(name: str) -> str:
    """The collation, where SQLite has it itself."""
    known = name.upper() in ("NOCASE", "RTRIM")
    return f"COLLATE {name.upper()}" if known else ""


_TYPE_CHARACTERS: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ (),"
)
_CONSTRAINTS = frozenset(
    {"PRIMARY", "NOT", "NULL", "UNIQUE", "CHECK", "DEFAULT", "COLLATE", "REFERENCES", "GENERATED"}
)


def _type(text: str) -> str:
    """The type's words; nothing of a text that would be more than a type."""
    plain = set(text) <= _TYPE_CHARACTERS and re.fullmatch(r"[^()]*(\([\d ,]*\)[^()]*)?", text)
    words = text.upper().replace("(", " ").split()
    return text if plain and not _CONSTRAINTS & set(words) else quoted(text)


def _insert(table: Table) -> str:
    marks = ", ".join("?" * len(table.columns))
    return f"INSERT INTO {quoted(table.name)} VALUES ({marks})"


def type_in(text: str, dialect: str) -> str:
    """A type in the words of a dialect."""
    if not text:
        return ""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    for spoken, udt in ((None, False), (dialect, True)):
        with suppress(SqlglotError, ValueError, TypeError):
            return exp.DataType.build(text, dialect=spoken, udt=udt).sql(dialect)
    return _type(text)


def quoted(name: str, dialect: str = "sqlite") -> str:
    """A name as SQL spells it, whatever is in it."""
    mark = "`" if dialect == "mysql" else '"'
    return mark + name.replace(mark, mark * 2) + mark
