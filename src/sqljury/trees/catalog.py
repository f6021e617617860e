"""Functions of a schema, computed once per schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from sqljury.schema import Schema, Table

_MOST = 64
Fact = TypeVar("Fact")


class Same:
    """A schema as part of a cache key, compared by identity: hashing a schema reads every column.

    The key holds a reference to the schema, so that its id cannot be reused meanwhile.
    """

    __slots__ = ("schema",)

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def __hash__(self) -> int:
        return id(self.schema)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.schema is self.schema


class BySchema(Generic[Fact]):
    """A function of a schema whose results are cached, for up to 64 schemas.

    Schemas are compared by identity, because hashing one reads every column. The cache holds a
    reference to each schema, so that its id cannot be reused meanwhile.
    """

    def __init__(self, find: Callable[[Schema], Fact]) -> None:
        self._find = find
        self._known: dict[int, tuple[Schema, Fact]] = {}

    def __call__(self, schema: Schema) -> Fact:
        """The function's value for the schema."""
        known = self._known.get(id(schema))
        if known is not None and known[0] is schema:
            return known[1]
        fact = self._find(schema)
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[id(schema)] = (schema, fact)
        return fact


def _by_name(schema: Schema) -> dict[str, Table]:
    return {table.name.casefold(): table for table in reversed(schema.tables)}


_tables = BySchema(_by_name)


def table_named(schema: Schema, name: str) -> Table | None:
    """The table of that name in any case, or None: :meth:`Schema.table` with a cached index."""
    return _tables(schema).get(name.casefold())
