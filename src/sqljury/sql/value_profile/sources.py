"""What a name in a query stands for: the scopes of FROM, derived tables and CTEs included."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqljury.sql.lookup import columns_named
from sqljury.value_profile import Place

Places = frozenset[Place]
NOWHERE: Places = frozenset()


@dataclass(frozen=True, slots=True)
class Output:
    """One column of a FROM item or a result.

    ``places`` are the columns that it is made of; ``plain`` says that it is one of them as it is.
    """

    name: str
    places: Places = NOWHERE
    plain: bool = False

    @property
    def place(self) -> Place | None:
        """The one column that it is, if it is one."""
        return next(iter(self.places)) if self.plain and len(self.places) == 1 else None


@dataclass(slots=True)
class PlaceSource:
    """One item of a FROM."""

    alias: str
    outputs: list[Output]
    slot: int | None = None

    def column(self, name: str) -> Output | None:
        """The first of its columns of that name."""
        return next((output for output in self.outputs if output.name == name), None)


@dataclass(slots=True)
class PlaceScope:
    """The items of one FROM and the queries around it; names are in lower case."""

    outer: PlaceScope | None = None
    sources: list[PlaceSource] = field(default_factory=list)
    aliases: dict[str, Output] = field(default_factory=dict)
    """Columns of the result by alias: ORDER BY, GROUP BY and HAVING may use them."""

    def find(self, name: str, qualifier: str) -> Output | None:
        """The column of that name, in this FROM or in one around it."""
        found = columns_named(qualifier, self._enclosing(), lambda source: source.column(name))
        return found[0] if found else None

    def _enclosing(self) -> Iterator[list[tuple[str, PlaceSource]]]:
        """The items of this FROM and those around it; after each FROM the aliases of its result."""
        scope: PlaceScope | None = self
        while scope is not None:
            aliased = PlaceSource("", list(scope.aliases.values()))
            yield [(source.alias, source) for source in (*scope.sources, aliased)]
            scope = scope.outer

    def star(self, qualifier: str) -> list[Output]:
        """The columns of ``*`` or ``qualifier.*``."""
        return [
            output
            for source in self.sources
            if not qualifier or source.alias == qualifier
            for output in source.outputs
        ]
