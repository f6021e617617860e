"""Names that differ in the case of their letters only, in dialects where quotes keep the case.

Names are looked up without regard to case here. Where that may find another one than the engine
does, the query is not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect, NormalizationStrategy

from sqljury.schema import Schema

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
