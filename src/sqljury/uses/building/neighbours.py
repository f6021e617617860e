"""The tables whose columns a question about a table may mean, as its rows lead there."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from sqljury.schema import Schema, Table
from sqljury.sql.identifiers import words
from sqljury.uses.building.wording import word_set

_IDS = word_set("id key code no number")


@lru_cache(maxsize=512)
def links(schema: Schema) -> dict[str, frozenset[str]]:
    """For each table those that it refers to: by foreign keys, declared or by their name."""
    return {
        table.name: frozenset(
            other.name
            for other in schema.tables
            if other is not table and (_declared(table, other) or _by_name(table, other))
        )
        for table in schema.tables
    }


def _declared(table: Table, other: Table) -> bool:
    wanted = other.name.casefold()
    return any(key.target_table.casefold() == wanted for key in table.foreign_keys)


def _by_name(table: Table, other: Table) -> bool:
    """A column, not its own key, that is called as an id of the other, or as the other itself."""
    own = {name.casefold() for name in table.primary_key} if len(table.primary_key) == 1 else set()
    mine = {column.name.casefold() for column in table.columns} - own
    ids = {column.name.casefold() for column in other.columns if _is_id(column.name)}
    keys = {name.casefold() for name in other.primary_key if name.casefold() != "id"}
    return bool((ids | keys | {other.name.casefold()}) & mine)


def _is_id(name: str) -> bool:
    parts = words(name)
    joined = name.casefold()
    return joined not in _IDS and (
        parts[-1:] != () and (parts[-1] in _IDS or joined.endswith("id"))
    )


def above(schema: Schema, table: Table) -> frozenset[str]:
    """The table and all that its rows belong to: a stadium's capacity is that of its concerts."""
    return frozenset(_closure({table.name}, links(schema)))


def below(schema: Schema, table: Table) -> frozenset[str]:
    """All that belongs to a table's rows, and what else these belong to.

    The country with the highest horsepower is that of a car, three tables below; the shop of an
    employee may stand in a table of hirings.
    """
    leads = links(schema)
    led = {name: frozenset(child for child, to in leads.items() if name in to) for name in leads}
    children = _closure({table.name}, led)
    return frozenset(_closure(children, leads)) - above(schema, table)


def _closure(start: set[str], steps: Mapping[str, frozenset[str]]) -> set[str]:
    found, waiting = set(start), list(start)
    while waiting:
        new = steps[waiting.pop()] - found
        found |= new
        waiting += new
    return found
