"""Expressions before and after simplifying, for every row of a grid of values, in real engines."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

from sqljury.equivalence.rules.base import Scope, Simplified
from sqljury.schema import Column, Schema, Table
from sqljury.trees.context import ALL_ASSUMPTIONS, Assumption, Context
from sqljury.trees.nodes import Expression, Field, Subquery, Type
from sqljury.trees.spelling import CannotSpell, Speller, View

TABLE = Table(
    name="t",
    columns=(
        Column(name="i", type="INTEGER"),
        Column(name="j", type="INTEGER", nullable=False),
        Column(name="r", type="REAL"),
        Column(name="s", type="TEXT"),
        Column(name="d", type="DATE"),
        Column(name="u", type=""),
        Column(name="b", type="BOOLEAN"),
    ),
)
FIELDS = (
    Field("i", Type.INTEGER, True, "INTEGER"),
    Field("j", Type.INTEGER, False, "INTEGER"),
    Field("r", Type.REAL, True, "REAL"),
    Field("s", Type.TEXT, True, "TEXT"),
    Field("d", Type.DATE, True, "NUMERIC"),
    Field("u", Type.ANY, True, "BLOB"),
    Field("b", Type.BOOLEAN, True, "NUMERIC"),
)
TYPED: dict[str, tuple[Any, ...]] = {
    "i": (None, -1, 0, 1, 2, 3, 4),
    "j": (0, 1, 2, 5),
    "r": (None, -0.5, 0.0, 1.0, 1.5, 2.5, 3.5),
    "s": (None, "", "a", "A", "ab", "Ab", "1", "01", "2010-01-05"),
    "d": (None, "2010-01-05", "2011-12-31"),
    "u": (None, 0, 1, 2.5, "1", "a"),
    "b": (None, 0, 1),
}
"""What the columns hold where Assumption.TYPES does."""
ANY = (None, -1, 0, 1, 2, 2.5, 3.5, "", "a", "A", "Ab", "1", "01", "1.0", "x1", "2010-01-05", b"a")
"""What SQLite lets them hold."""

Statement = tuple[str, str, bool]
"""An expression before and after as SQL, and whether only its truth counts."""


def scope(dialect: str, assuming: frozenset[Assumption] = ALL_ASSUMPTIONS) -> Scope:
    """The row of the table."""
    fields = FIELDS
    if dialect != "sqlite":
        fields = tuple(Field(f.name, f.type, f.nullable) for f in FIELDS)
    return Scope(fields, Context(Schema(dialect=dialect, tables=(TABLE,)), dialect, assuming))


def spelled(expression: Expression, dialect: str) -> str:
    """The text of an expression over the table's columns."""
    return Speller(dialect, _no_subquery).expression(expression, View(tuple(TYPED)))


def _no_subquery(subquery: Subquery, _: View) -> str:
    raise CannotSpell("a subquery")


def columns_of(text: str) -> list[str]:
    """The columns of the table that a text names."""
    words = set("".join(c if c.isalnum() else " " for c in text).split())
    return [name for name in TYPED if name in words]


# ---------------------------------------------------------------- engines


class Grid:
    """A table in SQLite or DuckDB with every combination of values of the columns asked for."""

    def __init__(self, dialect: str, typed: bool) -> None:
        self.dialect = dialect
        self.typed = typed
        self.tables: set[tuple[str, ...]] = set()
        self.execute = _engine(dialect)

    def table(self, columns: Sequence[str]) -> str:
        """The name of the table with all combinations for these columns."""
        key = tuple(columns)
        name = "t_" + "_".join(key)
        if key not in self.tables:
            self.tables.add(key)
            declared = ", ".join(f"{c.name} {c.type}" for c in TABLE.columns if c.name != "u")
            kind = "" if self.dialect == "sqlite" else "VARCHAR"
            self.execute(f"CREATE TABLE {name} ({declared}, u {kind})")
            rows = [*product(*(self.values(c, len(key)) for c in key))]
            names = ", ".join(key if "j" in key else ("j", *key))
            before = "" if "j" in key else "0, "
            values = ", ".join(f"({before}{', '.join(map(_constant, row))})" for row in rows)
            self.execute(f"INSERT INTO {name} ({names}) VALUES {values if key else '(0)'}")
        return name

    def values(self, column: str, columns: int) -> tuple[Any, ...]:
        """What a column holds; fewer values where there are many columns."""
        found = TYPED[column] if self.typed else ANY
        if column == "j":
            found = tuple(value for value in found if value is not None)
        if columns > 3:
            found = found[:4]
        return (
            found
            if self.dialect == "sqlite" or column != "u"
            else tuple(None if value is None else str(value) for value in found)
        )

    def differences(self, before: str, after: str, condition: bool) -> list[Any]:
        """Rows for which the expressions differ; empty also where the first is no SQL here."""
        columns = columns_of(f"{before} {after}")
        table = self.table(columns)
        shown = ", ".join(["", *columns]) if columns else ""
        if condition:
            text = f"COALESCE(CASE WHEN {before} THEN 1 END, 0) <> COALESCE(CASE WHEN {after} THEN 1 END, 0)"
        elif self.dialect == "sqlite":
            text = f"({before}) IS NOT ({after}) OR typeof({before}) <> typeof({after})"
        else:
            text = f"({before}) IS DISTINCT FROM ({after})"
        if self.dialect != "sqlite":
            # What DuckDB cannot convert fails for some rows only, in any order.
            checks = [f"CASE WHEN {t} THEN 1 END" if condition else t for t in (before, after)]
            failures = [self._failure(f"SELECT {check} FROM {table}") for check in checks]
            if failures[0] or failures[1] == "ConversionException":
                return []
        return list(
            self.execute(f"SELECT {before}, {after}{shown} FROM {table} WHERE {text} LIMIT 5")
        )

    def _failure(self, sql: str) -> str:
        """The kind of error, or nothing."""
        import duckdb

        try:
            self.execute(sql)
        except duckdb.Error as error:
            # BETWEEN takes a truth value beside a float, and <= does not.
            of_truth = "Cannot compare values" in str(error) and "BOOLEAN" in str(error)
            return "ConversionException" if of_truth else type(error).__name__
        return ""


def _constant(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    return f"'{value}'" if isinstance(value, str) else str(value)


def _engine(dialect: str) -> Any:
    if dialect == "sqlite":
        connection = sqlite3.connect(":memory:", isolation_level=None)
        return lambda sql, values=(): connection.execute(sql, values).fetchall()
    import duckdb

    database = duckdb.connect(":memory:")
    return lambda sql, values=None: database.execute(sql, values).fetchall()


@cache
def grid(dialect: str, typed: bool) -> Grid:
    """One grid for all tests of a process."""
    return Grid(dialect, typed)


def refuted(expression: Expression, found: Simplified, dialect: str, condition: bool) -> str | None:
    """Where the simplified expression has another value, in words; None if nowhere."""
    before, after = spelled(expression, dialect), spelled(found.expression, dialect)
    typed = dialect != "sqlite" or Assumption.TYPES in found.assumed
    rows = grid(dialect, typed).differences(before, after, condition)
    return f"{before}  ->  {after}: {rows}" if rows else None
