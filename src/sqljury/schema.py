"""A database's schema as plain values."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column, with its description from the documentation."""

    name: str
    type: str = ""
    """The declared type, in the engine's spelling; empty if none is declared."""
    nullable: bool = True
    collation: str = ""
    """The collation that compares its texts; empty for the engine's default, ``?`` if unknown."""
    generated: bool = False
    """True if it is computed from other columns: no value can be inserted."""
    identity: bool = False
    """True for GENERATED ALWAYS AS IDENTITY: an inserted value needs OVERRIDING SYSTEM VALUE."""
    members: tuple[str, ...] = ()
    """The values of its type, if that is an enumeration made by a statement of its own."""
    description: str = ""
    value_description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey:
    """A foreign key: ``columns`` of its table refer to ``target_columns`` of ``target_table``."""

    columns: tuple[str, ...]
    target_table: str
    target_columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table or a view."""

    name: str
    columns: tuple[Column, ...]
    primary_key: tuple[str, ...] = ()
    unique: tuple[tuple[str, ...], ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()
    is_view: bool = False
    nullable_key: bool = False
    """True if columns of the primary key may be NULL, as in SQLite."""
    declaration: tuple[str, ...] = ()
    """The statements that make it, in the engine's dialect, if they forbid rows that columns, types
    and keys allow: a CHECK, STRICT, a partial unique index; else empty."""
    unsure: str = ""
    """Why its rows may differ from those inserted into it: triggers, tables that inherit from it;
    empty if there is no such reason."""
    description: str = ""
    namespace: str = ""
    """The database schema that it is in, if that is known and not part of the name."""

    def column(self, name: str) -> Column | None:
        """The column of that name in any case of letters, or None."""
        wanted = name.casefold()
        return next((c for c in self.columns if c.name.casefold() == wanted), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """All tables of one database, in the engine's order."""

    dialect: str
    """sqlglot's name of the SQL dialect: sqlite, duckdb, postgres, mysql, …"""
    tables: tuple[Table, ...]

    def __post_init__(self) -> None:
        """Make auto-incremented columns NOT NULL, and spell out types of MySQL and DuckDB."""
        if self.dialect != "sqlite":
            tables = tuple(_in_dialect(table, self.dialect) for table in self.tables)
            object.__setattr__(self, "tables", tables)

    def table(self, name: str) -> Table | None:
        """The table of that name in any case of letters, or None."""
        wanted = name.casefold()
        return next((t for t in self.tables if t.name.casefold() == wanted), None)


_COUNTED_UP: Final = re.compile(
    r"\s+(AUTO_INCREMENT\b|IDENTITY\b\s*(\([\d ,-]*\))?)", re.IGNORECASE
)
_SERIAL: Final = re.compile(r"(SMALL|BIG)?SERIAL[248]?$", re.IGNORECASE)


def _in_dialect(table: Table, dialect: str) -> Table:
    columns = tuple(_column_in_dialect(column, dialect) for column in table.columns)
    if columns == table.columns:
        return table
    keys = [(c.name,) for c in table.columns if dialect == "mysql" and _SERIAL.match(c.type)]
    return replace(table, columns=columns, unique=(*table.unique, *keys))


def _column_in_dialect(column: Column, dialect: str) -> Column:
    plain = _COUNTED_UP.sub("", column.type)
    if _SERIAL.match(plain):
        # MySQL's SERIAL is another word for BIGINT UNSIGNED NOT NULL AUTO_INCREMENT UNIQUE.
        kind = "BIGINT UNSIGNED" if dialect == "mysql" else plain
        return replace(column, type=kind, nullable=False)
    if plain != column.type:
        return replace(column, type=plain, nullable=False)
    if column.members and dialect == "duckdb":
        labels = ", ".join("'" + label.replace("'", "''") + "'" for label in column.members)
        return replace(column, type=f"ENUM({labels})", members=())
    return column
