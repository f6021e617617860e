"""What names mean: the tables of a FROM, the queries around it, common table expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from sqlglot import exp

from sqljury.schema import Schema, Table
from sqljury.sql.names import columns_named
from sqljury.trees.catalog import BySchema
from sqljury.trees.from_sql.reading import NoTreeError, plain, unsupported
from sqljury.trees.nodes import AggregateCall, Expression, Literal, Ref, Relation, Type, WindowCall
from sqljury.trees.walk import deepen, shift

# ---------------------------------------------------------------- scopes


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

    work: Work
    parent: FromScope | None = None
    depth: int = 0
    ctes: Ctes = NO_CTES

    @property
    def dialect(self) -> str:
        """sqlglot's name of the dialect that the statement is read in."""
        return self.work.dialect


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
    def work(self) -> Work:
        """The statement that is built."""
        return self.environment.work

    @property
    def dialect(self) -> str:
        """sqlglot's name of the dialect that the statement is read in."""
        return self.environment.work.dialect

    @property
    def depth(self) -> int:
        """How deep the row lies."""
        return self.environment.depth

    def value(self, node: exp.Expr) -> Expression:
        """The value of a node for a row of this scope.

        Raises:
            NoTreeError: it has none, or trees cannot express it.
        """
        return self.work.value(node, self)

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
        return Environment(self.work, self, self.depth + 1, self.environment.ctes)

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


# ---------------------------------------------------------------- work
#
# What is known while one statement's tree is built, and how much work that may be.


# Common table expressions are built wherever they are read: thirty that each read the one before
# twice would be a billion nodes. Trees are walked recursively, so their depth is bounded, too.
_MAX_NODES = 20_000
_MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Item:
    """One output column of a SELECT as its row sees it, before grouping."""

    name: str
    expression: Expression
    named: bool
    """Whether ORDER BY may call it by its name alone, whatever columns FROM has."""
    node: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class SelectItems:
    """One SELECT, for those who look for an expression among its columns."""

    items: tuple[Item, ...]
    scope: FromScope


@dataclass(frozen=True, slots=True)
class NamedRelation:
    """A relation with the names of its columns."""

    relation: Relation
    names: tuple[str, ...]
    leaves: tuple[SelectItems, ...] = ()
    unnamed: dict[int, exp.Expr] = field(default_factory=dict)


@dataclass(slots=True)
class Work:
    """One statement: its schema, its dialect's ways, and the budget."""

    sql: str
    tables: dict[str, Table]
    dialect: str
    types: tuple[str, ...]
    build: Callable[[exp.Expr, Environment], NamedRelation]
    """Builds a query inside an expression."""
    value: Callable[[exp.Expr, FromScope], Expression]
    """Builds an expression."""
    row_ids: frozenset[str] = frozenset()
    """The tables, by alias, of which the text asks row ids; empty: of some table."""
    nodes: int = 0
    level: int = 0
    steps: int = 0
    """Steps of recursive queries that are being built, one inside the other."""

    def enter(self) -> None:
        """Count one node, one level deeper; the caller leaves by ``level -= 1``."""
        self.nodes += 1
        self.level += 1
        if self.nodes > _MAX_NODES:
            raise NoTreeError(f"its tree has more than {_MAX_NODES} nodes", "too_large")
        if self.level > _MAX_DEPTH:
            raise NoTreeError(f"its tree is more than {_MAX_DEPTH} levels deep", "too_deep")


def _tables_by_name(schema: Schema) -> dict[str, Table]:
    return {table.name.lower(): table for table in reversed(schema.tables)}


tables_by_name = BySchema(_tables_by_name)
"""A schema's tables by their names in lower case."""


# ---------------------------------------------------------------- names
#
# From a column's name to its value: columns, aliases, row ids, double-quoted strings.


def named_column(node: exp.Column, scope: FromScope) -> Expression:
    """The value of a name.

    In each scope, from the inside out, columns come before aliases (BigQuery's GROUP BY and HAVING
    excepted). SQLite takes a double-quoted name that means nothing as a string.

    Raises:
        NoTreeError: the name means nothing, or more than one thing.
    """
    if node.args.get("join_mark"):
        raise unsupported("(+) for an outer join")
    name = identifier(node)
    table = identifier(node.args.get("table"))
    for seen in scope.enclosing():
        value = _in_scope(name, table, seen)
        if value is not None:
            return seen_from(scope, seen, value)
    if not table:
        value = _by_text(node, scope) or _as_string(node, scope)
        if value is not None:
            return value
    full = f"{table}.{name}" if table else name
    raise NoTreeError(f"no column {full}", "unknown_name")


def identifier(node: exp.Expr | None) -> str:
    """A name in lower case; empty where there is none."""
    return plain(node.name).lower() if node is not None else ""


def _in_scope(name: str, table: str, scope: FromScope) -> Expression | None:
    if not table and scope.aliases_first and name in scope.aliases:
        return _of_alias(name, scope)
    found = scope.columns(table, name)
    if len(found) == 1:
        return found[0][1]
    if found:
        raise NoTreeError(
            f"{table + '.' if table else ''}{name} is in several tables", "ambiguous_name"
        )
    if not table and scope.aliases_seen and name in scope.aliases:
        return _of_alias(name, scope)
    return None


def _of_alias(name: str, scope: FromScope) -> Expression:
    # An alias does not see the aliases beside it: x + 1 AS x would never end.
    seen, first = scope.aliases_seen, scope.aliases_first
    scope.aliases_seen = scope.aliases_first = False
    try:
        return scope.value(scope.aliases[name])
    finally:
        scope.aliases_seen, scope.aliases_first = seen, first


def _by_text(node: exp.Column, scope: FromScope) -> Expression | None:
    """A column of a subquery without an alias, called by the text of its expression."""
    if not node.this.args.get("quoted"):
        return None
    wanted = _squeezed(node.name)
    for seen in scope.enclosing():
        for source in seen.sources:
            for i, expression in source.unnamed.items():
                if _squeezed(expression.sql()) == wanted:
                    return seen_from(scope, seen, Ref(source.start + i))
    return None


def _squeezed(text: str) -> str:
    return "".join(text.split()).replace("\0", "").replace('"', "").lower()


def _as_string(node: exp.Column, scope: FromScope) -> Expression | None:
    if scope.dialect != "sqlite" or not node.this.args.get("quoted"):
        return None
    start = node.this.meta.get("start")
    if start is not None and scope.work.sql[start : start + 1] != '"':
        return None
    return Literal(node.name, Type.TEXT)
