"""Which names of a query the schema knows, and with which values it compares which columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqljury.schema import Schema
from sqljury.sql.names import columns_named
from sqljury.sql.namespaces import as_table, rename_tables
from sqljury.sql.tokens import parse

if TYPE_CHECKING:
    from sqlglot.optimizer.scope import Scope

# SQLite's names of the row number; every table has them.
_ROW_IDS = frozenset({"rowid", "oid", "_rowid_"})


@dataclass(frozen=True, slots=True)
class ComparedConstant:
    """A comparison of a column with a constant: ``table.column = value`` or ``LIKE value``."""

    table: str
    column: str
    value: str
    """The constant as SQL."""
    is_pattern: bool

    def statement(self, dialect: str) -> str:
        """The statement that returns a row where the column has such a value.

        >>> ComparedConstant("a b", "c", "7", is_pattern=False).statement("sqlite")
        'SELECT 1 FROM "a b" WHERE "c" = 7 LIMIT 1'
        """
        column = exp.to_identifier(self.column, quoted=True).sql(dialect)
        table = as_table(self.table, dialect).sql(dialect)
        operator = "LIKE" if self.is_pattern else "="
        return f"SELECT 1 FROM {table} WHERE {column} {operator} {self.value} LIMIT 1"


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a query names. Names are as the query spells them, each once."""

    unknown_tables: tuple[str, ...]
    unknown_columns: tuple[str, ...]
    sought: tuple[ComparedConstant, ...]
    """Equality with, membership in and likeness to constants, of columns whose table is known."""


def resolve(sql: str, dialect: str, schema: Schema) -> Resolved | None:
    """Look every name of a query up in the schema; None where the text cannot be read as a query.

    What is in double quotes and no column is a text in SQLite and MySQL. Columns of subqueries and
    common tables are looked up among their output columns.

    >>> from sqljury.schema import Column, Table
    >>> schema = Schema(dialect="sqlite", tables=(Table(name="t", columns=(Column(name="a"),)),))
    >>> found = resolve("SELECT b FROM t WHERE a = 'x'", "sqlite", schema)
    >>> found.unknown_columns, found.sought[0].value
    (('b',), "'x'")
    """
    from sqlglot.optimizer.scope import traverse_scope

    tree = parse(sql, dialect)
    if not isinstance(tree, exp.Query) or not tree.selects:
        return None
    rename_tables(tree, schema)
    lookup = _Lookup(schema, quoted_texts=dialect in ("sqlite", "mysql"))
    try:
        scopes = traverse_scope(tree)
        sought = [one for scope in scopes for one in lookup.scope(scope, dialect)]
    except (SqlglotError, RecursionError):
        return None
    return Resolved(
        tuple(dict.fromkeys(lookup.unknown_tables)),
        tuple(dict.fromkeys(lookup.unknown_columns)),
        tuple(dict.fromkeys(sought)),
    )


class _Lookup:
    """One pass over the scopes of a query."""

    def __init__(self, schema: Schema, *, quoted_texts: bool) -> None:
        self.unknown_tables: list[str] = []
        self.unknown_columns: list[str] = []
        self._columns = {
            table.name.casefold(): {column.name.casefold() for column in table.columns}
            for table in schema.tables
        }
        self._quoted_texts = quoted_texts

    def scope(self, scope: Scope, dialect: str) -> Iterator[ComparedConstant]:
        """Look the names of one SELECT up; its comparisons with constants."""
        for source in scope.sources.values():
            if isinstance(source, exp.Table) and not self._has(source):
                self.unknown_tables.append(source.name)
        for column in scope.find_all(exp.Column):
            table = self._home(column, scope)
            if table is None:
                self.unknown_columns.append(_spelled(column))
            elif table:
                yield from _sought(column, table, dialect)

    def _home(self, column: exp.Column, scope: Scope) -> str | None:
        """The table of a column: empty where it is none of the schema's, None where unknown."""
        name, qualifier = column.name.casefold(), column.table.casefold()
        found = columns_named(
            qualifier, _enclosing(scope), lambda source: self._within(name, source)
        )
        if found:
            return found[0]
        if qualifier:
            return None
        is_text = self._quoted_texts and bool(column.this.args.get("quoted"))
        star = isinstance(column.this, exp.Star)
        return "" if is_text or star or name in _own_names(column, scope) else None

    def _within(self, name: str, source: exp.Table | Scope) -> str | None:
        if isinstance(source, exp.Table):
            columns = self._columns.get(source.name.casefold())
            if columns is None:
                # What an unknown table or a function in FROM has, nobody knows.
                return ""
            return source.name if name in columns or name in _ROW_IDS or name == "*" else None
        selects = {one.casefold() for one in source.outer_columns or _outputs(source.expression)}
        # A star passes on what its own sources have, and a VALUES names nothing.
        return "" if name in selects or "*" in selects or name == "*" or not selects else None

    def _has(self, table: exp.Table) -> bool:
        is_function = not isinstance(table.this, exp.Identifier)
        return is_function or table.name.casefold() in self._columns


def _enclosing(scope: Scope) -> Iterator[list[tuple[str, exp.Table | Scope]]]:
    """What a SELECT reads, then what the queries around it read, by their names there."""
    at: Scope | None = scope
    while at is not None:
        yield [(name.casefold(), source) for name, source in at.sources.items()]
        at = at.parent


def _own_names(column: exp.Column, scope: Scope) -> set[str]:
    """Names that the SELECT itself gives, where the column may use them."""
    # A recursive query knows itself by the names that WITH gives it.
    names = list(scope.outer_columns)
    query = scope.expression
    if isinstance(query, exp.SetOperation):
        names += query.named_selects
    elif isinstance(query, exp.Query) and not _in_select_list(column, query):
        names += [one.alias for one in query.selects if isinstance(one, exp.Alias)]
    return {name.casefold() for name in names}


def _in_select_list(column: exp.Column, query: exp.Expr) -> bool:
    node: exp.Expr = column
    while node.parent is not None and node.parent is not query:
        node = node.parent
    return node.arg_key == "expressions"


def _outputs(query: exp.Expr) -> list[str]:
    return query.named_selects if isinstance(query, exp.Query) else []


def _spelled(column: exp.Column) -> str:
    return ".".join(filter(None, (column.table, column.name)))


def _sought(column: exp.Column, table: str, dialect: str) -> Iterator[ComparedConstant]:
    """The constants that a column is compared with, where it stands."""
    parent = column.parent
    if isinstance(parent, exp.EQ | exp.Like | exp.ILike):
        other = parent.expression if parent.this is column else parent.this
        others = [other]
    elif isinstance(parent, exp.In) and parent.this is column:
        others = parent.expressions
    else:
        return
    # Under a NOT nobody expects the value to be there.
    if isinstance(parent.parent, exp.Not) or parent.args.get("negate"):
        return
    for one in others:
        text = _constant(one)
        if text is not None:
            pattern = isinstance(parent, exp.Like | exp.ILike)
            yield ComparedConstant(table, column.name, text.sql(dialect), pattern)


def _constant(node: exp.Expr) -> exp.Expr | None:
    """A literal, or a name in double quotes that stands for a text."""
    if isinstance(node, exp.Literal):
        return node
    if isinstance(node, exp.Column) and not node.table and node.this.args.get("quoted"):
        return exp.Literal.string(node.name)
    return None
