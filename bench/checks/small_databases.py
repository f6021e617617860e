"""Small random databases that respect what is assumed of them, and break everything else."""

from __future__ import annotations

import random
import re
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache
from itertools import count
from typing import Any

from sqljury.schema import Column, ForeignKey, Schema, Table
from sqljury.sql.tokens import tokenize
from sqljury.trees.context import Assumption

Row = tuple[Any, ...]
Rows = dict[str, list[Row]]
"""Rows by table."""

_MOST_ROWS = 6
_ANOTHER = 1_000_003
"""From a seed to the next one, where some table has to have rows."""
_WORDS = ("a", "b", "A", "ab", "")
_DATES = ("2020-01-01", "2020-02-29", "2021-12-31")


@dataclass(frozen=True)
class Pool:
    """Values to fill columns with: those that queries mention, and their neighbours."""

    integers: tuple[int, ...] = (0, 1, 2)
    reals: tuple[float, ...] = (0.5, 1.0, 2.5)
    texts: tuple[str, ...] = _WORDS
    dates: tuple[str, ...] = _DATES


def pool_of(*texts: str) -> Pool:
    """The values around the constants of some queries."""
    integers: set[int] = {0, 1, 2}
    reals: set[float] = {0.5, 1.0, 2.5}
    words: set[str] = set(_WORDS)
    dates: set[str] = set(_DATES)
    for kind, text in sorted({found for sql in texts for found in _constants(sql)}):
        if kind == "number" and abs(float(text)) < 2**31:
            whole = int(float(text))
            integers |= {whole - 1, whole, whole + 1}
            reals |= {whole - 0.5, float(text), whole + 0.5}
        elif re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            dates.add(text)
        else:
            plain = text.replace("%", "").replace("_", "x")
            words |= {text, text.swapcase(), plain, f"{plain}z", f"z{plain}"}
    return Pool(
        integers=tuple(sorted(integers)),
        reals=tuple(sorted(reals)),
        texts=tuple(sorted(words)),
        dates=tuple(sorted(dates)),
    )


def _constants(sql: str) -> list[tuple[str, str]]:
    from sqlglot.tokens import TokenType as T

    tokens = tokenize(sql, "sqlite") or []
    numbers = [("number", token.text) for token in tokens if token.token_type is T.NUMBER]
    return numbers + [("text", token.text) for token in tokens if token.token_type is T.STRING]


# ---------------------------------------------------------------- rows


def random_rows(
    schema: Schema, assuming: frozenset[Assumption], pool: Pool, seed: int, most: int = _MOST_ROWS
) -> Rows:
    """Rows of all tables. The same seed gives the same rows, under any hash seed."""
    rng = random.Random(seed)
    maker = _Maker(schema, assuming, pool, rng)
    rows = {table.name: maker.table(table, most) for table in schema.tables}
    if rng.random() < 0.8:  # else most joins on foreign keys find nothing
        rows = {table.name: maker.linked(table, rows) for table in schema.tables}
    rows = respecting(rows, schema, assuming)
    if Assumption.NOT_EMPTY in assuming and not all(rows.values()):
        return random_rows(schema, assuming, pool, seed + _ANOTHER, most)
    return rows


@dataclass(frozen=True)
class _Maker:
    schema: Schema
    assuming: frozenset[Assumption]
    pool: Pool
    rng: random.Random

    def table(self, table: Table, most: int) -> list[Row]:
        how_many = self.rng.choice((0, 1, *range(2, most + 1), *range(2, most + 1)))
        # One column without NULLs and one that is nearly all NULL are seen, too.
        nulls = [self.rng.choice((0.0, 0.2, 0.2, 0.7)) for _ in table.columns]
        few = [self.rng.random() < 0.4 for _ in table.columns]
        rows = []
        for number in range(how_many):
            keys = {name.casefold() for name in table.primary_key[:1]}
            row = []
            for column, null, is_few in zip(table.columns, nulls, few, strict=True):
                plain = kind_of(column) in ("integer", "text")
                if column.name.casefold() in keys and plain and self.rng.random() < 0.7:
                    row.append(self.number(column, number + 1))
                else:
                    row.append(self.value(column, null, is_few))
            rows.append(tuple(row))
            if self.rng.random() < 0.15:
                rows.append(tuple(row))
        if Assumption.NO_TIES in self.assuming and self.rng.random() < 0.8:
            rows = self.without_repeats(table, rows)
        self.rng.shuffle(rows)
        return rows

    def number(self, column: Column, number: int) -> Any:
        return str(number) if kind_of(column) == "text" else number

    def value(self, column: Column, null: float, few: bool) -> Any:
        if may_be_null(column, self.assuming) and self.rng.random() < null:
            return None
        kind = kind_of(column)
        loose = Assumption.TYPES not in self.assuming and self.schema.dialect == "sqlite"
        if loose and self.rng.random() < 0.1:
            kind = self.rng.choice(("integer", "real", "text"))
        values: Sequence[Any] = {
            "integer": self.pool.integers,
            "real": self.pool.reals,
            "text": self.pool.texts,
            "date": self.pool.dates,
            "boolean": (0, 1),
        }[kind]
        return self.rng.choice(values[:2] if few else values)

    def without_repeats(self, table: Table, rows: list[Row]) -> list[Row]:
        """No value twice in a column, as far as its kind of value goes."""
        kept: list[Row] = []
        for row in rows:
            new = list(row)
            for place, column in enumerate(table.columns):
                taken = {other[place] for other in kept}
                for _ in range(8):
                    if new[place] not in taken:
                        break
                    new[place] = self.value(column, 0.1, False)
            kept.append(tuple(new))
        return kept

    def linked(self, table: Table, rows: Rows) -> list[Row]:
        """The rows with most foreign keys pointing to rows that are there."""
        out = []
        for row in rows[table.name]:
            new = list(row)
            for key in table.foreign_keys:
                target, places = _places(self.schema, table, key)
                if target is not None and rows[target.name] and self.rng.random() < 0.85:
                    found = self.rng.choice(rows[target.name])
                    for mine, theirs in places:
                        if new[mine] is not None:
                            new[mine] = found[theirs]
            out.append(tuple(new))
        return out


def kind_of(column: Column) -> str:
    """Which values belong into a column by its declared type."""
    declared = column.type.upper()
    if "INT" in declared:
        return "integer"
    if "CHAR" in declared or "TEXT" in declared or "CLOB" in declared:
        return "text"
    if "BOOL" in declared:
        return "boolean"
    if "DATE" in declared or "TIME" in declared:
        return "date"
    return "real" if declared else "text"


def may_be_null(column: Column, assuming: frozenset[Assumption]) -> bool:
    """Whether a column may hold NULL by its declaration and what is assumed."""
    return column.nullable and Assumption.NOT_NULL not in assuming


def _places(
    schema: Schema, table: Table, key: ForeignKey
) -> tuple[Table | None, list[tuple[int, int]]]:
    target = schema.table(key.target_table)
    if target is None:
        return None, []
    return target, list(
        zip(_indexes(table, key.columns), _indexes(target, key.target_columns), strict=True)
    )


def _indexes(table: Table, names: Sequence[str]) -> list[int]:
    folded = [column.name.casefold() for column in table.columns]
    return [folded.index(name.casefold()) for name in names]


# ---------------------------------------------------------------- what is assumed


def respecting(rows: Rows, schema: Schema, assuming: frozenset[Assumption]) -> Rows:
    """The rows without those that break an assumption; what stays respects all of them."""
    rows = {name: list(of_table) for name, of_table in rows.items()}
    while True:
        kept = {table.name: _kept(table, schema, rows, assuming) for table in schema.tables}
        if all(len(kept[name]) == len(rows[name]) for name in rows):
            return rows
        rows = kept


def _kept(table: Table, schema: Schema, rows: Rows, assuming: frozenset[Assumption]) -> list[Row]:
    out = [
        row
        for row in rows[table.name]
        if all(
            value is not None or may_be_null(column, assuming)
            for value, column in zip(row, table.columns, strict=True)
        )
    ]
    if Assumption.PRIMARY_KEY in assuming:
        key = _indexes(table, table.primary_key)
        out = [row for row in out if all(row[place] is not None for place in key)]
        for names in (table.primary_key, *table.unique):
            out = _first_of_each(out, _indexes(table, names)) if names else out
    if Assumption.FOREIGN_KEY in assuming:
        for foreign in table.foreign_keys:
            target, places = _places(schema, table, foreign)
            if target is not None:
                there = {tuple(row[theirs] for _, theirs in places) for row in rows[target.name]}
                out = [
                    row
                    for row in out
                    if any(row[mine] is None for mine, _ in places)
                    or tuple(row[mine] for mine, _ in places) in there
                ]
    return out


def _first_of_each(rows: list[Row], places: list[int]) -> list[Row]:
    seen: set[Row] = set()
    out = []
    for row in rows:
        key = tuple(row[place] for place in places)
        if key not in seen:
            out.append(row)
        if None not in key:
            seen.add(key)
    return out


# ---------------------------------------------------------------- engines


def quoted(name: str) -> str:
    """A name as an identifier."""
    return '"' + name.replace('"', '""') + '"'


def create_tables(schema: Schema) -> str:
    """CREATE TABLE statements with types only: keys are for the data to respect, or not."""
    return "\n".join(
        f"CREATE TABLE {quoted(table.name)} "
        f"({', '.join(f'{quoted(c.name)} {_type(c, schema.dialect)}' for c in table.columns)});"
        for table in schema.tables
    )


def _type(column: Column, dialect: str) -> str:
    return column.type or ("VARCHAR" if dialect == "duckdb" else "")


class Engine:
    """An in-memory database with some rows."""

    def __init__(self, schema: Schema, rows: Rows) -> None:
        self.schema = schema
        self.rows = rows
        self._connection = _open(schema.dialect)
        self._run_all(create_tables(schema))
        for table in schema.tables:
            self._insert(table, rows.get(table.name, []))

    def _run_all(self, script: str) -> None:
        for statement in script.split(";\n"):
            self._connection.execute(statement)

    def _insert(self, table: Table, rows: list[Row]) -> None:
        if rows:
            marks = f"({', '.join('?' * len(table.columns))})"
            self._connection.execute(
                f"INSERT INTO {quoted(table.name)} VALUES {', '.join([marks] * len(rows))}",
                [value for row in rows for value in row],
            )

    def run(self, sql: str) -> list[Row] | str:
        """The rows of a query, or what the engine has against it."""
        try:
            return [tuple(map(_plain, row)) for row in self._connection.execute(sql).fetchall()]
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    def close(self) -> None:
        """Let it go."""
        self._connection.close()


def _open(dialect: str) -> Any:
    if dialect == "sqlite":
        connection = sqlite3.connect(":memory:")
        steps = iter(range(10_000))
        # A query of the random grammar that runs for seconds is of no use.
        connection.set_progress_handler(lambda: next(steps, None) is None, 100_000)
        return connection
    return _duckdb_schema()


@cache
def _duckdb() -> Any:
    import duckdb

    return duckdb.connect(":memory:", config={"threads": "1"}), count()


def _duckdb_schema() -> Any:
    """A connection to a schema of its own: a tenth of the time of a database of its own."""
    database, numbers = _duckdb()
    connection = database.cursor()
    name = f"s{next(numbers)}"
    connection.execute(f"CREATE SCHEMA {name}")
    connection.execute(f"USE {name}")
    return connection


def _plain(value: Any) -> Any:
    """Values of different engines as Python values that are equal where they should be."""
    if isinstance(value, bool | Decimal):
        return float(value)
    if isinstance(value, date):
        return str(value)
    return value if value is None or isinstance(value, int | float | str | bytes) else repr(value)
