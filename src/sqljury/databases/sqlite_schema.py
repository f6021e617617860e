"""Read a SQLite database's schema through its table-valued pragmas."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping

from sqljury.schema import Column, ForeignKey, Schema, Table


def read_schema(connection: sqlite3.Connection) -> Schema:
    """All tables and views, in the order in which they were made."""
    named = connection.execute(
        "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY rowid"
    ).fetchall()
    keys = {name: _primary_key(connection, name) for name, kind in named if kind == "table"}
    targets = {name.casefold(): key for name, key in keys.items()}
    return Schema(
        dialect="sqlite",
        tables=tuple(
            Table(
                name=name,
                columns=_columns(connection, name),
                primary_key=keys.get(name, ()),
                unique=_unique(connection, name),
                foreign_keys=_foreign_keys(connection, name, targets),
                is_view=kind == "view",
            )
            for name, kind in named
        ),
    )


def _columns(connection: sqlite3.Connection, table: str) -> tuple[Column, ...]:
    try:
        rows = connection.execute(
            # hidden: 1 is a virtual table's own column; 2 and 3 are generated ones.
            'SELECT name, type, "notnull", pk FROM pragma_table_xinfo(?) WHERE hidden <> 1',
            (table,),
        ).fetchall()
    except sqlite3.DatabaseError:
        return ()  # a view of a table that is not there, a module that is not loaded
    alone = sum(1 for *_, pk in rows if pk) == 1
    return tuple(
        Column(
            name=name,
            type=kind,
            # Only an INTEGER PRIMARY KEY implies NOT NULL in SQLite.
            nullable=not (notnull or (pk and alone and kind.upper() == "INTEGER")),
        )
        for name, kind, notnull, pk in rows
    )


def _primary_key(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    try:
        rows = connection.execute(
            "SELECT name FROM pragma_table_xinfo(?) WHERE pk ORDER BY pk", (table,)
        ).fetchall()
    except sqlite3.DatabaseError:
        return ()
    return tuple(name for (name,) in rows)


def _unique(connection: sqlite3.Connection, table: str) -> tuple[tuple[str, ...], ...]:
    """Unique constraints and indexes over plain columns of all rows, in order of making."""
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
        # The one declared first has the highest id.
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
        # Without target columns the target's primary key is meant.
        target_columns=named or keys.get(target.casefold(), ()),
    )
