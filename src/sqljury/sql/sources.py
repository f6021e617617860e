"""Which of a schema's tables a query is about, and a statement that shows some of their values."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from sqlglot import exp

from sqljury.schema import Schema, Table
from sqljury.sql.namespaces import as_table
from sqljury.sql.tokens import parse, tokenize


def tables_of(sql: str, dialect: str, schema: Schema) -> tuple[Table, ...] | None:
    """The tables of the schema that a query names, in the schema's order.

    In a query that cannot be parsed every word that is a table's name counts; None where the
    text cannot even be cut into words.

    >>> from sqljury.schema import Table
    >>> schema = Schema(dialect="sqlite", tables=(Table(name="a", columns=()),))
    >>> [t.name for t in tables_of("SELECT 'b' FROM A", "sqlite", schema) or ()]
    ['a']
    """
    tree = parse(sql, dialect)
    if tree is not None:
        found = {part for table in tree.find_all(exp.Table) for part in _names(table)}
        return _named(found, schema)
    tokens = tokenize(sql, dialect)
    return None if tokens is None else _named({t.text.casefold() for t in tokens}, schema)


def _names(table: exp.Table) -> tuple[str, str]:
    name = table.name.casefold()
    return name, f"{table.db.casefold()}.{name}"


def _named(names: set[str], schema: Schema) -> tuple[Table, ...]:
    return tuple(table for table in schema.tables if table.name.casefold() in names)


def neighbours_of(tables: Iterable[Table], schema: Schema) -> tuple[Table, ...]:
    """The tables that foreign keys connect with some tables, in either direction.

    In the schema's order; the tables themselves are not among them.
    """
    own = {table.name.casefold() for table in tables}
    pairs = [
        (table.name.casefold(), key.target_table.casefold())
        for table in schema.tables
        for key in table.foreign_keys
    ]
    near = {b for a, b in pairs if a in own} | {a for a, b in pairs if b in own}
    return _named(near - own, schema)


@lru_cache(maxsize=4096)
def some_values(table: str, column: str, dialect: str, most: int) -> str:
    """The statement that returns the first distinct values of a column, in their own order.

    >>> some_values("a b", "c", "mysql", 3)
    'SELECT DISTINCT `c` FROM `a b` WHERE NOT `c` IS NULL ORDER BY 1 LIMIT 3'
    """
    quoted = exp.column(column, quoted=True)
    source = as_table(table, dialect)
    query = exp.select(quoted).distinct().from_(source).where(quoted.copy().is_(exp.null()).not_())
    return query.order_by(exp.Literal.number(1)).limit(most).sql(dialect)
