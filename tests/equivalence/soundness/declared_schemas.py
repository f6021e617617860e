"""Random schema scripts that declare more than types: collations, CHECKs, keys that may be NULL,
partial keys, and constraints that are taken back; and random databases that the engine accepts."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from random_queries import kind_of, random_schema

from checks.small_databases import Row, Rows
from sqljury.databases import schema_from_ddl
from sqljury.schema import Column, Schema, Table

_VALUES: dict[str, tuple[Any, ...]] = {
    "integer": (0, 1, 2, 3, -1),
    "real": (0.5, 1.0, 2.5, -1.5),
    "text": ("a", "A", "b", "ab", "a ", ""),
    "date": ("2020-01-01", "2020-02-29", "2021-12-31"),
}
_CHECKS = {
    "integer": ("{c} >= 0", "{c} IN (0, 1, 2)", "{c} <> 1"),
    "text": ("{c} <> ''", "{c} IN ('a', 'A', 'b')"),
    "real": ("{c} > 0",),
}


def random_script(rng: random.Random) -> str:
    """A script of CREATE TABLE, CREATE INDEX and DROP INDEX statements for SQLite."""
    tables = random_schema(rng, "sqlite").tables
    return "\n".join(line for table in tables for line in _statements(table, rng))


def _statements(table: Table, rng: random.Random) -> Iterator[str]:
    parts = [_column(column, rng) for column in table.columns]
    if table.primary_key:
        parts.append(f"PRIMARY KEY ({', '.join(table.primary_key)})")
    parts += [f"UNIQUE ({', '.join(key)})" for key in table.unique]
    for key in table.foreign_keys:
        target = f"{key.target_table} ({', '.join(key.target_columns)})"
        parts.append(f"FOREIGN KEY ({', '.join(key.columns)}) REFERENCES {target}")
    yield f"CREATE TABLE {table.name} ({', '.join(parts)});"
    others = [column.name for column in table.columns[1:]]
    if rng.random() < 0.25:
        yield f"CREATE UNIQUE INDEX {table.name}_u ON {table.name} ({rng.choice(others)});"
    if rng.random() < 0.25:
        yield f"CREATE UNIQUE INDEX {table.name}_gone ON {table.name} ({rng.choice(others)});"
        yield f"DROP INDEX {table.name}_gone;"
    if rng.random() < 0.15:
        where = f"{rng.choice(others)} IS NOT NULL"
        name = rng.choice(others)
        yield f"CREATE UNIQUE INDEX {table.name}_part ON {table.name} ({name}) WHERE {where};"


def _column(column: Column, rng: random.Random) -> str:
    kind = kind_of(column)
    words = [column.name, column.type]
    if not column.nullable:
        words.append("NOT NULL")
    if kind == "text" and rng.random() < 0.4:
        words.append(f"COLLATE {rng.choice(('NOCASE', 'NOCASE', 'RTRIM'))}")
    if kind in _CHECKS and column.name != "id" and rng.random() < 0.15:
        words.append(f"CHECK ({rng.choice(_CHECKS[kind]).format(c=column.name)})")
    if column.name != "id" and rng.random() < 0.1:
        words.append("UNIQUE")
    return " ".join(words)


def declared_schema(script: str) -> Schema:
    """What sqljury reads of a script."""
    return schema_from_ddl(script)


class DeclaredEngine:
    """One SQLite database as its script declares it."""

    def __init__(self, schema: Schema, script: str) -> None:
        self.schema = schema
        self.connection = sqlite3.connect(":memory:", isolation_level=None)
        self.connection.executescript(script)
        self.connection.execute("PRAGMA foreign_keys = ON")

    def put(self, table: str, row: Row) -> bool:
        """Insert a row; False if the engine refuses it."""
        marks = ", ".join("?" * len(row))
        try:
            self.connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)
        except sqlite3.Error:
            return False
        return True

    def run(self, sql: str) -> list[Row] | str:
        """The rows of a query, or what the engine has against it."""
        try:
            return self.connection.execute(sql).fetchall()
        except sqlite3.Error as error:
            return f"error: {error}"


class DeclaredCopies:
    """One database three times, its rows put in in different orders."""

    def __init__(self, schema: Schema, script: str, rows: Rows) -> None:
        self.rows = rows
        backwards = {name: own[::-1] for name, own in rows.items()}
        rng = random.Random(1)
        shuffled = {name: rng.sample(own, len(own)) for name, own in rows.items()}
        self.engines: Sequence[DeclaredEngine] = tuple(
            _again(schema, script, order) for order in (rows, backwards, shuffled)
        )

    def close(self) -> None:
        """Let them go."""
        for engine in self.engines:
            engine.connection.close()


def random_copies(schema: Schema, script: str, seed: int) -> DeclaredCopies:
    """A random database that the engine accepts, in three orders of its rows."""
    engine = DeclaredEngine(schema, script)
    with closing(engine.connection):
        rows = _filled(engine, random.Random(seed))
    return DeclaredCopies(schema, script, rows)


def _filled(engine: DeclaredEngine, rng: random.Random) -> Rows:
    rows: Rows = {}
    for table in engine.schema.tables:
        nulls = [rng.choice((0.0, 0.2, 0.6)) for _ in table.columns]
        made = [_row(table, nulls, rows, rng) for _ in range(rng.choice((0, 1, 3, 5, 7)))]
        for row in made:
            engine.put(table.name, row)
        stored = engine.run(f"SELECT * FROM {table.name}")
        assert not isinstance(stored, str)
        rows[table.name] = stored  # a row id that was NULL has got a number
    return rows


def _row(table: Table, nulls: Sequence[float], rows: Rows, rng: random.Random) -> Row:
    pointed = {key.columns[0]: rows.get(key.target_table, []) for key in table.foreign_keys}
    values = []
    for column, null in zip(table.columns, nulls, strict=True):
        if rng.random() < null:
            values.append(None)
        elif pointed.get(column.name):
            values.append(rng.choice(pointed[column.name])[0])
        else:
            values.append(rng.choice(_VALUES[kind_of(column)]))
    return tuple(values)


def _again(schema: Schema, script: str, rows: Rows) -> DeclaredEngine:
    engine = DeclaredEngine(schema, script)
    engine.connection.execute("PRAGMA foreign_keys = OFF")
    for name, own in rows.items():
        for row in own:
            assert engine.put(name, row), (name, row)
    return engine
