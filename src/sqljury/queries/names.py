"""Which column a name in a query stands for, as far as the schema and the aliases say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from sqljury.schema import Schema

DERIVED = "(query)"
"""The table of columns that come out of a subquery in FROM or a CTE."""
UNKNOWN = "?"
"""The table of columns that cannot be told."""


@dataclass(frozen=True, slots=True)
class Names:
    """A schema's names in lower case."""

    columns: Mapping[str, frozenset[str]]
    """Table to its columns."""
    merged: Mapping[str, str]
    """``table.column`` to the first of all columns that foreign keys make equal to it."""


@lru_cache(maxsize=16)
def names_of(schema: Schema) -> Names:
    """The names of a schema, with the columns that foreign keys identify."""
    columns = {
        table.name.lower(): frozenset(column.name.lower() for column in table.columns)
        for table in schema.tables
    }
    return Names(columns, _merged(schema))


def _merged(schema: Schema) -> dict[str, str]:
    place = {
        f"{table.name}.{column.name}".lower(): (t, c)
        for t, table in enumerate(schema.tables)
        for c, column in enumerate(table.columns)
    }
    group_of: dict[str, list[str]] = {}
    for left, right in _foreign_key_pairs(schema):
        if left not in place or right not in place:
            continue
        ours, theirs = (group_of.setdefault(name, [name]) for name in (left, right))
        if ours is not theirs:
            ours.extend(theirs)
            group_of.update(dict.fromkeys(theirs, ours))
    return {name: min(group, key=place.__getitem__) for name, group in group_of.items()}


def _foreign_key_pairs(schema: Schema) -> list[tuple[str, str]]:
    return [
        (f"{table.name}.{column}".lower(), f"{key.target_table}.{target}".lower())
        for table in schema.tables
        for key in table.foreign_keys
        for column, target in zip(key.columns, key.target_columns, strict=False)
    ]


@dataclass(frozen=True, slots=True)
class Scope:
    """The tables of one FROM, by alias, and the query around it."""

    tables: tuple[tuple[str, str], ...]
    """Alias and table, in the order of FROM."""
    outer: Scope | None
    names: Names | None

    def table_of(self, column: str, qualifier: str) -> str:
        """The table of a column; :data:`UNKNOWN` where no table in sight has it."""
        return self._qualified(qualifier) if qualifier else self._unqualified(column)

    def _qualified(self, qualifier: str) -> str:
        scope: Scope | None = self
        while scope is not None:
            for alias, table in scope.tables:
                if alias == qualifier:
                    return table
            scope = scope.outer
        return qualifier

    def _unqualified(self, column: str) -> str:
        if self.names is None:
            return self.tables[0][1] if len(self.tables) == 1 else UNKNOWN
        scope: Scope | None = self
        while scope is not None:
            for _, table in scope.tables:
                if column in self.names.columns.get(table, ()):
                    return table
            scope = scope.outer
        return DERIVED if any(table == DERIVED for _, table in self.tables) else UNKNOWN
