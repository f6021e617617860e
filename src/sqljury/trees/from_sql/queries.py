"""Builds queries of every kind: SELECT, set operations, VALUES, TABLE, queries in brackets."""

from __future__ import annotations

from sqlglot import exp

from sqljury.trees.from_sql.expressions import expression
from sqljury.trees.from_sql.reading import NoTreeError, invalid, unsupported
from sqljury.trees.from_sql.scopes import Environment, FromScope, NamedRelation
from sqljury.trees.from_sql.selects import ordered_query, select
from sqljury.trees.from_sql.sources import from_clause, with_ctes
from sqljury.trees.nodes import SetKind, SetOperation, Values

_MODIFIERS = ("order", "limit", "offset", "with_")
_REFUSED_OF_SETS = ("by_name", "side", "kind", "on")
_REFUSED_OF_BRACKETS = ("where", "group", "having", "qualify", "joins", "sample", "pivots")


def query(node: exp.Expr, environment: Environment) -> NamedRelation:
    """The relation and the column names of a query.

    Raises:
        NoTreeError: trees cannot express the query, or it is invalid.
    """
    environment.work.enter()
    try:
        environment = with_ctes(node, environment)
        if isinstance(node, exp.Select):
            return select(node, environment)
        if isinstance(node, exp.SetOperation):
            return _set_operation(node, environment)
        if isinstance(node, exp.Subquery):
            return _bracketed(node, environment)
        if isinstance(node, exp.Values):
            return _values(node, environment)
        if isinstance(node, exp.Table):
            return _table(node, environment)
        raise NoTreeError(f"{type(node).__name__} is not a query", "not_a_query")
    finally:
        environment.work.level -= 1


def _bracketed(node: exp.Subquery, environment: Environment) -> NamedRelation:
    for key in _REFUSED_OF_BRACKETS:
        if node.args.get(key):
            raise unsupported(f"{key.upper()} behind a query in brackets")
    return ordered_query(query(node.this, environment), node, environment)


def _table(node: exp.Table, environment: Environment) -> NamedRelation:
    """A table used as a query, as in ``x IN t`` and ``TABLE t``."""
    found = from_clause(exp.Select(from_=exp.From(this=node)), environment)
    assert found is not None
    relation, scope = found
    return NamedRelation(
        relation, tuple(name for source in scope.sources for name in source.columns)
    )


def _set_operation(node: exp.SetOperation, environment: Environment) -> NamedRelation:
    for key in _REFUSED_OF_SETS:
        if node.args.get(key):
            raise unsupported(f"a set operation with {key.upper().replace('_', ' ')}")
    queries = [query(arm, environment) for arm in _arms(node)]
    if len({len(q.names) for q in queries}) > 1:
        raise invalid("the sides of a set operation have different numbers of columns")
    kinds = {exp.Union: SetKind.UNION, exp.Intersect: SetKind.INTERSECT}
    relation = SetOperation(
        kinds.get(type(node), SetKind.EXCEPT),
        not node.args.get("distinct"),
        tuple(q.relation for q in queries),
    )
    leaves = tuple(leaf for q in queries for leaf in q.leaves)
    first = queries[0]
    together = NamedRelation(relation, first.names, leaves, first.unnamed)
    return ordered_query(together, node, environment)


def _arms(node: exp.SetOperation) -> list[exp.Expr]:
    """The inputs of a set operation: two queries, or all of a chain of the same UNION or
    INTERSECT."""
    arms: list[exp.Expr] = [node.expression]
    rest = node.this
    while (
        type(rest) is type(node)
        and not isinstance(node, exp.Except)
        and bool(rest.args.get("distinct")) == bool(node.args.get("distinct"))
        and not any(rest.args.get(key) for key in (*_MODIFIERS, *_REFUSED_OF_SETS))
    ):
        arms.append(rest.expression)
        rest = rest.this
    return [rest, *reversed(arms)]


def _values(node: exp.Values, environment: Environment) -> NamedRelation:
    for key in ("order", "limit", "offset", "pivots"):
        if node.args.get(key):
            raise unsupported(f"VALUES with {key.upper()}")
    empty = FromScope(environment)
    rows = tuple(
        tuple(expression(cell, empty) for cell in (row.expressions or [row.this]))
        for row in node.expressions
    )
    if len({len(row) for row in rows}) != 1:
        raise invalid("rows of VALUES have different numbers of columns")
    first, prefix = (0, "col") if environment.dialect == "duckdb" else (1, "column")
    names = tuple(f"{prefix}{i + first}" for i in range(len(rows[0])))
    return NamedRelation(Values(rows, names), names)
