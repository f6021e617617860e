"""Reads a SQLite database's schema through its table-valued pragmas."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import NamedTuple

from sqljury.schema import Column, ForeignKey, Schema, Table

_SPECIAL = re.compile(
    r"\b(CHECK|COLLATE|STRICT|GENERATED|WHERE|CONFLICT|AS|KEY\s+DESC)\b|INDEX\b.*\(.*\(",
    re.I | re.S,
)
"""Words in a declaration that may mean more than columns, types and keys."""
TRIGGERS = "it has triggers or rules"
_STRICT = re.compile(r"\bSTRICT\b", re.IGNORECASE)
_UNKNOWN_COLLATION = "?"


class _Made(NamedTuple):
    """A table or view, its own statement, and the statements of its unique indexes."""

    name: str
    is_view: bool
    statements: tuple[str, ...]


def read_schema(connection: sqlite3.Connection) -> Schema:
    """All tables and views, in the order of their creation."""
    named = _made(connection)
    keys = {made.name: _primary_key(connection, made.name) for made in named if not made.is_view}
    targets = {name.casefold(): key for name, key in keys.items()}
    collated = any(_mentions_collation(made) for made in named)
    triggers = connection.execute("SELECT tbl_name FROM sqlite_master WHERE type = 'trigger'")
    triggered = {name.casefold() for (name,) in triggers}
    tables = (_table(connection, made, keys, targets, collated) for made in named)
    return Schema(
        dialect="sqlite",
        tables=tuple(
            replace(table, unsure=TRIGGERS) if table.name.casefold() in triggered else table
            for table in tables
        ),
    )


def _table(
    connection: sqlite3.Connection,
    made: _Made,
    keys: Mapping[str, tuple[str, ...]],
    targets: Mapping[str, tuple[str, ...]],
    collated: bool,
) -> Table:
    key = keys.get(made.name, ())
    columns = _columns(connection, made, collated)
    special = not made.is_view and any(map(_SPECIAL.search, made.statements))
    return Table(
        name=made.name,
        columns=columns,
        primary_key=key,
        unique=_unique(connection, made.name),
        foreign_keys=_foreign_keys(connection, made.name, targets),
        is_view=made.is_view,
        nullable_key=any(column.nullable for column in columns if column.name in key),
        declaration=made.statements if special else (),
    )


def _made(connection: sqlite3.Connection) -> list[_Made]:
    rows = connection.execute(
        "SELECT name, type = 'view', coalesce(sql, '') FROM sqlite_master "
        "WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    ).fetchall()
    indexes: dict[str, list[str]] = {}
    for table, sql in connection.execute(
        "SELECT tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"
    ):
        if re.match(r"\s*CREATE\s+UNIQUE\b", sql, re.IGNORECASE):
            indexes.setdefault(table.casefold(), []).append(sql)
    return [
        _Made(name, bool(is_view), (sql, *indexes.get(name.casefold(), ())))
        for name, is_view, sql in rows
    ]


def _mentions_collation(made: _Made) -> bool:
    return any("collate" in sql.casefold() for sql in made.statements)


def _columns(connection: sqlite3.Connection, made: _Made, collated: bool) -> tuple[Column, ...]:
    try:
        rows = connection.execute(
            # hidden: 1 is a virtual table's own column; 2 and 3 are generated ones.
            'SELECT name, type, "notnull", pk, hidden > 1 FROM pragma_table_xinfo(?) '
            "WHERE hidden <> 1",
            (made.name,),
        ).fetchall()
    except sqlite3.DatabaseError:
        return ()  # a view of a missing table, or a module that is not loaded
    names = [row[0] for row in rows]
    collations = _collations(made, names) if collated else {}
    key = [name for name, _, _, pk, _ in rows if pk]
    held = _held_by_key(connection, made, key, {name.casefold() for name in names})
    strict = not made.is_view and _STRICT.search(made.statements[0].rpartition(")")[2]) is not None
    return tuple(
        Column(
            name=name,
            # Outside strict tables ANY converts texts to numbers, as NUMERIC does.
            type="" if strict and kind.upper() == "ANY" else kind,
            nullable=not (notnull or name in held),
            collation="" if made.is_view and _holds_numbers(kind) else collations.get(name, ""),
            generated=bool(generated),
        )
        for name, kind, notnull, _, generated in rows
    )


def _holds_numbers(declared: str) -> bool:
    return declared != "" and not re.search("CHAR|CLOB|TEXT|BLOB", declared, re.IGNORECASE)


def _held_by_key(
    connection: sqlite3.Connection, made: _Made, key: list[str], names: set[str]
) -> list[str]:
    """The columns that the primary key keeps from being NULL: the row id, or all key columns of a
    table without one. Every other primary key may contain NULL, even ``INTEGER PRIMARY KEY DESC``.

    Source: https://www.sqlite.org/lang_createtable.html, sections 3.5 and 5.
    """
    if not key or made.is_view:
        return []
    try:
        rows = connection.execute(
            "SELECT name FROM pragma_index_list(?) WHERE origin = 'pk'", (made.name,)
        )
        if rows.fetchone() is None:
            return key  # the row id has no index of its own
        if "rowid" not in names:
            quoted = made.name.replace('"', '""')
            connection.execute(f'SELECT rowid FROM "{quoted}" LIMIT 0')
    except sqlite3.OperationalError:
        return key
    return []


def _collations(made: _Made, names: list[str]) -> dict[str, str]:
    """The collations of columns other than BINARY, as SQLite itself reads the declaration.

    For a view's columns there is no way to find them.
    """
    if made.is_view:
        return dict.fromkeys(names, _UNKNOWN_COLLATION)
    if not _mentions_collation(made):
        return {}
    with closing(sqlite3.connect(":memory:")) as scratch:
        try:
            scratch.execute(made.statements[0])
        except sqlite3.Error:
            return dict.fromkeys(names, _UNKNOWN_COLLATION)
        found = {name: _collation(scratch, made.name, name) for name in names}
    return {name: collation for name, collation in found.items() if collation}


def _collation(scratch: sqlite3.Connection, table: str, column: str) -> str:
    """The collation of a column, read from an index on it, which inherits it."""
    table, column = (name.replace('"', '""') for name in (table, column))
    try:
        scratch.execute(f'CREATE INDEX "collation of" ON "{table}" ("{column}")')
        (name,) = scratch.execute(
            "SELECT coll FROM pragma_index_xinfo('collation of') WHERE seqno = 0"
        ).fetchone()
        scratch.execute('DROP INDEX "collation of"')
    except sqlite3.Error:
        return _UNKNOWN_COLLATION
    return "" if name.upper() == "BINARY" else str(name).upper()


def _primary_key(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    try:
        rows = connection.execute(
            "SELECT name FROM pragma_table_xinfo(?) WHERE pk ORDER BY pk", (table,)
        ).fetchall()
    except sqlite3.DatabaseError:
        return ()
    return tuple(name for (name,) in rows)


def _unique(connection: sqlite3.Connection, table: str) -> tuple[tuple[str, ...], ...]:
    """Unique constraints and indexes on plain columns of all rows, in order of their creation."""
    indexes = connection.execute(
        "SELECT name FROM pragma_index_list(?) "
        """WHERE "unique" AND origin <> 'pk' AND NOT partial ORDER BY seq DESC""",
        (table,),
    ).fetchall()
    found = []
    for (index,) in indexes:
        columns = connection.execute(
            "SELECT name FROM pragma_index_info(?) ORDER BY seqno", (index,)
        ).fetchall()
        if all(name is not None for (name,) in columns):
            found.append(tuple(name for (name,) in columns))
    return tuple(found)


def _foreign_keys(
    connection: sqlite3.Connection, table: str, keys: Mapping[str, tuple[str, ...]]
) -> tuple[ForeignKey, ...]:
    rows = connection.execute(
        # The first declared key has the highest id.
        'SELECT id, "table", "from", "to" FROM pragma_foreign_key_list(?) ORDER BY id DESC, seq',
        (table,),
    ).fetchall()
    grouped: dict[int, list[tuple[str, str, str | None]]] = {}
    for number, *rest in rows:
        grouped.setdefault(number, []).append((rest[0], rest[1], rest[2]))
    return tuple(_foreign_key(parts, keys) for parts in grouped.values())


def _foreign_key(
    parts: list[tuple[str, str, str | None]], keys: Mapping[str, tuple[str, ...]]
) -> ForeignKey:
    target = parts[0][0]
    named = tuple(to for _, _, to in parts if to is not None)
    return ForeignKey(
        columns=tuple(column for _, column, _ in parts),
        target_table=target,
        # Without target columns, the target's primary key is meant.
        target_columns=named or keys.get(target.casefold(), ()),
    )
