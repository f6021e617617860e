"""What names mean: the tables of a FROM, the queries around it, common table expressions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from sqljury.sql.names import columns_named
from sqljury.trees.nodes import AggregateCall, Expression, Ref, WindowCall
from sqljury.trees.walk import deepen, shift


class NoTreeError(Exception):
    """Why a query has no tree; it becomes an Unreadable."""

    def __init__(self, reason: str, kind: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind


def unsupported(what: str) -> NoTreeError:
    """A construct that trees do not express."""
    return NoTreeError(f"{what} is not supported", "unsupported")


def invalid(why: str) -> NoTreeError:
    """What no engine would run."""
    return NoTreeError(why, "invalid")


@dataclass(slots=True)
class Cte:
    """One common table expression, to be built wherever it is read."""

    name: str
    node: exp.Expr
    columns: tuple[str, ...]
    environment: Environment
    """Where it was defined; its ``ctes`` are those that it may read."""
    recursive: bool
    reading: bool = False
    """Whether it is being built at the moment."""
    working: tuple[int, tuple[str, ...]] | None = None
    """While its step is built: how many steps were open before, and its columns."""


@dataclass(frozen=True, slots=True)
class Ctes:
    """The common table expressions in sight, the nearest WITH first."""

    named: dict[str, Cte]
    outer: Ctes | None = None

    def find(self, name: str) -> Cte | None:
        """The one of that name in lower case."""
        found = self.named.get(name)
        if found is not None or self.outer is None:
            return found
        return self.outer.find(name)


NO_CTES = Ctes({})


@dataclass(frozen=True, slots=True)
class Environment:
    """Where a query stands: the scope whose names it sees, and how deep it lies in queries.

    ``depth`` counts rows, not brackets: a query in FROM has the depth of the query around it,
    one inside an expression a depth more. The difference of depths is the level of a reference.
    """

    parent: FromScope | None = None
    depth: int = 0
    ctes: Ctes = NO_CTES


@dataclass(slots=True)
class FromItem:
    """One named table of a FROM."""

    name: str
    """In lower case; empty without a name."""
    columns: tuple[str, ...]
    """As they are displayed."""
    start: int = 0
    """The position of its first column in the row."""
    hidden: frozenset[int] = frozenset()
    """Columns that ``*`` and names without a table pass over."""
    positions: dict[str, int] = field(default_factory=dict)
    """Lower-case names to columns; of equal names the first counts."""
    unnamed: dict[int, exp.Expr] = field(default_factory=dict)
    """The expressions behind columns that were given no name."""

    def __post_init__(self) -> None:
        for i, column in enumerate(self.columns):
            self.positions.setdefault(column.lower(), i)

    def position(self, name: str, table: str) -> int | None:
        """The place in the row of the column that a name means, None if it has none of that name.

        Of hidden columns only row ids are meant by a name without its table.
        """
        i = self.positions.get(name)
        if i is None or (not table and i in self.hidden and name not in ROWIDS):
            return None
        return self.start + i

    def moved(self, by: int) -> FromItem:
        """The same table with its columns further right."""
        return FromItem(
            self.name, self.columns, self.start + by, self.hidden, self.positions, self.unnamed
        )

    def hiding(self, columns: frozenset[int]) -> FromItem:
        """The same table with more columns passed over."""
        hidden = self.hidden | columns
        return FromItem(self.name, self.columns, self.start, hidden, self.positions, self.unnamed)


@dataclass(slots=True)
class FromScope:
    """The tables of one FROM, and what is known while the query around it is built."""

    environment: Environment
    sources: list[FromItem] = field(default_factory=list)
    merged: dict[str, tuple[int, Expression]] = field(default_factory=dict)
    """Columns of USING: the position of the first of them, and their common value."""
    merged_order: tuple[str, ...] = ()
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    """What the names after AS stand for."""
    aliases_seen: bool = False
    aliases_first: bool = False
    aggregates: list[AggregateCall] = field(default_factory=list)
    aggregates_allowed: bool = False
    windows: list[WindowCall] = field(default_factory=list)
    windows_allowed: bool = False
    named_windows: dict[str, exp.Window] = field(default_factory=dict)

    @property
    def depth(self) -> int:
        """How deep the row lies."""
        return self.environment.depth

    @property
    def width(self) -> int:
        """How many columns the row has."""
        last = self.sources[-1] if self.sources else None
        return last.start + len(last.columns) if last else 0

    def enclosing(self) -> Iterator[FromScope]:
        """This scope and those whose names it sees, from the inside out."""
        scope: FromScope | None = self
        while scope is not None:
            yield scope
            scope = scope.environment.parent

    def inside(self) -> Environment:
        """Where a query in one of its expressions stands."""
        return Environment(self, self.depth + 1, self.environment.ctes)

    def with_right(self, right: FromScope) -> FromScope:
        """The row of a join: this row, then another."""
        by = self.width
        merged = {
            name: (position + by, shift(value, by))
            for name, (position, value) in right.merged.items()
        }
        return FromScope(
            self.environment,
            self.sources + [source.moved(by) for source in right.sources],
            merged | self.merged,
            self.merged_order + right.merged_order,
        )

    def columns(self, table: str, name: str) -> list[tuple[int, Expression]]:
        """The columns that a name can mean, ``table`` empty where it stands alone: positions and
        values."""
        sources = [(source.name, source) for source in self.sources]
        positions = columns_named(table, [sources], lambda source: source.position(name, table))
        owner, value = self.merged.get(name, (-1, None))
        merged = value is not None and not table
        return [(p, value if merged and p == owner and value else Ref(p)) for p in positions]


ROWIDS = frozenset(("rowid", "oid", "_rowid_"))


def seen_from(scope: FromScope, owner: FromScope, value: Expression) -> Expression:
    """A value of one scope as an expression of a scope inside it."""
    return deepen(value, scope.depth - owner.depth)
