"""Load a SQLite database file, schema and rows, into DuckDB, PostgreSQL, MySQL or MariaDB.

For tests and comparisons of engines only: sqljury itself never writes to a database.

    python tests/databases/load.py shop.sqlite shop.duckdb
    python tests/databases/load.py shop.sqlite postgresql://postgres@127.0.0.1/shop

The target is made new, and sorts and compares text by code point, as SQLite does. A column's type
follows the values that it holds, as SQLite's own typing does; a declared DECIMAL(p, s) of numbers
is kept. PostgreSQL gets lower-case names, so that queries find them however they spell them.
Foreign keys that the rows break, or that are circular, are left out.
"""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

from sqljury.databases import open_databases
from sqljury.schema import ForeignKey, Schema, Table

ROWS_A_STATEMENT = 500


@dataclass(frozen=True)
class Engine:
    """How an engine spells things."""

    integer: str
    real: str
    text: str
    key_text: str
    """For a column that is part of a key."""
    blob: str
    mark: str
    quote: str = '"'
    fold: Callable[[str], str] = str

    def name(self, text: str) -> str:
        return self.quote + self.fold(text).replace(self.quote, self.quote * 2) + self.quote

    def names(self, texts: tuple[str, ...]) -> str:
        return ", ".join(map(self.name, texts))


DUCKDB = Engine("BIGINT", "DOUBLE", "VARCHAR", "VARCHAR", "BLOB", "?")
POSTGRESQL = Engine("BIGINT", "DOUBLE PRECISION", "TEXT", "TEXT", "BYTEA", "%s", fold=str.lower)
MYSQL = Engine("BIGINT", "DOUBLE", "LONGTEXT", "VARCHAR(190)", "LONGBLOB", "%s", quote="`")


def load_duckdb(source: Path, target: Path) -> None:
    """Make ``target``, a DuckDB file."""
    import duckdb

    target.unlink(missing_ok=True)
    with duckdb.connect(str(target)) as connection:
        for sql, values in _statements(source, DUCKDB):
            connection.execute(sql, values)


def load_postgresql(source: Path, url: str) -> None:
    """Make the database that ``url`` names, on a server where the role may do so."""
    import psycopg

    server, name = _split(url)
    with psycopg.connect(f"{server}postgres", autocommit=True) as connection:
        quoted = POSTGRESQL.quote + name + POSTGRESQL.quote
        connection.execute(f"DROP DATABASE IF EXISTS {quoted}".encode())
        connection.execute(
            f"CREATE DATABASE {quoted} TEMPLATE template0 ENCODING 'UTF8' "
            "LC_COLLATE 'C' LC_CTYPE 'C.UTF-8'".encode()
        )
    with psycopg.connect(url) as connection:
        for sql, values in _statements(source, POSTGRESQL):
            connection.execute(sql.encode(), values or None)


def load_mysql(source: Path, url: str) -> None:
    """Make the database that ``url`` names, on a server where the user may do so."""
    import pymysql

    parts = urlsplit(url)
    with (
        closing(
            pymysql.connect(
                host=parts.hostname or "localhost",
                port=parts.port or 3306,
                user=unquote(parts.username or "") or None,
                password=unquote(parts.password or ""),
                charset="utf8mb4",
            )
        ) as connection,
        connection.cursor() as cursor,
    ):
        name = MYSQL.name(_split(url)[1])
        cursor.execute(f"DROP DATABASE IF EXISTS {name}")
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
        cursor.execute(f"USE {name}")
        for sql, values in _statements(source, MYSQL):
            cursor.execute(sql, values or None)
        connection.commit()


def _split(url: str) -> tuple[str, str]:
    """The URL up to the database's name, and the name."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(path="/", query="")), unquote(parts.path.strip("/"))


# ---------------------------------------------------------------- the statements


def _statements(source: Path, engine: Engine) -> Iterator[tuple[str, list[Any]]]:
    """What makes and fills the tables, with the values for each placeholder."""
    database = open_databases(source).open("")
    assert database is not None
    schema = database.schema()
    database.close()
    with closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=ro", uri=True)) as connection:
        connection.text_factory = lambda data: data.decode("utf-8", "replace")
        types = {t.name: _types(connection, t, schema, engine) for t in schema.tables}
        for table, keys in _in_order(connection, schema, types):
            yield _create(table, types[table.name], keys, engine), []
            yield from _inserts(connection, table, types[table.name], engine)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _types(
    connection: sqlite3.Connection, table: Table, schema: Schema, engine: Engine
) -> dict[str, str]:
    keyed = {*table.primary_key, *(c for key in table.unique for c in key)}
    keyed |= {c for key in table.foreign_keys for c in key.columns}
    keyed |= {
        c
        for other in schema.tables
        for key in other.foreign_keys
        if key.target_table.casefold() == table.name.casefold()
        for c in key.target_columns
    }
    found = {}
    for column in table.columns:
        name = _quoted(column.name)
        rows = connection.execute(
            f"SELECT DISTINCT typeof({name}) FROM {_quoted(table.name)} WHERE {name} IS NOT NULL"
        )
        kinds = {kind for (kind,) in rows}
        found[column.name] = _type(column.type, kinds, column.name in keyed, engine)
    return found


def _type(declared: str, kinds: set[str], keyed: bool, engine: Engine) -> str:
    decimal = re.fullmatch(r"(?:DECIMAL|NUMERIC)\s*\((\d+\s*,\s*\d+)\)", declared.upper())
    if decimal and kinds <= {"integer", "real"}:
        return f"DECIMAL({decimal[1]})"
    if kinds == {"blob"}:
        return engine.blob
    if kinds == {"integer"} or (not kinds and "INT" in declared.upper()):
        return engine.integer
    if kinds and kinds <= {"integer", "real"}:
        return engine.real
    return engine.key_text if keyed else engine.text


def _in_order(
    connection: sqlite3.Connection, schema: Schema, types: dict[str, dict[str, str]]
) -> Iterator[tuple[Table, list[ForeignKey]]]:
    """Tables after those that they point to, with the keys that can be declared."""
    broken = {row[0] for row in connection.execute("PRAGMA foreign_key_check")}
    waiting = [t for t in schema.tables if not t.is_view]
    done: set[str] = set()
    while waiting:
        free = [t for t in waiting if {k.target_table for k in t.foreign_keys} <= done | {t.name}]
        table = (free or waiting)[0]
        waiting.remove(table)
        done.add(table.name)
        yield (
            table,
            [
                key
                for key in table.foreign_keys
                if table.name not in broken
                and key.target_table in done - {table.name}
                and _is_declared(key, schema, types, table)
            ],
        )


def _is_declared(
    key: ForeignKey, schema: Schema, types: dict[str, dict[str, str]], table: Table
) -> bool:
    target = schema.table(key.target_table)
    return (
        target is not None
        and key.target_columns in (target.primary_key, *target.unique)
        and [types[table.name].get(c) for c in key.columns]
        == [types[target.name].get(c) for c in key.target_columns]
    )


def _create(table: Table, types: dict[str, str], keys: list[ForeignKey], engine: Engine) -> str:
    lines = [
        f"{engine.name(c.name)} {types[c.name]}{'' if c.nullable else ' NOT NULL'}"
        for c in table.columns
    ]
    if table.primary_key:
        lines.append(f"PRIMARY KEY ({engine.names(table.primary_key)})")
    lines += [f"UNIQUE ({engine.names(key)})" for key in table.unique]
    lines += [
        f"FOREIGN KEY ({engine.names(key.columns)}) "
        f"REFERENCES {engine.name(key.target_table)} ({engine.names(key.target_columns)})"
        for key in keys
    ]
    return f"CREATE TABLE {engine.name(table.name)} ({', '.join(lines)})"


def _inserts(
    connection: sqlite3.Connection, table: Table, types: dict[str, str], engine: Engine
) -> Iterator[tuple[str, list[Any]]]:
    as_text = [types[c.name] in (engine.text, engine.key_text) for c in table.columns]
    names = tuple(c.name for c in table.columns)
    cursor = connection.execute(
        f"SELECT {', '.join(map(_quoted, names))} FROM {_quoted(table.name)}"
    )
    row_marks = f"({', '.join([engine.mark] * len(names))})"
    while rows := cursor.fetchmany(ROWS_A_STATEMENT):
        values = [
            str(value) if text and value is not None and not isinstance(value, str) else value
            for row in rows
            for text, value in zip(as_text, row, strict=True)
        ]
        marks = ", ".join([row_marks] * len(rows))
        yield (
            f"INSERT INTO {engine.name(table.name)} ({engine.names(names)}) VALUES {marks}",
            values,
        )


def load(source: Path, target: str) -> None:
    """Load into what ``target`` names: a URL, or a DuckDB file."""
    scheme = target.partition("://")[0]
    if scheme in ("postgresql", "postgres"):
        load_postgresql(source, target)
    elif scheme in ("mysql", "mariadb"):
        load_mysql(source, target)
    else:
        load_duckdb(source, Path(target))


if __name__ == "__main__":
    load(Path(sys.argv[1]), sys.argv[2])
