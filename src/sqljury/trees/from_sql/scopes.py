"""Resolves names: tables of a FROM, enclosing queries, common table expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from sqlglot import exp

from sqljury.schema import Schema, Table
from sqljury.sql.names import columns_named
from sqljury.trees.catalog import BySchema
from sqljury.trees.from_sql.reading import NoTreeError, plain, unsupported
from sqljury.trees.nodes import (
    AggregateCall,
    Call,
    Expression,
    Literal,
    Ref,
    Relation,
    Type,
    WindowCall,
)
from sqljury.trees.walk import deepen, shift

# ---------------------------------------------------------------- scopes


@dataclass(slots=True)
class Cte:
    """One common table expression; its tree is built again wherever it is read."""

    name: str
    node: exp.Expr
    columns: tuple[str, ...]
    environment: Environment
    """The environment of its definition; its ``ctes`` are those that it may read."""
    recursive: bool
    reading: bool = False
    """True while it is being built."""
    working: tuple[int, tuple[str, ...]] | None = None
    """While its recursive step is being built: how many steps enclose it, and its columns."""


@dataclass(frozen=True, slots=True)
class Ctes:
    """The visible common table expressions, the nearest WITH first."""

    named: dict[str, Cte]
    outer: Ctes | None = None

    def find(self, name: str) -> Cte | None:
        """The nearest one with that lower-case name, or None."""
        found = self.named.get(name)
        if found is not None or self.outer is None:
            return found
        return self.outer.find(name)


NO_CTES = Ctes({})


@dataclass(frozen=True, slots=True)
class Environment:
    """The surroundings of a query: the scope whose names it can read, and its nesting depth.

    A query in FROM has the depth of its enclosing query; a query inside an expression has one
    more. The difference of two depths is the level of a reference.
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
    """Lower-case alias or table name; empty without one."""
    columns: tuple[str, ...]
    """Column names as displayed."""
    start: int = 0
    """The position of its first column in the row."""
    hidden: frozenset[int] = frozenset()
    """Columns that ``*`` and unqualified names do not include."""
    positions: dict[str, int] = field(default_factory=dict)
    """Column index by lower-case name; the first one of several equal names."""
    unnamed: dict[int, exp.Expr] = field(default_factory=dict)
    """The expressions of columns without a name, by column index."""
    types: dict[int, str] = field(default_factory=dict)
    """The declared types of BigQuery's columns, by column index, as far as they are known."""
    fields: tuple[str, ...] = ()
    """The fields of the only column, a struct that UNNEST made: they are named like columns."""

    def __post_init__(self) -> None:
        for i, column in enumerate(self.columns):
            self.positions.setdefault(column.lower(), i)

    def position(self, name: str, table: str) -> int | None:
        """The index in the row of the column with that name; None if there is none.

        ``table`` is empty for an unqualified name, which finds no hidden columns but row ids and
        BigQuery's _TABLE_SUFFIX.
        """
        i = self.positions.get(name)
        unqualified = name in ROWIDS or name == TABLE_SUFFIX
        if i is None or (not table and i in self.hidden and not unqualified):
            return None
        return self.start + i

    def moved(self, by: int) -> FromItem:
        """The same table with its columns ``by`` places further right in the row."""
        return replace(self, start=self.start + by)

    def hiding(self, columns: frozenset[int]) -> FromItem:
        """The same table with more hidden columns."""
        return replace(self, hidden=self.hidden | columns)


@dataclass(slots=True)
class FromScope:
    """The tables of one FROM, and the state of the SELECT that is being built from it."""

    environment: Environment
    sources: list[FromItem] = field(default_factory=list)
    merged: dict[str, tuple[int, Expression]] = field(default_factory=dict)
    """Columns of USING by name: the index of the first one, and their common value."""
    merged_order: tuple[str, ...] = ()
    aliases: dict[str, exp.Expr] = field(default_factory=dict)
    """The expressions of the SELECT's aliases."""
    aliases_seen: bool = False
    aliases_first: bool = False
    aggregates: list[AggregateCall] = field(default_factory=list)
    aggregates_allowed: bool = False
    windows: list[WindowCall] = field(default_factory=list)
    windows_allowed: bool = False
    named_windows: dict[str, exp.Window] = field(default_factory=dict)

    @property
    def work(self) -> Work:
        """The state of the whole statement that is being built."""
        return self.environment.work

    @property
    def dialect(self) -> str:
        """sqlglot's name of the dialect that the statement is read in."""
        return self.environment.work.dialect

    @property
    def depth(self) -> int:
        """The nesting depth of the row; see :class:`Environment`."""
        return self.environment.depth

    def value(self, node: exp.Expr) -> Expression:
        """A syntax node as a tree expression over this scope's row.

        Raises:
            NoTreeError: the node is invalid, or trees cannot express it.
        """
        return self.work.value(node, self)

    @property
    def width(self) -> int:
        """The number of columns of the row."""
        last = self.sources[-1] if self.sources else None
        return last.start + len(last.columns) if last else 0

    def enclosing(self) -> Iterator[FromScope]:
        """This scope and the enclosing ones whose names it can read, from the inside out."""
        scope: FromScope | None = self
        while scope is not None:
            yield scope
            scope = scope.environment.parent

    def inside(self) -> Environment:
        """The environment of a subquery in one of this scope's expressions."""
        return Environment(self.work, self, self.depth + 1, self.environment.ctes)

    def with_right(self, right: FromScope) -> FromScope:
        """The scope of a join: this row's columns, then those of ``right``."""
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
        """The columns that a name can refer to, as (index, value); ``table`` is empty for an
        unqualified name."""
        sources = [(source.name, source) for source in self.sources]
        positions = columns_named(table, [sources], lambda source: source.position(name, table))
        owner, value = self.merged.get(name, (-1, None))
        merged = value is not None and not table
        found: list[tuple[int, Expression]] = [
            (p, value if merged and p == owner and value else Ref(p)) for p in positions
        ]
        found += [
            (source.start, member(name, Ref(source.start)))
            for source in self.sources
            if table in ("", source.name) and name in map(str.lower, source.fields)
        ]
        return found


def member(name: str, struct: Expression) -> Expression:
    """A field of one of BigQuery's structs, whose names ignore case."""
    return Call(f".{name.lower()}", (struct,))


ROWIDS = frozenset(("rowid", "oid", "_rowid_"))
TABLE_SUFFIX = "_table_suffix"
"""BigQuery's hidden column of a wildcard table."""


def seen_from(scope: FromScope, owner: FromScope, value: Expression) -> Expression:
    """A value of ``owner``'s scope as an expression of ``scope``, which is nested in it."""
    return deepen(value, scope.depth - owner.depth)


# ---------------------------------------------------------------- work
#
# The state while one statement's tree is built, with limits on its size.


# Common table expressions are built wherever they are read: thirty that each read the previous one
# twice would give a billion nodes. Trees are walked recursively, so their depth is limited, too.
_MAX_NODES = 20_000
_MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Item:
    """One output column of a SELECT, as an expression over FROM's row before grouping."""

    name: str
    expression: Expression
    named: bool
    """True if ORDER BY may refer to it by its name, even if FROM has a column of that name."""
    node: exp.Expr | None = None


@dataclass(frozen=True, slots=True)
class SelectItems:
    """The output columns and the scope of one SELECT, to match ORDER BY expressions with them."""

    items: tuple[Item, ...]
    scope: FromScope


@dataclass(frozen=True, slots=True)
class NamedRelation:
    """A query's relation with its column names.

    ``leaves`` are the SELECTs of a set operation (or the only one), ``unnamed`` the expressions of
    columns without a name.
    """

    relation: Relation
    names: tuple[str, ...]
    leaves: tuple[SelectItems, ...] = ()
    unnamed: dict[int, exp.Expr] = field(default_factory=dict)


@dataclass(slots=True)
class Work:
    """The state of one statement: its tables, its dialect, and the count of nodes and levels."""

    sql: str
    tables: dict[str, Table]
    dialect: str
    types: tuple[str, ...]
    build: Callable[[exp.Expr, Environment], NamedRelation]
    """Builds a subquery or a query in FROM."""
    value: Callable[[exp.Expr, FromScope], Expression]
    """Builds an expression."""
    row_ids: frozenset[str] = frozenset()
    """The aliases of tables whose row ids the text reads; an empty string for an unqualified row
    id."""
    exact: bool = False
    """True if names are those of :func:`sqljury.sql.resolve.exact_name`."""
    nodes: int = 0
    level: int = 0
    steps: int = 0
    """How many recursive steps are being built, nested in each other."""

    def enter(self) -> None:
        """Counts one node and one more level; the caller must decrement ``level`` afterwards.

        Raises:
            NoTreeError: the statement has too many nodes or levels.
        """
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
# Resolves a name to a value: columns, aliases, row ids, double-quoted strings.


def named_column(node: exp.Column, scope: FromScope) -> Expression:
    """The value that a column name refers to.

    Scopes are searched from the inside out. In each, columns come before aliases, except in
    BigQuery's and ClickHouse's GROUP BY and HAVING. In SQLite, an unknown double-quoted name is a
    string.

    Raises:
        NoTreeError: the name is unknown or ambiguous.
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
    if table and scope.dialect == "bigquery":
        value = _field(node, scope)
        if value is not None:
            return value
    full = f"{table}.{name}" if table else name
    raise NoTreeError(f"no column {full}", "unknown_name")


def _field(node: exp.Column, scope: FromScope) -> Expression | None:
    """A field of BigQuery's structs, ``column.field`` or ``table.column.field``; None if it is not
    one."""
    path = [identifier(part) for part in node.parts]
    # An element of UNNEST(…) AS name is meant before a column of that name.
    for own, table, name in ((1, path[0], path[0]), (1, "", path[0]), (2, path[0], path[1])):
        for seen in scope.enclosing():
            value = _in_scope(name, table, seen) if len(path) > own else None
            if value is not None:
                found = seen_from(scope, seen, value)
                for field_name in path[own:]:
                    found = member(field_name, found)
                return found
    return None


def identifier(node: exp.Expr | None) -> str:
    """The name of a node in lower case; empty for None."""
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


ALIASES_IN_SELECT = frozenset(("duckdb", "snowflake", "redshift", "databricks", "clickhouse"))
"""Dialects in which expressions of the SELECT list can refer to its aliases."""


def _of_alias(name: str, scope: FromScope) -> Expression:
    # An alias's expression cannot refer to itself: x + 1 AS x would recurse without end.
    seen, first, aliases = scope.aliases_seen, scope.aliases_first, scope.aliases
    scope.aliases_seen = scope.dialect in ALIASES_IN_SELECT
    scope.aliases_first = False
    scope.aliases = {other: node for other, node in aliases.items() if other != name}
    try:
        return scope.value(aliases[name])
    finally:
        scope.aliases_seen, scope.aliases_first, scope.aliases = seen, first, aliases


def _by_text(node: exp.Column, scope: FromScope) -> Expression | None:
    """A subquery's column without an alias, if the quoted name is the text of its expression; else
    None."""
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
