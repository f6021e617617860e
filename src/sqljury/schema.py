"""A database's schema as plain values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column, with what documentation says of it."""

    name: str
    type: str = ""
    """The declared type, as the engine spells it; empty where none is declared."""
    nullable: bool = True
    collation: str = ""
    """The collation under which its texts are compared, where it is another than the engine's
    default; ``?`` for one that could not be found out."""
    generated: bool = False
    """Computed from other columns: nothing is stored in it."""
    description: str = ""
    value_description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey:
    """``columns`` of the table that holds it point to ``target_columns`` of ``target_table``."""

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
    """NULLs may stand in the primary key all the same, as SQLite has it."""
    declaration: tuple[str, ...] = ()
    """The statements that make it, in the engine's dialect, where they forbid rows that columns,
    types and keys do not: a CHECK, STRICT, a partial unique index; empty otherwise."""
    description: str = ""
    namespace: str = ""
    """The schema of the database that it is in, where that is known and is not part of the name."""

    def column(self, name: str) -> Column | None:
        """The column of that name, case-insensitively, or None."""
        wanted = name.casefold()
        return next((c for c in self.columns if c.name.casefold() == wanted), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """All tables of one database, in the engine's order."""

    dialect: str
    """sqlglot's name of the SQL dialect: sqlite, duckdb, postgres, mysql, …"""
    tables: tuple[Table, ...]

    def table(self, name: str) -> Table | None:
        """The table of that name, case-insensitively, or None."""
        wanted = name.casefold()
        return next((t for t in self.tables if t.name.casefold() == wanted), None)
