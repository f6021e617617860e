"""Facts of a schema that are found once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from sqljury.schema import Schema

_MOST = 64
Fact = TypeVar("Fact")


class BySchema(Generic[Fact]):
    """A function of a schema, computed once for each.

    Schemas are known by identity, as hashing one looks at every column. The value is kept with
    its schema, so that no other object can have the same identity meanwhile.
    """

    def __init__(self, find: Callable[[Schema], Fact]) -> None:
        self._find = find
        self._known: dict[int, tuple[Schema, Fact]] = {}

    def __call__(self, schema: Schema) -> Fact:
        """The fact."""
        known = self._known.get(id(schema))
        if known is not None and known[0] is schema:
            return known[1]
        fact = self._find(schema)
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[id(schema)] = (schema, fact)
        return fact
