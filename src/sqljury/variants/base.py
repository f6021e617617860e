"""Tools shared by all rewrites and mutations of queries: node changes and name resolution."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlglot import exp
from sqlglot.errors import SqlglotError

from sqljury.schema import Column, Schema, Table
from sqljury.sql.names import columns_named
from sqljury.sql.resolve import exact_name
from sqljury.sql.tokens import parse

MOST_NODES = 400
"""Queries with more syntax nodes get no variants: each variant copies the whole query."""

Change = Callable[[Any], object]
"""Changes a node of a copy of the query in place, which makes the copy a variant."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A query made from another one, and the kinds of the changes applied, in order."""

    sql: str
    kinds: tuple[str, ...]


ColumnValues = Mapping[tuple[str, str], Sequence[str | int | float]]
"""Some values of columns, by the case-folded names of table and column."""


@dataclass(frozen=True, slots=True)
class QueryContext:
    """What a change of a node may use: the schema and the query's tables.

    Args:
        tables: the tables of the query by their case-folded name or alias in it.
        values: values of columns, as :data:`ColumnValues`.
    """

    schema: Schema
    tables: Mapping[str, Table]
    values: ColumnValues = field(default_factory=dict)


Changes = Callable[["exp.Expr", QueryContext], Iterator[Change]]
"""Yields all changes of one kind that are possible at a node."""


def context_of(tree: exp.Expr, schema: Schema, values: ColumnValues | None = None) -> QueryContext:
    """The schema, and the tables of a query by their case-folded name or alias in it."""
    found = {}
    for node in tree.find_all(exp.Table):
        table = schema.table(node.name)
        if table is not None:
            found[node.alias_or_name.casefold()] = table
    return QueryContext(schema, found, values or {})


def changed(tree: exp.Expr, index: int, change: Change) -> exp.Expr | None:
    """A copy of a query with one of its nodes changed; None if the change fails at that node.

    Args:
        index: the node's position in the tree's ``walk``.
    """
    # With a parent of its own the root can be replaced, too.
    holder = exp.Paren(this=tree.copy())
    node = next(node for number, node in enumerate(holder.this.walk()) if number == index)
    try:
        change(node)
    except (SqlglotError, ValueError, AttributeError, RecursionError):
        return None
    found = holder.this
    return found.pop() if isinstance(found, exp.Expr) else None


def text_of(tree: exp.Expr, dialect: str) -> str | None:
    """A query as SQL text; None if sqlglot cannot write it in the dialect."""
    try:
        return str(tree.sql(dialect=dialect))
    except (SqlglotError, TypeError, ValueError, AttributeError, RecursionError):
        return None


def quote_new_names(tree: exp.Expr, schema: Schema, dialect: str) -> None:
    """Quotes, in place, the schema's column names that a change wrote into a query, if the dialect
    would take them for other names without quotes."""
    for column in tree.find_all(exp.Column):
        name = column.this
        is_new = isinstance(name, exp.Identifier) and "start" not in name.meta
        if is_new and exact_name(name.this, dialect) != name.this:
            known = any(one.name == name.this for table in schema.tables for one in table.columns)
            name.set("quoted", known or name.args.get("quoted"))


def readable(sql: str, schema: Schema, dialect: str) -> exp.Expr | None:
    """The syntax tree of a query; None if it is too large, no query, or has no output columns.

    A name in double quotes that no column has becomes a text literal. SQLite and MySQL read it so,
    and in a variant with other tables it could turn into a column.
    """
    tree = parse(sql, dialect)
    large = tree is None or sum(1 for _ in tree.walk()) > MOST_NODES
    if large or not isinstance(tree, exp.Query) or not tree.selects:
        return None
    if dialect in ("sqlite", "mysql"):
        known = {c.name.casefold() for table in schema.tables for c in table.columns}
        known |= {one.alias.casefold() for one in tree.find_all(exp.Alias)}
        for column in list(tree.find_all(exp.Column)):
            quoted = bool(column.this.args.get("quoted")) and not column.table
            if quoted and column.name.casefold() not in known:
                column.replace(exp.Literal.string(column.name))
    return tree


# ---------------------------------------------------------------- looking names up


@dataclass(frozen=True, slots=True)
class ColumnOrigin:
    """The column of the schema that a query's column refers to; its table and that one's alias."""

    source: str
    table: Table
    column: Column

    @property
    def unique(self) -> bool:
        """True if the schema declares the column unique by itself."""
        return is_unique(self.table, {self.column.name.casefold()})


def is_unique(table: Table, columns: set[str]) -> bool:
    """True if a key of the table consists of some of these columns (case-folded)."""
    keys = [key for key in (table.primary_key, *table.unique) if key]
    return any({name.casefold() for name in key} <= columns for key in keys)


def sources_of(select: exp.Expr) -> list[exp.Expr]:
    """The tables and subqueries in FROM and JOIN of a SELECT, in order."""
    first = select.args.get("from_")
    joins = select.args.get("joins") or []
    return [*([first.this] if first is not None else []), *(join.this for join in joins)]


def origin_of(column: exp.Expr, context: QueryContext) -> ColumnOrigin | None:
    """The schema column that a name refers to; None if it is of no table, or unknown."""
    if not isinstance(column, exp.Column):
        return None
    qualifier = column.table.casefold()
    found = columns_named(
        qualifier, _enclosing(column), lambda source: _origin_in(source, column, context)
    )
    return found[0] if found and isinstance(found[0], ColumnOrigin) else None


def _enclosing(column: exp.Expr) -> Iterator[list[tuple[str, exp.Expr]]]:
    """The sources with their names: of the column's SELECT, then of each enclosing SELECT."""
    select = column.find_ancestor(exp.Select)
    while select is not None:
        yield [(source.alias_or_name.casefold(), source) for source in sources_of(select)]
        select = select.find_ancestor(exp.Select)


_NO_TABLE = "no table"
"""Found instead of an origin: the column may belong to a subquery or common table expression."""


def _origin_in(
    source: exp.Expr, column: exp.Column, context: QueryContext
) -> ColumnOrigin | str | None:
    if not isinstance(source, exp.Table):
        is_its = column.table or column.name.casefold() in _outputs(source)
        return _NO_TABLE if is_its else None
    table = context.schema.table(source.name)
    if table is None:
        return None if column.table else _NO_TABLE
    found = table.column(column.name)
    return None if found is None else ColumnOrigin(source.alias_or_name, table, found)


def _outputs(source: exp.Expr) -> set[str]:
    inner = source.this if isinstance(source, exp.Subquery) else None
    return {n.casefold() for n in inner.named_selects} if isinstance(inner, exp.Query) else set()


def own_columns(select: exp.Expr) -> Iterator[exp.Column]:
    """The columns in a SELECT itself, without those in its subqueries."""
    for column in select.find_all(exp.Column):
        if column.find_ancestor(exp.Query) is select:
            yield column


def qualify(select: exp.Expr, context: QueryContext) -> None:
    """Qualifies each column of a SELECT with the name of its table, in place, where known."""
    for column in select.find_all(exp.Column):
        home = origin_of(column, context) if not column.table else None
        if home is not None:
            column.set("table", exp.to_identifier(home.source))


def parts(condition: exp.Expr | None) -> list[exp.Expr]:
    """The operands of a condition's AND, or the condition alone; empty for None."""
    if condition is None:
        return []
    condition = condition.unnest()
    return list(condition.flatten()) if isinstance(condition, exp.And) else [condition]


def all_of(conditions: list[exp.Expr]) -> exp.Expr | None:
    """Copies of the conditions joined by AND; None if there are none."""
    copies = [one.copy() for one in conditions]
    if not copies:
        return None
    found = copies[0]
    for one in copies[1:]:
        found = exp.And(this=_in_and(found), expression=_in_and(one))
    return found


def _in_and(condition: exp.Expr) -> exp.Expr:
    return exp.Paren(this=condition) if isinstance(condition, exp.Or) else condition


def with_operands(other: type[exp.Expr], **more: bool) -> Change:
    """A change that replaces a binary operator and keeps its operands."""
    return lambda n: n.replace(other(this=n.this, expression=n.expression, **more))


def limit_of(select: exp.Expr) -> str:
    """The number of rows in a LIMIT or FETCH; empty without one, or if it is no constant."""
    limit = select.args.get("limit")
    count = None if limit is None else limit.expression or limit.args.get("count")
    return str(count.name) if isinstance(count, exp.Literal) else ""


def is_inner(join: exp.Expr) -> bool:
    """True for ``JOIN`` or ``INNER JOIN``, with ON or without; not for USING or NATURAL."""
    kinds = (join.args.get(name) for name in ("side", "method", "using"))
    return not any(kinds) and str(join.args.get("kind") or "INNER").upper() in ("INNER", "")


def tables_in(condition: exp.Expr) -> set[str]:
    """The case-folded table qualifiers of a condition's columns; ``""`` for an unqualified one."""
    return {str(column.table).casefold() for column in condition.find_all(exp.Column)}


def free_name(query: exp.Expr, stem: str) -> str:
    """A name that no table, subquery or common table expression of a query has."""
    sources = query.root().find_all(exp.Table, exp.Subquery, exp.CTE)
    taken = {str(one.alias_or_name).casefold() for one in sources}
    number, name = 0, stem
    while name in taken:
        number += 1
        name = f"{stem}{number}"
    return name


def renamed(select: exp.Expr, old: str, new: str) -> None:
    """Renames a source of a SELECT in place; the columns must be qualified already."""
    wanted = old.casefold()
    for source in sources_of(select):
        if source.alias_or_name.casefold() == wanted:
            plain = isinstance(source, exp.Table) and source.name == new
            alias = None if plain else exp.TableAlias(this=exp.to_identifier(new))
            source.set("alias", alias)
    for column in select.find_all(exp.Column):
        if column.table.casefold() == wanted and not _hidden(column, select, wanted):
            column.set("table", exp.to_identifier(new))


def _hidden(column: exp.Expr, select: exp.Expr, name: str) -> bool:
    """True if a SELECT between the column and ``select`` has a source of the same name."""
    inner = column.find_ancestor(exp.Select)
    while inner is not None and inner is not select:
        if any(one.alias_or_name.casefold() == name for one in sources_of(inner)):
            return True
        inner = inner.find_ancestor(exp.Select)
    return False


def null_of_nothing(select: exp.Query) -> bool:
    """True if a query outputs an aggregate that is NULL over no rows: any but COUNT."""
    return any(
        not isinstance(found, exp.Count)
        for shown in select.selects
        for found in shown.find_all(exp.AggFunc)
    )
