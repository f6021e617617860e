"""Collects a value profile while a query is read, and resolves the query's names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from sqljury.schema import Schema, Table
from sqljury.sql.names import columns_named
from sqljury.value_profile import (
    Atom,
    ColumnName,
    ColumnUse,
    Constant,
    Link,
    Pattern,
    Place,
    ValueProfile,
)

Places = frozenset[Place]
NOWHERE: Places = frozenset()


@dataclass(frozen=True, slots=True)
class Output:
    """One column of a FROM item or a result.

    ``places`` are the table columns that it is computed from; ``plain`` is True if it is one of
    them unchanged.
    """

    name: str
    places: Places = NOWHERE
    plain: bool = False

    @property
    def place(self) -> Place | None:
        """The table column that it is a copy of; None if it is computed."""
        return next(iter(self.places)) if self.plain and len(self.places) == 1 else None


@dataclass(slots=True)
class PlaceSource:
    """One item of a FROM."""

    alias: str
    outputs: list[Output]
    slot: int | None = None

    def column(self, name: str) -> Output | None:
        """The first column of that name, or None."""
        return next((output for output in self.outputs if output.name == name), None)


@dataclass(slots=True)
class PlaceScope:
    """The items of one FROM and the scope of the enclosing query; names are in lower case."""

    outer: PlaceScope | None = None
    sources: list[PlaceSource] = field(default_factory=list)
    aliases: dict[str, Output] = field(default_factory=dict)
    """Output columns by alias, which ORDER BY, GROUP BY and HAVING can use."""
    ctes: dict[str, exp.CTE] = field(default_factory=dict)
    """The CTEs that can be read here."""

    def inside(self, query: exp.Expr) -> PlaceScope:
        """The scope of a query nested in this one, with the CTEs of its own WITH."""
        clause = query.args.get("with_")
        own = {cte.alias.lower(): cte for cte in clause.expressions} if clause is not None else {}
        return PlaceScope(self, ctes={**self.ctes, **own})

    def find(self, name: str, qualifier: str) -> Output | None:
        """The column of that name in this FROM or in that of an enclosing query; None if there is
        none."""
        found = columns_named(qualifier, self._enclosing(), lambda source: source.column(name))
        return found[0] if found else None

    def _enclosing(self) -> Iterator[list[tuple[str, PlaceSource]]]:
        """The items of this FROM, then those of enclosing queries; each followed by its output
        aliases."""
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


_MOST_CONSTANTS = 40
"""Most constants kept per column; a list of a thousand values tests no more than forty do."""


class _Use:
    """How a column is used; mutable while the query is being read."""

    __slots__ = ("constants", "dated", "formats", "globs", "likes", "numeric")

    def __init__(self) -> None:
        self.constants: dict[tuple[type, Constant], None] = {}
        self.likes: dict[str, None] = {}
        self.globs: dict[str, None] = {}
        self.formats: dict[str, None] = {}
        self.numeric = False
        self.dated = False

    def frozen(self) -> ColumnUse:
        return ColumnUse(
            constants=tuple(value for _, value in self.constants),
            likes=tuple(self.likes),
            globs=tuple(self.globs),
            numeric=self.numeric,
            dated=self.dated,
            formats=tuple(self.formats),
        )


class Notes:
    """Collects the value profile of a query that is read.

    That is the constants, links and uses of columns that its conditions need in generated data.
    Columns that the schema does not have are ignored.

    A slot is the number of one occurrence of a table in the query.
    """

    def __init__(self, schema: Schema) -> None:
        self._tables = {table.name.lower(): table for table in schema.tables}
        self._order = {table.name: i for i, table in enumerate(schema.tables)}
        self._slots: list[Table] = []
        self._atoms: dict[Atom, None] = {}
        self._links: dict[Link, None] = {}
        self._uses: dict[ColumnName, _Use] = {}
        self._counts: dict[int, None] = {}
        self._limits: dict[int, None] = {}
        self._unread: dict[str, None] = {}
        self.groups: list[Place] = []
        self.ordered: list[Place] = []
        self.random = False
        self.any_rows = False
        self.cuts_ties = False
        self.fragile = False

    @property
    def slots(self) -> int:
        """The number of table occurrences read so far."""
        return len(self._slots)

    # ------------------------------------------------------------ tables and columns

    def occurrence(self, name: str) -> int | None:
        """A new slot for a table; None, and recorded as unread, if it is unknown or a view."""
        table = self._tables.get(name.lower())
        if table is None or table.is_view:
            self.unread(name)
            return None
        self._slots.append(table)
        return len(self._slots) - 1

    def outputs(self, name: str, slot: int | None) -> list[Output]:
        """The columns of a table in a slot; without places if ``slot`` is None."""
        table = self._tables.get(name.lower())
        if table is None:
            return []
        return [
            Output(
                column.name.lower(),
                frozenset() if slot is None else frozenset((Place(slot, column.name),)),
                slot is not None,
            )
            for column in table.columns
        ]

    def unread(self, name: str) -> None:
        """Records the name of a source for which no data can be generated."""
        self._unread[name] = None

    def name_of(self, place: Place) -> ColumnName:
        """The table and column of a place."""
        return self._slots[place.slot].name, place.column

    def use(self, place: Place) -> _Use:
        """The mutable record of how the column of a place is used."""
        return self._uses.setdefault(self.name_of(place), _Use())

    def used(self, outputs: Iterable[Output]) -> None:
        """Records that the query reads these columns."""
        for output in outputs:
            for place in output.places:
                self.use(place)

    # ------------------------------------------------------------ conditions

    def atom(
        self, place: Place, operator: str, values: tuple[Constant, ...], *, hard: bool
    ) -> None:
        """Records a condition on one column, and its values for the generated data."""
        values = values[:_MOST_CONSTANTS]
        self._atoms[Atom(place, operator, values, hard)] = None
        use = self.use(place)
        patterns = {"like": use.likes, "glob": use.globs}.get(operator)
        for value in values:
            if patterns is not None:
                patterns[str(value)] = None
            elif value is not None and len(use.constants) < _MOST_CONSTANTS:
                use.constants[type(value), value] = None

    def link(self, left: Place | None, right: Place | None, *, hard: bool) -> None:
        """Records that two columns are compared for equality; ignored if either is None."""
        if left is not None and right is not None and left != right:
            self._links[Link(left, right, hard)] = None
            self.use(left)
            self.use(right)

    def count(self, number: int) -> None:
        """Records a number that a COUNT is compared with."""
        self._counts[number] = None

    def limit(self, limit: int, offset: int) -> None:
        """Records a LIMIT and OFFSET; ignored if the LIMIT is 0 or unknown."""
        if limit:
            self._limits[limit + offset] = None

    # ------------------------------------------------------------ all of it

    def profile(self) -> ValueProfile:
        """The profile of what was recorded."""
        pattern = Pattern(
            tables=tuple(table.name for table in self._slots),
            atoms=tuple(self._atoms),
            links=tuple(self._links),
            groups=tuple(dict.fromkeys(self.groups)),
            ordered=tuple(dict.fromkeys(self.ordered)),
        )
        names = sorted({table.name for table in self._slots}, key=self._order.__getitem__)
        pools = ((self.name_of(link.left), self.name_of(link.right)) for link in self._links)
        return ValueProfile(
            tables=tuple(names),
            columns={name: use.frozen() for name, use in self._uses.items()},
            patterns=(pattern,),
            pools=tuple(dict.fromkeys(pools)),
            counts=tuple(self._counts),
            limits=tuple(self._limits),
            unread=tuple(self._unread),
            random=self.random,
            any_rows=self.any_rows,
            cuts_ties=self.cuts_ties,
            fragile=self.fragile,
        )
