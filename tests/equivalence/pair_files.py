"""Pairs of queries in text files: what is true of them, and what the engine says of that."""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import groupby
from pathlib import Path
from random import Random
from typing import Any

from sqljury.databases import schema_from_ddl
from sqljury.schema import Column, Schema

FOLDER = Path(__file__).parent / "pairs"
_SIGN = re.compile(r" (===|=/=|=~=) ")
TRUTH = {"===": "equal", "=/=": "different", "=~=": "chance"}
"""``chance``: equal but for what ties."""

Rows = list[tuple[Any, ...]]
Ask = Callable[[str], Rows]
Filled = Callable[[int], Ask]
"""Makes the rows of a seed in the engine, for the queries that follow."""


@dataclass(frozen=True)
class Pair:
    """Two queries over a schema in a dialect, and the truth about them."""

    family: str
    dialect: str
    script: str
    left: str
    right: str
    truth: str

    @property
    def schema(self) -> Schema:
        return replace(schema_from_ddl(self.script), dialect=self.dialect)

    def __str__(self) -> str:
        return f"{self.family}: {self.left} [{self.truth}] {self.right}"


def families() -> list[str]:
    """The names of the files."""
    return sorted(path.stem for path in FOLDER.glob("*.sql"))


def read(family: str) -> list[Pair]:
    """All pairs of a file."""
    dialect, script, found = "", list[str](), list[Pair]()
    closed = True
    for line in (FOLDER / f"{family}.sql").read_text().splitlines():
        if line.startswith("-- ") and re.fullmatch(r"-- (sqlite|mysql|postgres|duckdb)", line):
            dialect, script, closed = line[3:], [], False
        elif line.startswith("--") or not line.strip():
            continue
        elif (sign := _SIGN.search(line)) is not None and line.startswith(("SELECT", "WITH", "(")):
            left, right = line[: sign.start()], line[sign.end() :]
            truth = TRUTH[sign[1]]
            found.append(Pair(family, dialect, "\n".join(script), left, right, truth))
            closed = True
        else:
            assert not closed, f"{family}: {line}"
            script.append(line)
    return found


# ---------------------------------------------------------------- the truth, by the engine

_TEXTS = ("a", "A", "b", "B", "a ", "ab", "ab ", "aB", "x", "1", "01", "10", "5", "", None)
_NUMBERS = (0, 1, 2, 3, 5, -1, -3, None)
_FRACTIONS = (0, 1, 1.5, 2, 2.25, -0.5, -3, None)
_DATES = ("2020-01-01", "2020-02-15", "2019-12-31", "2021-02-01", None)
_MOMENTS = (
    "2020-02-15 00:00:00",
    "2020-02-15 10:30:00",
    "2019-12-31 23:59:59",
    "2020-01-31 12:00:00",
)
_MOMENTS += ("2021-01-01 00:00:00", "2020-12-31 10:00:00", "2020-01-15 00:00:00", None)
_SMALL = (0, 1, 2, 32767, -3, None)
_LARGE = (0, 1, 2, 3, 9007199254740992, 9007199254740993, None)
_FLOATS = (0.0, -0.0, 1, 1.5, 0.1, 0.5, -3, 9007199254740992.0, None)
_SCALES = (
    0,
    1,
    Decimal("1.0"),
    Decimal("1.00"),
    Decimal("1.5"),
    2,
    9007199254740992,
    9007199254740993,
    None,
)
_MIXED = (1, "1", "01", 2, "2", 10, "10", "a", "A", None)


def _value(
    random: Random, column: Column, dialect: str, foreign: Rows | None, texts: Sequence[Any]
) -> Any:
    if foreign:
        value = random.choice([*(row[0] for row in foreign), None])
        return value.swapcase() if isinstance(value, str) and random.random() < 0.5 else value
    if column.members:
        return random.choice((*column.members, None))
    kind = column.type.upper()
    if "ENUM" in kind:
        return random.choice((*re.findall(r"'(.*?)'", column.type), None))
    if "CHAR" in kind or "TEXT" in kind:
        return random.choice(texts)
    if "DATE" in kind or kind == "TIMESTAMP":
        dates = _DATES if kind == "DATE" else _MOMENTS
        zero = dialect == "mysql" and not column.nullable
        return random.choice((*dates, "0000-00-00") if zero else dates)
    if dialect != "sqlite" and any(word in kind for word in ("REAL", "DOUBLE", "FLOAT")):
        return random.choice(_FLOATS)
    if dialect == "postgres" and kind in ("NUMERIC", "DECIMAL"):
        return random.choice(_SCALES)
    if kind in ("SMALLINT", "INT2", "BIGINT", "INT8"):
        return random.choice(_SMALL if kind in ("SMALLINT", "INT2") else _LARGE)
    if any(word in kind for word in ("DEC", "NUMERIC", "REAL", "DOUBLE")):
        return random.choice(_FRACTIONS)
    return random.choice(_NUMBERS if kind not in ("", "ANY") else _MIXED)


def filled(pair: Pair, seed: int, run: Callable[[str, Sequence[Any]], Any], mark: str) -> None:
    """Random rows in all tables, those that the engine refuses left out.

    Args:
        run: one statement with its values; raises what the engine raises.
    """
    random = Random(seed)
    quote = "`" if pair.dialect == "mysql" else '"'
    kept: dict[str, Rows] = {}
    # Few texts meet more often, with a NULL beside them too.
    texts = _TEXTS if random.random() < 0.5 else random.sample(_TEXTS, 3)
    for table in pair.schema.tables:
        columns = [c for c in table.columns if not c.generated]
        references = {
            key.columns[0]: [(row[0],) for row in kept.get(key.target_table.lower(), [])]
            for key in table.foreign_keys
            if len(key.columns) == 1
        }
        names = ", ".join(f"{quote}{c.name}{quote}" for c in columns)
        marks = ", ".join([mark] * len(columns))
        for _ in range(random.choice((0, 1, 3, 6, 15))):
            row = tuple(
                _value(random, c, pair.dialect, references.get(c.name), texts) for c in columns
            )
            try:
                run(f"INSERT INTO {table.name} ({names}) VALUES ({marks})", row)
            except Exception:  # whatever this engine calls it
                continue
            kept.setdefault(table.name.lower(), []).append(row)


@contextmanager
def on_sqlite(pair: Pair) -> Iterator[Filled]:
    def of(seed: int) -> Ask:
        connection = sqlite3.connect(":memory:", isolation_level=None)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.executescript(pair.script)
        filled(pair, seed, connection.execute, "?")
        return lambda sql: connection.execute(sql).fetchall()

    yield of


@contextmanager
def on_duckdb(pair: Pair) -> Iterator[Filled]:
    import duckdb

    def of(seed: int) -> Ask:
        connection = duckdb.connect(":memory:")
        connection.execute(pair.script)
        filled(pair, seed, connection.execute, "?")
        return lambda sql: connection.execute(sql).fetchall()

    yield of


@contextmanager
def on_postgres(pair: Pair) -> Iterator[Filled]:
    """In a schema of its own, in a transaction that is rolled back."""
    import psycopg

    with closing(psycopg.connect("postgresql://postgres@127.0.0.1/postgres")) as connection:

        def run(sql: str, values: Sequence[Any] = ()) -> Any:
            with connection.transaction():
                return connection.execute(sql, values or None)

        def of(seed: int) -> Ask:
            connection.rollback()
            name = f"sqljury_pairs_{os.getpid()}"
            connection.execute(f"CREATE SCHEMA {name}")
            connection.execute(f"SET LOCAL search_path TO {name}")
            connection.execute(pair.script)
            filled(pair, seed, run, "%s")
            return lambda sql: run(sql).fetchall()

        yield of
        connection.rollback()


@contextmanager
def on_mysql(pair: Pair) -> Iterator[Filled]:
    """In a database of its own, whose tables are emptied for the next rows."""
    import pymysql

    name = f"sqljury_pairs_{os.getpid()}"
    with closing(
        pymysql.connect(host="127.0.0.1", user="root", password="", charset="utf8mb4")
    ) as connection:
        cursor = connection.cursor()
        cursor.execute(f"DROP DATABASE IF EXISTS {name}")
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        cursor.execute(f"USE {name}")
        for statement in pair.script.split(";"):
            if statement.strip():
                cursor.execute(statement)

        def ask(sql: str) -> Rows:
            cursor.execute(sql)
            return list(cursor.fetchall())

        def of(seed: int) -> Ask:
            cursor.execute("SET foreign_key_checks = 0")
            for table in pair.schema.tables:
                cursor.execute(f"DELETE FROM {table.name}")
            cursor.execute("SET foreign_key_checks = 1")
            filled(pair, seed, cursor.execute, "%s")
            return ask

        try:
            yield of
        finally:
            cursor.execute(f"DROP DATABASE {name}")


ENGINES = {"sqlite": on_sqlite, "duckdb": on_duckdb, "postgres": on_postgres, "mysql": on_mysql}


def differing(pairs: Sequence[Pair], seeds: range) -> list[Pair]:
    """The pairs for which the engine gives different rows on some random database.

    Pairs of one script share their databases: a server takes long to make one.
    """
    found: list[Pair] = []
    for _, group in groupby(pairs, key=lambda pair: (pair.dialect, pair.script)):
        of_script = list(group)
        with ENGINES[of_script[0].dialect](of_script[0]) as of:
            for seed in seeds:
                ask = of(seed)
                found += [p for p in of_script if p not in found and _differ(p, ask)]
    return found


def _differ(pair: Pair, ask: Ask) -> bool:
    ordered = _is_ordered(pair.left) and _is_ordered(pair.right)
    left, right = _plain(ask(pair.left)), _plain(ask(pair.right))
    if ordered:
        return left != right
    return Counter(map(repr, left)) != Counter(map(repr, right))


def _plain(rows: Rows) -> Rows:
    """The rows with decimals as other numbers: 3.5000 is 3.5."""
    return [tuple(_number(c) if isinstance(c, Decimal) else c for c in row) for row in rows]


def _number(value: Decimal) -> int | float:
    return int(value) if value == int(value) else float(value)


def _is_ordered(sql: str) -> bool:
    """Whether there is an ORDER BY outside of all parentheses."""
    while (bare := re.sub(r"\([^()]*\)", "", sql)) != sql:
        sql = bare
    return "ORDER BY" in sql
