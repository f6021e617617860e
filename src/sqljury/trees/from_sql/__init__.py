"""Builds operator trees from SQL text, without simplifying the query."""

from __future__ import annotations

from functools import lru_cache

from sqlglot import exp

from sqljury.schema import Schema
from sqljury.sql.resolve import alike_in_schema, confused, rename_tables, tell_apart
from sqljury.trees.catalog import Same
from sqljury.trees.from_sql.expressions import expression
from sqljury.trees.from_sql.queries import query
from sqljury.trees.from_sql.reading import NoTreeError, read, unsupported
from sqljury.trees.from_sql.scopes import ROWIDS, Environment, Work, tables_by_name
from sqljury.trees.nodes import Relation, Unreadable
from sqljury.trees.sharing import forget_shared, shared
from sqljury.trees.walk import inputs

__all__ = ["build_tree", "forget_trees"]

_MAX_DEPTH = 150
"""Deepest tree, in operators; trees are walked recursively."""


def build_tree(sql: str, schema: Schema, dialect: str) -> Relation | Unreadable:
    """The operator tree of one query, or why it has none.

    Only names and abbreviations are resolved: aliases and column names become positions, common
    table expressions are inserted where they are read, ``*``, USING and positions in GROUP BY and
    ORDER BY are expanded. ``dialect`` is sqlglot's name; a text that does not parse in it is tried
    in other dialects. Never raises, whatever the text; size and depth are limited. The results for
    the last 512 texts are cached.

    >>> from sqljury.schema import Column, Table
    >>> table = Table(name="t", columns=(Column(name="a"), Column(name="b")))
    >>> build_tree("SELECT x.B FROM t AS x", Schema(dialect="sqlite", tables=(table,)), "sqlite")
    Project(input=Scan(table='t', columns=('a', 'b')), expressions=(Ref(index=1),), names=('B',))
    """
    return _built(sql, Same(schema), dialect)


@lru_cache(maxsize=512)
def _built(sql: str, schema: Same, dialect: str) -> Relation | Unreadable:
    """Cached, so that all callers share one tree and the facts that are cached on its nodes."""
    try:
        return shared(_build(sql, schema.schema, dialect))
    except NoTreeError as error:
        return Unreadable(error.reason, error.kind)
    except RecursionError:
        return Unreadable("it is nested too deeply", "too_deep")


def forget_trees() -> None:
    """Empties the cache of :func:`build_tree`, for benchmarks of building trees."""
    _built.cache_clear()
    forget_shared()


def _build(sql: str, schema: Schema, dialect: str) -> Relation:
    node, types = read(sql, dialect)
    if not isinstance(node, exp.Query | exp.Values):
        raise NoTreeError(f"{type(node).__name__} is not a query", "not_a_query")
    named = [table.name for table in node.find_all(exp.Table)]
    if name := alike_in_schema(schema, named, dialect):
        raise unsupported(f"the name {name}, which another differs from in case only")
    exact = bool(confused(node, dialect))
    rename_tables(node, schema)
    if exact:
        tell_apart(node, dialect)
    tables = tables_by_name(schema)
    work = Work(sql, tables, dialect, types, query, expression, _row_ids(sql, node), exact)
    relation = query(node, Environment(work)).relation
    _check_depth(relation)
    return relation


def _row_ids(sql: str, node: exp.Expr) -> frozenset[str]:
    if "rowid" not in sql.lower() and "oid" not in sql.lower():
        return frozenset()
    return frozenset(
        column.table.lower()
        for column in node.find_all(exp.Column)
        if column.name.lower() in ROWIDS
    )


def _check_depth(relation: Relation) -> None:
    level: list[Relation] = [relation]
    for _ in range(_MAX_DEPTH):
        if not level:
            return
        level = [below for above in level for below in inputs(above)]
    raise NoTreeError(f"its tree is more than {_MAX_DEPTH} operators deep", "too_deep")
