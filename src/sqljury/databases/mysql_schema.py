"""Reads a MySQL or MariaDB database's schema from information_schema."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sqljury.schema import Column, ForeignKey, Schema, Table

Read = Callable[[str], Sequence[tuple[Any, ...]]]
"""Runs one of our queries and returns its rows."""

_TABLES = """
SELECT TABLE_NAME, TABLE_TYPE, TABLE_COMMENT FROM information_schema.TABLES
WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')
"""
_COLUMNS = """
SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE = 'YES', COLUMN_COMMENT,
       coalesce(COLLATION_NAME, ''), EXTRA LIKE '%GENERATED%' AND EXTRA NOT LIKE '%DEFAULT%'
FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()
ORDER BY TABLE_NAME, ORDINAL_POSITION
"""
# It is enough to know that there is a CHECK: whether rows pass it only the server can tell.
_CHECKS = """
SELECT TABLE_NAME, CONSTRAINT_NAME FROM information_schema.TABLE_CONSTRAINTS
WHERE TABLE_SCHEMA = DATABASE() AND CONSTRAINT_TYPE = 'CHECK'
"""
# A key on a column prefix, or on an expression, does not make the column unique.
_KEYS = """
SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART
FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND NON_UNIQUE = 0
ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX
"""
_FOREIGN_KEYS = """
SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
FROM information_schema.KEY_COLUMN_USAGE
WHERE TABLE_SCHEMA = DATABASE() AND REFERENCED_TABLE_SCHEMA = DATABASE()
ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION
"""


def read_schema(read: Read) -> Schema:
    """Tables and views by name."""
    columns = _grouped(read(_COLUMNS))
    keys = _grouped(read(_KEYS))
    foreign = _grouped(read(_FOREIGN_KEYS))
    checks = _grouped(read(_CHECKS))
    return Schema(
        dialect="mysql",
        tables=tuple(
            replace(
                _table(
                    name, kind, comment, columns, _unique(keys.get(name, ())), foreign.get(name, ())
                ),
                declaration=tuple(f"CHECK {check}" for (check,) in checks.get(name, ())),
            )
            for name, kind, comment in sorted(read(_TABLES))
        ),
    )


def _table(
    name: str,
    kind: str,
    comment: str,
    columns: dict[str, list[tuple[Any, ...]]],
    keys: dict[str, tuple[str, ...]],
    foreign: Sequence[tuple[Any, ...]],
) -> Table:
    return Table(
        name=name,
        columns=tuple(
            Column(
                name=column,
                type=type_,
                nullable=bool(nullable),
                collation=collation,
                generated=bool(generated),
                description=description,
            )
            for column, type_, nullable, description, collation, generated in columns.get(name, ())
        ),
        primary_key=keys.get("PRIMARY", ()),
        unique=tuple(sorted(key for index, key in keys.items() if index != "PRIMARY")),
        foreign_keys=_foreign_keys(foreign),
        is_view=kind == "VIEW",
        # In this column, views have their kind or an error message, not a comment.
        description="" if kind == "VIEW" else comment,
    )


def _unique(rows: Sequence[tuple[Any, ...]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str | None]] = {}
    for index, column, part in rows:
        found.setdefault(index, []).append(column if part is None else None)
    return {
        index: tuple(column for column in columns if column is not None)
        for index, columns in found.items()
        if None not in columns
    }


def _foreign_keys(rows: Sequence[tuple[Any, ...]]) -> tuple[ForeignKey, ...]:
    found: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for constraint, column, target, target_column in rows:
        found.setdefault((constraint, target), []).append((column, target_column))
    return tuple(
        ForeignKey(
            columns=tuple(column for column, _ in pairs),
            target_table=target,
            target_columns=tuple(column for _, column in pairs),
        )
        for (_, target), pairs in found.items()
    )


def _grouped(rows: Sequence[tuple[Any, ...]]) -> dict[str, list[tuple[Any, ...]]]:
    """The rows grouped by their first value, which is removed from them."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    for name, *rest in rows:
        found.setdefault(name, []).append(tuple(rest))
    return found
