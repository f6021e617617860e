"""Databases made from a real one, in memory, with fewer rows and other values."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from sqljury.databases.generated.values import affinity_of, stored
from sqljury.databases.protocol import Database
from sqljury.databases.sqlite import SQLiteDatabase, connect_memory
from sqljury.errors import InputError
from sqljury.execution import Limits
from sqljury.schema import ForeignKey, Schema, Table
from sqljury.value_profile import ColumnName, Constant
from sqljury.writing import new_binary_file

Contents = Mapping[str, Sequence[tuple[Any, ...]]]
"""Table → rows, with all columns in the schema's order."""
_DEFINITIONS = (
    "SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' "
    "AND type IN ('table', 'index', 'view') AND sql NOT LIKE 'CREATE VIRTUAL %' ORDER BY rowid"
)


def definitions_of(database: Database, limits: Limits) -> list[str]:
    """The CREATE statements of the tables, indexes and views of a SQLite database.

    Raises:
        InputError: SJ551: it is not SQLite, or its definitions cannot be read.
    """
    found = database.execute(_DEFINITIONS, limits) if database.dialect == "sqlite" else None
    if found is None or found.table is None:
        why = "it is not SQLite" if found is None else found.message
        raise InputError("SJ551", f"{why}.", where=database.db_id)
    return [row[2] for row in found.table.rows]


class Stage(SQLiteDatabase):
    """A SQLite database in memory with a real one's tables and constraints.

    Rows that violate a constraint are not inserted.
    """

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
        """Replace the rows of all tables by ``contents``."""
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
        """Write the database to a file; the same contents in a new stage give the same bytes."""
        with self._authorizer.lifted():
            data = self._connection.serialize()
        with new_binary_file(path) as file:
            file.write(data)


# ------------------------------------------------------------
# Mutations of a real database: fewer rows, other values, foreign keys that point to other rows.


Row = tuple[Constant, ...]
_SIZES = (5, 12, 30, 80, 200)
"""The most rows of a table; mutations use these sizes in turn."""
_COMPLETED = 12


@dataclass(frozen=True, slots=True)
class Original:
    """A real database: its schema, its rows, and the constants of all queries by column."""

    schema: Schema
    contents: Contents
    constants: Mapping[ColumnName, Sequence[Constant]]


def mutation(original: Original, number: int, seed: str) -> dict[str, list[Row]]:
    """The rows of one mutation of a database; declared keys and foreign keys hold.

    Args:
        number: the mutation's number, which decides sizes and the share of changed values.
        seed: the same text gives the same rows, under every hash seed.

    Source: Zhong, Yu and Klein (2020), section 3.1: values of the original and of the queries, and
    values next to them.
    """
    maker = _Mutator(
        original,
        Random(f"{seed}/{number}"),
        most=_SIZES[number % len(_SIZES)],
        # One in three keeps its rows unchanged, so that related values stay together.
        changed=(0.0, 0.15, 0.5)[number % 3],
        few=number % 4 == 3,
    )
    return maker.made()


def completed(original: Original, contents: Contents, seed: str) -> Contents:
    """The contents of a database, with rows of the original in the tables that it does not have.

    Other queries are run on the database, too; with empty tables their results would be trivial.
    """
    maker = _Mutator(original, Random(seed), most=_COMPLETED, changed=0.0, few=False)
    return maker.completed(contents)


class _Mutator:
    """Makes one mutation of a database.

    Args:
        most: the most rows of a table.
        changed: the share of values that are replaced.
        few: if True, replaced values and foreign keys use two of the possible values only, so
            that many are equal.
    """

    def __init__(
        self, original: Original, random: Random, *, most: int, changed: float, few: bool
    ) -> None:
        self._original = original
        self._random = random
        self._most = most
        self._changed = changed
        self._few = few
        self._tables = {table.name: table for table in original.schema.tables if not table.is_view}

    def made(self) -> dict[str, list[Row]]:
        """All tables, mutated."""
        return self.completed({})

    def completed(self, contents: Contents) -> dict[str, list[Row]]:
        """``contents`` with its missing tables filled by mutated rows of the original."""
        found = {name: list(rows) for name, rows in contents.items()}
        missing = [name for name in self._tables if name not in found]
        found.update((name, self._sample(name)) for name in missing)
        for name in missing:
            table = self._tables[name]
            found[name] = [self._mutated(table, row, found) for row in found[name]]
        for name in missing:
            found[name] = _with_keys(self._tables[name], found[name])
        _drop_orphans(self._tables, found)
        return found

    def _sample(self, name: str) -> list[Row]:
        rows = list(self._original.contents.get(name, ()))
        if len(rows) > self._most:
            chosen = sorted(self._random.sample(range(len(rows)), self._most))
            rows = [rows[i] for i in chosen]
        self._random.shuffle(rows)
        return rows

    def _mutated(self, table: Table, row: Row, contents: Mapping[str, list[Row]]) -> Row:
        keys = {name.casefold() for name in table.primary_key}
        keys.update(name.casefold() for key in table.unique for name in key)
        found = list(row)
        for i, column in enumerate(table.columns):
            if column.name.casefold() not in keys and self._random.random() < self._changed:
                found[i] = self._value(table, i)
        for key in table.foreign_keys:
            self._repointed(table, found, key, contents)
        return tuple(found)

    def _value(self, table: Table, i: int) -> Constant:
        """A new value: a constant of a query, or a value of the column or one next to it."""
        column = table.columns[i]
        own = [row[i] for row in self._original.contents.get(table.name, ())]
        constants = self._original.constants.get((table.name, column.name), ())
        if constants and (not own or self._random.random() < 0.5):
            return stored(self._random.choice(constants), affinity_of(column.type))
        if not own:
            return None
        return self._next_to(own[self._random.randrange(2 if self._few else len(own)) % len(own)])

    def _next_to(self, value: Constant) -> Constant:
        if isinstance(value, bool) or self._random.random() < 0.8:
            return value
        if isinstance(value, int) and abs(value) < 2**60:
            return value + self._random.choice((-1, 1))
        if isinstance(value, float):
            return value + self._random.choice((-0.5, 0.5))
        return value

    def _repointed(
        self,
        table: Table,
        row: list[Constant],
        key: ForeignKey,
        contents: Mapping[str, list[Row]],
    ) -> None:
        """Point a foreign key to a row that exists; sometimes also if it already did."""
        target = next(
            (t for n, t in self._tables.items() if n.casefold() == key.target_table.casefold()),
            None,
        )
        ours, theirs = _indexes(table, key.columns), _indexes(target, key.target_columns)
        if target is None or ours is None or theirs is None or not contents[target.name]:
            return
        there = contents[target.name]
        values = [row[i] for i in ours]
        known = any([other[i] for i in theirs] == values for other in there)
        in_key = bool(
            {c.casefold() for c in key.columns} & {c.casefold() for c in table.primary_key}
        )
        if None in values or (known and (in_key or self._random.random() >= self._changed)):
            return
        chosen = there[self._random.randrange(2 if self._few else len(there)) % len(there)]
        for mine, its in zip(ours, theirs, strict=True):
            row[mine] = stored(chosen[its], affinity_of(table.columns[mine].type))


def _indexes(table: Table | None, names: Sequence[str]) -> list[int] | None:
    if table is None or not names:
        return None
    index = {column.name.casefold(): i for i, column in enumerate(table.columns)}
    found = [index.get(name.casefold(), -1) for name in names]
    return None if -1 in found else found


def _with_keys(table: Table, rows: list[Row]) -> list[Row]:
    """The rows without those that repeat a key of an earlier row."""
    for key in (table.primary_key, *table.unique):
        places = _indexes(table, key)
        if places is not None:
            first: dict[tuple[Constant, ...], Row] = {}
            for row in rows:
                first.setdefault(tuple(row[i] for i in places), row)
            rows = list(first.values())
    return rows


def _drop_orphans(tables: Mapping[str, Table], contents: dict[str, list[Row]]) -> None:
    """Remove rows whose foreign keys point to no row, until there are none."""
    by_name = {name.casefold(): table for name, table in tables.items()}
    changed = True
    while changed:
        changed = False
        for name, table in tables.items():
            for key in table.foreign_keys:
                target = by_name.get(key.target_table.casefold())
                ours, theirs = _indexes(table, key.columns), _indexes(target, key.target_columns)
                if target is None or ours is None or theirs is None:
                    continue
                kinds = [affinity_of(target.columns[i].type) for i in theirs]
                there = {tuple(row[i] for i in theirs) for row in contents[target.name]}
                kept = []
                for row in contents[name]:
                    key_values = tuple(
                        stored(row[i], kind) for i, kind in zip(ours, kinds, strict=True)
                    )
                    if None in key_values or key_values in there:
                        kept.append(row)
                changed |= len(kept) < len(contents[name])
                contents[name] = kept
