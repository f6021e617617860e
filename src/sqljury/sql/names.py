"""Resolves names of a query to columns, and splits identifiers into words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from sqljury.schema import Schema

# ------------------------------------------------------------
# The one rule by which all readers of queries resolve a column's name: the innermost FROM with a
# column of that name decides; a qualifier admits only the tables of that name. What a table is, and
# which columns it has, differs between readers: a schema's names
# (:mod:`sqljury.sql.names`), sqlglot's scopes (:mod:`sqljury.sql.resolve`), sets of places
# (:mod:`sqljury.sql.profiles.notes`), positions in a row
# (:mod:`sqljury.trees.from_sql.scopes`), nodes of a text that is being changed
# (:mod:`sqljury.variants.base`). So the lookup in a table is passed as a function.

Table = TypeVar("Table")
Column = TypeVar("Column")


def columns_named(
    qualifier: str,
    scopes: Iterable[Iterable[tuple[str, Table]]],
    column_of: Callable[[Table], Column | None],
) -> list[Column]:
    """All columns that a name can refer to in the innermost scope that has one, in table order.

    Empty if no scope has one. If there are several, the caller chooses one or refuses the query.

    Args:
        qualifier: the part before the dot; empty for an unqualified name.
        scopes: from the inside out; each is its tables with their names in the query.
        column_of: returns the column of that name in a table, or None.

    >>> inner, outer = [("t", {"id": 1})], [("t", {"x": 2}), ("u", {"x": 3})]
    >>> columns_named("", [inner, outer], lambda table: table.get("x"))
    [2, 3]
    >>> columns_named("u", [inner, outer], lambda table: table.get("x"))
    [3]
    """
    for tables in scopes:
        found = []
        for name, table in tables:
            column = column_of(table) if not qualifier or name == qualifier else None
            if column is not None:
                found.append(column)
        if found:
            return found
    return []


DERIVED = "(query)"
"""Stands for the table of a column that comes from a subquery in FROM or a CTE."""
UNKNOWN = "?"
"""Stands for the table of a column that cannot be resolved."""


@dataclass(frozen=True, slots=True)
class Names:
    """A schema's names in lower case."""

    columns: Mapping[str, frozenset[str]]
    """The columns of each table."""
    merged: Mapping[str, str]
    """For each ``table.column`` in a foreign key: the first column that foreign keys link it to."""


@lru_cache(maxsize=16)
def names_of(schema: Schema) -> Names:
    """The names of a schema, with the columns that foreign keys link."""
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
    pairs = [
        (f"{table.name}.{column}".lower(), f"{key.target_table}.{target}".lower())
        for table in schema.tables
        for key in table.foreign_keys
        for column, target in zip(key.columns, key.target_columns, strict=False)
    ]
    for left, right in pairs:
        if left not in place or right not in place:
            continue
        ours, theirs = (group_of.setdefault(name, [name]) for name in (left, right))
        if ours is not theirs:
            ours.extend(theirs)
            group_of.update(dict.fromkeys(theirs, ours))
    return {name: min(group, key=place.__getitem__) for name, group in group_of.items()}


@dataclass(frozen=True, slots=True)
class TableScope:
    """The tables of one FROM, by alias, and the scope of the enclosing query."""

    tables: tuple[tuple[str, str], ...]
    """Alias and table, in the order of FROM."""
    outer: TableScope | None
    names: Names | None

    def table_of(self, column: str, qualifier: str) -> str:
        """The table of a column; :data:`UNKNOWN` if no visible table has it."""
        return self._qualified(qualifier) if qualifier else self._unqualified(column)

    def _qualified(self, qualifier: str) -> str:
        found = columns_named(qualifier, self._enclosing(), lambda table: table)
        return found[0] if found else qualifier

    def _unqualified(self, column: str) -> str:
        if self.names is None:
            return self.tables[0][1] if len(self.tables) == 1 else UNKNOWN
        columns = self.names.columns
        found = columns_named(
            "", self._enclosing(), lambda table: table if column in columns.get(table, ()) else None
        )
        if found:
            return found[0]
        return DERIVED if any(table == DERIVED for _, table in self.tables) else UNKNOWN

    def _enclosing(self) -> Iterator[tuple[tuple[str, str], ...]]:
        """The tables of this FROM, then those of the enclosing queries."""
        scope: TableScope | None = self
        while scope is not None:
            yield scope.tables
            scope = scope.outer


# ------------------------------------------------------------
# The words that an identifier consists of.

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
IRREGULAR = {
    "people": "person",
    "men": "man",
    "women": "woman",
    "children": "child",
    "mice": "mouse",
    "indices": "index",
    "matches": "match",
    "branches": "branch",
    "churches": "church",
    "coaches": "coach",
    "dishes": "dish",
    "boxes": "box",
    "taxes": "tax",
    "movies": "movie",
    "cookies": "cookie",
    "series": "series",
    "species": "species",
    "buses": "bus",
    "viruses": "virus",
    "statuses": "status",
    "campuses": "campus",
}


@lru_cache(maxsize=4096)
def words(name: str) -> tuple[str, ...]:
    """The words of an identifier, in lower case.

    >>> words("Song_releaseYear"), words("PetID")
    (('song', 'release', 'year'), ('pet', 'id'))
    """
    return tuple(word.lower() for word in _WORD.findall(name))


def singular(word: str) -> str:
    """The singular of a noun; any other word is returned as it is.

    >>> [singular(word) for word in ("cities", "classes", "status", "dogs", "people", "bus")]
    ['city', 'class', 'status', 'dog', 'person', 'bus']
    """
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes")):
        return word[:-2]
    if word.endswith(("ss", "us", "is", "as", "os")) or not word.endswith("s") or len(word) < 4:
        return word
    return word[:-1]
