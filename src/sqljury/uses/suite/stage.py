"""A database in memory with the original's own definitions, to be filled, asked and saved."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sqljury.databases.protocol import Database
from sqljury.databases.sqlite import SQLiteDatabase, connect_memory
from sqljury.errors import InputError
from sqljury.execution import Limits
from sqljury.schema import Schema
from sqljury.writing import new_binary_file

Contents = Mapping[str, Sequence[tuple[Any, ...]]]
"""For each table its rows, all columns in the schema's order."""

_DEFINITIONS = (
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
    "AND type IN ('table', 'index', 'view') AND sql NOT LIKE 'CREATE VIRTUAL %' ORDER BY rowid"
)


def definitions_of(database: Database, limits: Limits) -> list[str]:
    """The statements that made the tables, indexes and views of a SQLite database.

    Raises:
        InputError: SJ551: it is of another engine, or says nothing of itself.
    """
    found = database.execute(_DEFINITIONS, limits) if database.dialect == "sqlite" else None
    if found is None or found.table is None:
        why = "it is not SQLite" if found is None else found.message
        raise InputError("SJ551", f"{why}.", where=database.db_id)
    return [row[2] for row in found.table.rows]


class Stage(SQLiteDatabase):
    """Tables with all their constraints, as on disk: rows that break one are left out."""

    def __init__(self, db_id: str, definitions: Sequence[str], schema: Schema) -> None:
        connection = connect_memory()
        try:
            for statement in definitions:
                connection.execute(statement)
        except sqlite3.Error as error:
            connection.close()
            raise InputError("SJ551", f"{error}.", where=db_id) from error
        super().__init__(connection, db_id, lambda found: found)
        self._schema = schema
        self._tables = [table for table in schema.tables if not table.is_view]

    def fill(self, contents: Contents) -> None:
        """Replace all rows."""
        self._deadline = float("inf")
        with self._authorizer.lifted():
            for table in self._tables:
                name = table.name.replace('"', '""')
                self._connection.execute(f'DELETE FROM "{name}"')
                rows = contents.get(table.name)
                if rows:
                    marks = ", ".join("?" * len(table.columns))
                    self._connection.executemany(
                        f'INSERT OR IGNORE INTO "{name}" VALUES ({marks})', rows
                    )

    def save(self, path: Path) -> None:
        """Write the database to a file; the same contents give the same bytes on a new stage."""
        with self._authorizer.lifted():
            data = self._connection.serialize()
        with new_binary_file(path) as file:
            file.write(data)
