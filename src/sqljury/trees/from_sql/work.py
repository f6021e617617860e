"""What is known while one statement's tree is built, and how much work that may be."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlglot import exp

from sqljury.schema import Schema, Table
from sqljury.trees.catalog import BySchema
from sqljury.trees.from_sql.scopes import Environment, FromScope, NoTreeError
from sqljury.trees.nodes import Expression, Relation

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
    build: Callable[[Work, exp.Expr, Environment], NamedRelation]
    """Builds a query inside an expression."""
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
