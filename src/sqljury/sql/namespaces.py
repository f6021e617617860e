"""Names that need more than their letters: tables of other schemas, and letter case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy

from sqljury.schema import Schema
from sqljury.sql.tokens import parse

# ------------------------------------------------------------
# Names that differ in the case of their letters only, in dialects where quotes keep the case.
# Names are looked up without regard to case here. Where that may find another one than the
# engine does, the query is not read.

_KEPT = (NormalizationStrategy.LOWERCASE, NormalizationStrategy.UPPERCASE)


def alike(names: Iterable[str], dialect: str) -> str:
    """A name that another differs from in case only, though the dialect tells them apart; else
    empty.

    >>> alike(["id", "Name", "name"], "postgres"), alike(["Name", "name"], "duckdb")
    ('name', '')
    """
    if not _keeps_case(dialect):
        return ""
    seen: dict[str, str] = {}
    return next((n for n in names if seen.setdefault(n.casefold(), n) != n), "")


def alike_in_schema(schema: Schema, tables: Iterable[str], dialect: str) -> str:
    """A table or a column of these tables that another of the schema is alike; else empty."""
    if not _keeps_case(dialect):
        return ""
    wanted = {name.casefold() for name in tables}
    read = [table for table in schema.tables if table.name.casefold() in wanted]
    columns = (alike([column.name for column in table.columns], dialect) for table in read)
    return alike([table.name for table in read], dialect) or next(filter(None, columns), "")


def confused(tree: exp.Expr, dialect: str) -> str:
    """A name that may be found in place of another that differs from it in case only; else empty.

    >>> from sqljury.sql.tokens import parse
    >>> confused(parse('SELECT a AS "X", b AS x FROM t ORDER BY x', "postgres"), "postgres")
    'X'
    >>> confused(parse('SELECT SUM(total) AS "Total" FROM t', "postgres"), "postgres")
    ''
    """
    if not _keeps_case(dialect):
        return ""
    references = list(tree.find_all(exp.Column))
    for name, select in _given(tree):
        for column in references:
            if _is_other(name, column.this, dialect) and _may_see(column, select):
                return str(name.this)
    sources = [alias.this for alias in tree.find_all(exp.TableAlias) if alias.this]
    sources += [table.this for table in tree.find_all(exp.Table) if not table.alias]
    return alike((_as_kept(n, dialect) for n in sources if isinstance(n, exp.Identifier)), dialect)


def _keeps_case(dialect: str) -> bool:
    return Dialect.get_or_raise(dialect).normalization_strategy in _KEPT


def _given(tree: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr | None]]:
    """The names of columns that a query makes, with the SELECT that makes them."""
    for alias in tree.find_all(exp.Alias):
        yield alias.args["alias"], alias.find_ancestor(exp.Select)
    for source in tree.find_all(exp.TableAlias):
        for name in source.columns:
            yield name, None


def _is_other(name: exp.Expr, other: exp.Expr, dialect: str) -> bool:
    if not (isinstance(name, exp.Identifier) and isinstance(other, exp.Identifier)):
        return False
    same = name.name.casefold() == other.name.casefold()
    return same and _as_kept(name, dialect) != _as_kept(other, dialect)


def _as_kept(name: exp.Identifier, dialect: str) -> str:
    return str(Dialect.get_or_raise(dialect).normalize_identifier(name.copy()).this)


def _may_see(column: exp.Column, select: exp.Expr | None) -> bool:
    """Whether a column may mean a name that a SELECT gives: outside of it, or bare in its end."""
    if select is None:
        return True
    above: exp.Expr = column
    while above.parent is not None and above.parent is not select:
        above = above.parent
    if above.parent is None:
        return True
    return isinstance(column.parent, exp.Ordered | exp.Group | exp.Having | exp.Distinct)


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
