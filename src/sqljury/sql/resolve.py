"""Resolves the tables and columns of a query against a schema: namespaces, letter case, unknown
names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy
from sqlglot.errors import SqlglotError

from sqljury.schema import Schema, Table
from sqljury.sql.names import columns_named
from sqljury.sql.tokens import parse, tokenize

if TYPE_CHECKING:
    from sqlglot.optimizer.scope import Scope

# ------------------------------------------------------------
# Names that differ only in case, in dialects where quoted names keep their case. sqljury resolves
# names without regard to case. If that may find another name than the engine does, the query is
# not analysed.

_KEPT = (NormalizationStrategy.LOWERCASE, NormalizationStrategy.UPPERCASE)


def alike(names: Iterable[str], dialect: str) -> str:
    """The first name that differs only in case from an earlier one, in a dialect that distinguishes
    them; else empty.

    >>> alike(["id", "Name", "name"], "postgres"), alike(["Name", "name"], "duckdb")
    ('name', '')
    """
    if not _keeps_case(dialect):
        return ""
    seen: dict[str, str] = {}
    return next((n for n in names if seen.setdefault(n.casefold(), n) != n), "")


def alike_in_schema(schema: Schema, tables: Iterable[str], dialect: str) -> str:
    """A name of these tables or their columns that differs only in case from another such name.

    Empty if there is none, or the dialect ignores case.
    """
    if not _keeps_case(dialect):
        return ""
    wanted = {name.casefold() for name in tables}
    read = [table for table in schema.tables if table.name.casefold() in wanted]
    columns = (alike([column.name for column in table.columns], dialect) for table in read)
    return alike([table.name for table in read], dialect) or next(filter(None, columns), "")


def confused(tree: exp.Expr, dialect: str) -> str:
    """A name in a query that may be taken for another that differs only in case; else empty.

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


_CASE = "\x01"
"""Separates a name from its case pattern; see :func:`exact_name`."""


def tell_apart(tree: exp.Expr, dialect: str) -> None:
    """Renames, in place, the identifiers of a query by :func:`exact_name`.

    Afterwards names that the dialect distinguishes differ without regard to case, too.
    """
    for name in tree.find_all(exp.Identifier):
        if name.arg_key != "expression" or not isinstance(name.parent, exp.Dot):
            name.set("this", exact_name(_as_kept(name, dialect), dialect))


def exact_name(name: str, dialect: str) -> str:
    """A name as the engine keeps it, with its case pattern behind it unless it is all in the case
    of unquoted names, or the dialect ignores case.

    >>> exact_name("ID", "snowflake") == "ID", exact_name("Id", "snowflake") == "Id"
    (True, False)
    """
    plain = exp.Identifier(this=name, quoted=False)
    if not _keeps_case(dialect) or name == _as_kept(plain, dialect):
        return name
    return f"{name}{_CASE}{''.join('U' if c.isupper() else 'l' for c in name)}"


def shown_name(name: str) -> str:
    """The name without the case pattern of :func:`exact_name`."""
    return name.partition(_CASE)[0]


def _keeps_case(dialect: str) -> bool:
    return Dialect.get_or_raise(dialect).normalization_strategy in _KEPT


def _given(tree: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr | None]]:
    """The column aliases of a query, each with its SELECT (None for those of a table alias)."""
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
    """True if a column reference can refer to an alias of the SELECT.

    It can if it is outside of the SELECT, or alone in its GROUP BY, HAVING, ORDER BY or DISTINCT.
    """
    if select is None:
        return True
    above: exp.Expr = column
    while above.parent is not None and above.parent is not select:
        above = above.parent
    if above.parent is None:
        return True
    return isinstance(column.parent, exp.Ordered | exp.Group | exp.Having | exp.Distinct)


def without_namespaces(sql: str, schema: Schema, dialect: str) -> str:
    """The query with each qualified table renamed to the schema's name for it, as one quoted name.

    Returns the text unchanged if no table is qualified, or it cannot be parsed.

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
    ctes = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    if any(is_qualified(t) and t.name.casefold() in ctes for t in tree.find_all(exp.Table)):
        return sql  # without its namespace the table would be taken for the query of that name
    return tree.sql(dialect)


def is_qualified(table: exp.Table) -> bool:
    """True if :func:`rename_tables` removed the table's namespace, so that it names no CTE."""
    return bool(table.meta.get("qualified"))


def rename_tables(tree: exp.Expr, schema: Schema) -> bool:
    """Renames qualified tables of a query to the schema's names, in place; True if any changed."""
    known = {table.name.casefold(): table for table in schema.tables}
    called: dict[tuple[str, str], str] = {}
    """The alias of each renamed table, by (namespace, name)."""
    for table in tree.find_all(exp.Table):
        if not table.db or not isinstance(table.this, exp.Identifier):
            continue
        key = (table.db.casefold(), table.name.casefold())
        found = known.get(".".join(key)) or known.get(key[1])
        if found is None:
            continue
        # A table of that name in another namespace is a different table.
        elsewhere = found.namespace.casefold() not in ("", key[0])
        name = ".".join(key) if elsewhere else found.name
        if not table.alias:
            taken = key[1] in map(str.casefold, called.values())
            alias = exp.to_identifier("_".join(key)) if taken else table.this.copy()
            table.set("alias", exp.TableAlias(this=alias))
        called[key] = table.alias
        table.meta["qualified"] = True
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
    """A quoted table node from the schema's name for it, with its namespace if it has one."""
    # Tables outside of the search path are known as schema.table.
    qualified = dialect in ("postgres", "duckdb")
    namespace, _, own = name.rpartition(".") if qualified else ("", "", name)
    return exp.table_(own, db=namespace or None, quoted=True)


# ------------------------------------------------------------
# Which of a schema's tables a query reads, and a statement that returns some of their values.


def tables_of(sql: str, dialect: str, schema: Schema) -> tuple[Table, ...] | None:
    """The tables of the schema that a query names, in the schema's order.

    If the query cannot be parsed, every word that is a table's name counts; None if the text
    cannot be tokenized either.

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
    """The other tables that foreign keys connect with these, in either direction.

    In the schema's order, without the given tables.
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
    """The statement that returns the first ``most`` distinct non-NULL values of a column, sorted.

    >>> some_values("a b", "c", "mysql", 3)
    'SELECT DISTINCT `c` FROM `a b` WHERE NOT `c` IS NULL ORDER BY 1 LIMIT 3'
    """
    quoted = exp.column(column, quoted=True)
    source = as_table(table, dialect)
    query = exp.select(quoted).distinct().from_(source).where(quoted.copy().is_(exp.null()).not_())
    return query.order_by(exp.Literal.number(1)).limit(most).sql(dialect)


# ------------------------------------------------------------
# Which names of a query the schema lacks, and the constants that its columns are compared with.

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
        """The statement that returns a row if the column has such a value.

        >>> ComparedConstant("a b", "c", "7", is_pattern=False).statement("sqlite")
        'SELECT 1 FROM "a b" WHERE "c" = 7 LIMIT 1'
        """
        column = exp.to_identifier(self.column, quoted=True).sql(dialect)
        table = as_table(self.table, dialect).sql(dialect)
        operator = "LIKE" if self.is_pattern else "="
        return f"SELECT 1 FROM {table} WHERE {column} {operator} {self.value} LIMIT 1"


@dataclass(frozen=True, slots=True)
class Resolved:
    """The unknown names and the compared constants of a query, each once, spelled as in the
    query."""

    unknown_tables: tuple[str, ...]
    unknown_columns: tuple[str, ...]
    sought: tuple[ComparedConstant, ...]
    """Comparisons by ``=``, IN and LIKE with constants, of columns whose table is known."""


def resolve(sql: str, dialect: str, schema: Schema) -> Resolved | None:
    """Checks every name of a query against the schema; None if the text is not a readable query.

    In SQLite and MySQL, a double-quoted name that is no column is a string. Columns of subqueries
    and CTEs are resolved to their output columns.

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
    """Resolves the names in the scopes of one query, and collects the unknown ones."""

    def __init__(self, schema: Schema, *, quoted_texts: bool) -> None:
        self.unknown_tables: list[str] = []
        self.unknown_columns: list[str] = []
        self._columns = {
            table.name.casefold(): {column.name.casefold() for column in table.columns}
            for table in schema.tables
        }
        self._quoted_texts = quoted_texts

    def scope(self, scope: Scope, dialect: str) -> Iterator[ComparedConstant]:
        """Resolves the names of one SELECT; yields its comparisons with constants."""
        for source in scope.sources.values():
            if isinstance(source, exp.Table) and not self._has(source):
                self.unknown_tables.append(source.name)
        for column in scope.find_all(exp.Column):
            table = self._home(column, scope)
            if table is None:
                self.unknown_columns.append(".".join(filter(None, (column.table, column.name))))
            elif table:
                yield from _sought(column, table, dialect)

    def _home(self, column: exp.Column, scope: Scope) -> str | None:
        """The schema's table of a column; empty if it comes from elsewhere, None if unknown."""
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
                # An unknown table or a function in FROM may have any column.
                return ""
            return source.name if name in columns or name in _ROW_IDS or name == "*" else None
        selects = {
            one.casefold()
            for one in source.outer_columns
            or (source.expression.named_selects if isinstance(source.expression, exp.Query) else [])
        }
        # A star may contain any column, and columns of VALUES have no names.
        return "" if name in selects or "*" in selects or name == "*" or not selects else None

    def _has(self, table: exp.Table) -> bool:
        is_function = not isinstance(table.this, exp.Identifier)
        return is_function or table.name.casefold() in self._columns


def _enclosing(scope: Scope) -> Iterator[list[tuple[str, exp.Table | Scope]]]:
    """The sources of a SELECT by name, then those of its enclosing queries."""
    at: Scope | None = scope
    while at is not None:
        yield [(name.casefold(), source) for name, source in at.sources.items()]
        at = at.parent


def _own_names(column: exp.Column, scope: Scope) -> set[str]:
    """The output names of the SELECT that the column can refer to."""
    # A recursive query reads itself by the column names in its WITH.
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


def _sought(column: exp.Column, table: str, dialect: str) -> Iterator[ComparedConstant]:
    """The constants that this occurrence of a column is compared with by ``=``, LIKE or IN."""
    parent = column.parent
    if isinstance(parent, exp.EQ | exp.Like | exp.ILike):
        other = parent.expression if parent.this is column else parent.this
        others = [other]
    elif isinstance(parent, exp.In) and parent.this is column:
        others = parent.expressions
    else:
        return
    # Under a NOT, the value is not expected to occur in the column.
    if isinstance(parent.parent, exp.Not) or parent.args.get("negate"):
        return
    for one in others:
        text = _constant(one)
        if text is not None:
            pattern = isinstance(parent, exp.Like | exp.ILike)
            yield ComparedConstant(table, column.name, text.sql(dialect), pattern)


def _constant(node: exp.Expr) -> exp.Expr | None:
    """The node as a literal, if it is one or a double-quoted name that is read as a string; else
    None."""
    if isinstance(node, exp.Literal):
        return node
    if isinstance(node, exp.Column) and not node.table and node.this.args.get("quoted"):
        return exp.Literal.string(node.name)
    return None
