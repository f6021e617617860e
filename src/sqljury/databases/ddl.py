"""CREATE TABLE and ALTER TABLE statements of any dialect, as tables with columns and keys."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sqljury.databases.sqlite_schema import read_schema
from sqljury.errors import InputError
from sqljury.schema import Column, ForeignKey, Schema, Table

if TYPE_CHECKING:
    from sqlglot import exp

_DIALECTS: Final = ("sqlite", "mysql", "postgres", "tsql", "snowflake", "bigquery")


def schema_from_ddl(text: str, *, where: str = "schema") -> Schema:
    """The schema that a script makes: its CREATE TABLE, VIEW and UNIQUE INDEX, its ALTER TABLE.

    SQLite itself reads what it can, as that gives the types and keys it would see; statements
    that it refuses are read by sqlglot in the other dialects. Everything else (INSERT, GRANT,
    CREATE FUNCTION, …) is skipped.

    Raises:
        InputError: SJ207: no table, or a statement that cannot be understood.
    """
    tables: dict[str, Table] = {}
    with closing(sqlite3.connect(":memory:")) as connection:
        alterations = []
        for statement in _statements(text, where):
            if statement[:5].upper() == "ALTER":
                alterations.append(statement)
            elif not _made(connection, statement):
                table = _table(statement, where)
                tables[table.name.casefold()] = table
        for table in read_schema(connection).tables:
            tables.setdefault(table.name.casefold(), table)
    for statement in alterations:
        _alter(tables, statement)
    if not tables:
        raise InputError("SJ207", "there is no CREATE TABLE in it.", where=where)
    return Schema(dialect="sqlite", tables=tuple(tables.values()))


def _statements(text: str, where: str) -> Iterator[str]:
    """The statements that define tables, whatever stands between them."""
    from sqlglot import tokenize
    from sqlglot.errors import SqlglotError

    try:
        # MySQL's backslashes and PostgreSQL's dollars differ inside strings only.
        tokens = tokenize(text, read="mysql" if "`" in text else "postgres")
    except SqlglotError as error:
        raise InputError("SJ207", f"{error}", where=where) from error
    words: list[str] = []
    start = end = 0
    for token in tokens:
        if token.text == ";":
            if _defines(words):
                yield text[start:end]
            words = []
            continue
        if not words:
            start = token.start
        end = token.end + 1
        if len(words) < 4:
            words.append(token.text.upper())
    if _defines(words):
        yield text[start:end]


def _defines(words: list[str]) -> bool:
    if words[:2] == ["ALTER", "TABLE"]:
        return True
    if words[:1] != ["CREATE"]:
        return False
    return any(word in ("TABLE", "VIEW") for word in words[1:3]) or words[1:3] == [
        "UNIQUE",
        "INDEX",
    ]


def _made(connection: sqlite3.Connection, statement: str) -> bool:
    try:
        connection.execute(statement)
    except sqlite3.Error:
        return False
    return True


def _table(statement: str, where: str) -> Table:
    from sqlglot import exp

    for tree in _trees(statement):
        if isinstance(tree, exp.Create) and isinstance(tree.this, exp.Schema):
            parts = tree.this.expressions
            columns = [part for part in parts if isinstance(part, exp.ColumnDef)]
            table = Table(name=tree.this.this.name, columns=tuple(map(_column, columns)))
            return _constrained(table, _of_columns(columns), _of_table(parts))
    start = " ".join(statement.split()[:4])
    raise InputError(
        "SJ207", f"neither SQLite nor sqlglot reads the statement {start!r}…", where=where
    )


def _trees(statement: str) -> Iterator[exp.Expr]:
    import sqlglot
    from sqlglot.errors import SqlglotError

    logging.getLogger("sqlglot").addHandler(logging.NullHandler())
    for dialect in _DIALECTS:
        try:
            yield sqlglot.parse_one(statement, read=dialect)
        except SqlglotError:
            continue


def _column(definition: exp.ColumnDef) -> Column:
    from sqlglot import exp

    kinds = [constraint.kind for constraint in definition.constraints]
    needed = any(
        isinstance(kind, exp.NotNullColumnConstraint) and not kind.args.get("allow_null")
        for kind in kinds
    )
    kind = definition.kind
    return Column(name=definition.name, type=kind.sql() if kind else "", nullable=not needed)


_Constraint = tuple[str, tuple[str, ...], "exp.Reference | None"]
"""``primary``, ``unique`` or ``foreign``; the columns; what a foreign key points to."""


def _of_columns(columns: Iterable[exp.ColumnDef]) -> Iterator[_Constraint]:
    from sqlglot import exp

    for column in columns:
        for constraint in column.constraints:
            kind = constraint.kind
            if isinstance(kind, exp.PrimaryKeyColumnConstraint):
                yield "primary", (column.name,), None
            elif isinstance(kind, exp.UniqueColumnConstraint):
                yield "unique", (column.name,), None
            elif isinstance(kind, exp.Reference):
                yield "foreign", (column.name,), kind


def _of_table(parts: Iterable[exp.Expr]) -> Iterator[_Constraint]:
    from sqlglot import exp

    for part in parts:
        if isinstance(part, exp.Constraint):
            yield from _of_table(part.expressions)
        elif isinstance(part, exp.PrimaryKey):
            yield "primary", _names(part.expressions), None
        elif isinstance(part, exp.UniqueColumnConstraint) and part.this is not None:
            yield "unique", _names(part.this.expressions), None
        elif isinstance(part, exp.ForeignKey):
            yield "foreign", _names(part.expressions), part.args.get("reference")


def _names(parts: Iterable[exp.Expr]) -> tuple[str, ...]:
    return tuple(part.name for part in parts)


def _constrained(table: Table, *constraints: Iterator[_Constraint]) -> Table:
    for found in constraints:
        for kind, columns, reference in found:
            if kind == "primary":
                table = replace(table, primary_key=columns)
            elif kind == "unique":
                table = replace(table, unique=(*table.unique, columns))
            elif reference is not None:
                key = _foreign_key(columns, reference)
                table = replace(table, foreign_keys=(*table.foreign_keys, key))
    return table


def _foreign_key(columns: tuple[str, ...], reference: exp.Reference) -> ForeignKey:
    from sqlglot import exp

    target = reference.this
    if isinstance(target, exp.Schema):
        return ForeignKey(
            columns=columns,
            target_table=target.this.name,
            target_columns=_names(target.expressions),
        )
    return ForeignKey(columns=columns, target_table=target.name, target_columns=())


def _alter(tables: dict[str, Table], statement: str) -> None:
    """Add the keys of an ALTER TABLE; what else it does is no part of a schema here."""
    from sqlglot import exp

    for tree in _trees(statement):
        if not isinstance(tree, exp.Alter):
            continue
        name = tree.this.name.casefold()
        added = [a for a in tree.args.get("actions", ()) if isinstance(a, exp.AddConstraint)]
        if name in tables:
            parts = [part for action in added for part in action.expressions]
            tables[name] = _constrained(tables[name], _of_table(parts))
        return
