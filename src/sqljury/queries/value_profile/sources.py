"""What a name in a query stands for: the scopes of FROM, derived tables and CTEs included."""

from __future__ import annotations

from dataclasses import dataclass, field

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
class Source:
    """One item of a FROM."""

    alias: str
    outputs: list[Output]
    slot: int | None = None


@dataclass(slots=True)
class Scope:
    """The items of one FROM and the queries around it; names are in lower case."""

    outer: Scope | None = None
    sources: list[Source] = field(default_factory=list)
    aliases: dict[str, Output] = field(default_factory=dict)
    """Columns of the result by alias: ORDER BY, GROUP BY and HAVING may use them."""

    def find(self, name: str, qualifier: str) -> Output | None:
        """The column of that name, in this FROM or in one around it."""
        scope: Scope | None = self
        while scope is not None:
            for source in scope.sources:
                if qualifier and source.alias != qualifier:
                    continue
                for output in source.outputs:
                    if output.name == name:
                        return output
            if not qualifier and name in scope.aliases:
                return scope.aliases[name]
            scope = scope.outer
        return None

    def star(self, qualifier: str) -> list[Output]:
        """The columns of ``*`` or ``qualifier.*``."""
        return [
            output
            for source in self.sources
            if not qualifier or source.alias == qualifier
            for output in source.outputs
        ]
