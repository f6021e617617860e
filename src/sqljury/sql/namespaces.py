"""Tables outside of the default schema: ``sales.customer`` as one name that a schema knows."""

from __future__ import annotations

from sqlglot import exp

from sqljury.schema import Schema
from sqljury.sql.tokens import parse


def without_namespaces(sql: str, schema: Schema, dialect: str) -> str:
    """The query with each table called as the schema calls it, in one quoted name.

    The text stays as it is where no table is named with its schema, or it cannot be parsed.

    >>> from sqljury.schema import Table
    >>> schema = Schema(dialect="postgres", tables=(Table(name="hr.staff", columns=()),))
    >>> without_namespaces("SELECT staff.id FROM hr.staff", schema, "postgres")
    'SELECT staff.id FROM "hr.staff" AS staff'
    """
    if "." not in sql:
        return sql
    tree = parse(sql, dialect)
    if tree is None or not rename_tables(tree, schema):
        return sql
    return tree.sql(dialect)


def rename_tables(tree: exp.Expr, schema: Schema) -> bool:
    """Give the tables of a query the schema's names, in place; whether that changed any."""
    known = {table.name.casefold(): table for table in schema.tables}
    called: dict[tuple[str, str], str] = {}
    """The names that columns know the tables by, under schema and name."""
    for table in tree.find_all(exp.Table):
        if not table.db or not isinstance(table.this, exp.Identifier):
            continue
        key = (table.db.casefold(), table.name.casefold())
        found = known.get(".".join(key)) or known.get(key[1])
        if found is None:
            continue
        # A table of that name elsewhere is not the one that is named.
        elsewhere = found.namespace.casefold() not in ("", key[0])
        name = ".".join(key) if elsewhere else found.name
        if not table.alias:
            alias = key[1] if key[1] not in called.values() else "_".join(key)
            table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
        called[key] = table.alias
        table.set("this", exp.to_identifier(name, quoted=True))
        _drop_namespace(table)
    for column in tree.find_all(exp.Column):
        own = called.get((column.db.casefold(), column.table.casefold()))
        if own is not None:
            column.set("table", exp.to_identifier(own))
            _drop_namespace(column)
    return bool(called)


def _drop_namespace(node: exp.Expr) -> None:
    for part in ("db", "catalog"):
        node.set(part, None)


def as_table(name: str, dialect: str) -> exp.Table:
    """A table by the name that a schema has for it, quoted; a namespace stands before it."""
    # Tables outside of the search path are known as schema.table.
    qualified = dialect in ("postgres", "duckdb")
    namespace, _, own = name.rpartition(".") if qualified else ("", "", name)
    return exp.table_(own, db=namespace or None, quoted=True)
