"""From a column's name to its value: columns, aliases, row ids, double-quoted strings."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqljury.trees.from_sql.reading import plain
from sqljury.trees.from_sql.scopes import FromScope, NoTreeError, seen_from
from sqljury.trees.from_sql.work import Work
from sqljury.trees.nodes import Expression, Literal, Ref, Type

OfNode = Callable[[Work, "exp.Expr", FromScope], Expression]


def column(work: Work, node: exp.Column, scope: FromScope, of_alias: OfNode) -> Expression:
    """The value of a name; ``of_alias`` builds the expression that an alias stands for.

    In each scope, from the inside out, columns come before aliases (BigQuery's GROUP BY and HAVING
    excepted). SQLite takes a double-quoted name that means nothing as a string.

    Raises:
        NoTreeError: the name means nothing, or more than one thing.
    """
    name = name_of(node)
    table = identifier(node.args.get("table"))
    for seen in scope.enclosing():
        value = _in_scope(work, name, table, seen, of_alias)
        if value is not None:
            return seen_from(scope, seen, value)
    if not table:
        value = _by_text(node, scope) or _as_string(work, node)
        if value is not None:
            return value
    full = f"{table}.{name}" if table else name
    raise NoTreeError(f"no column {full}", "unknown_name")


def identifier(node: exp.Expr | None) -> str:
    """A name in lower case; empty where there is none."""
    return plain(node.name).lower() if node is not None else ""


def name_of(node: exp.Column) -> str:
    """The column's own name in lower case."""
    return plain(node.name).lower()


def _in_scope(
    work: Work, name: str, table: str, scope: FromScope, of_alias: OfNode
) -> Expression | None:
    if not table and scope.aliases_first and name in scope.aliases:
        return _of_alias(work, name, scope, of_alias)
    found = scope.columns(table, name)
    if len(found) == 1:
        return found[0][1]
    if found:
        raise NoTreeError(
            f"{table + '.' if table else ''}{name} is in several tables", "ambiguous_name"
        )
    if not table and scope.aliases_seen and name in scope.aliases:
        return _of_alias(work, name, scope, of_alias)
    return None


def _of_alias(work: Work, name: str, scope: FromScope, of_alias: OfNode) -> Expression:
    # An alias does not see the aliases beside it: x + 1 AS x would never end.
    seen, first = scope.aliases_seen, scope.aliases_first
    scope.aliases_seen = scope.aliases_first = False
    try:
        return of_alias(work, scope.aliases[name], scope)
    finally:
        scope.aliases_seen, scope.aliases_first = seen, first


def _by_text(node: exp.Column, scope: FromScope) -> Expression | None:
    """A column of a subquery without an alias, called by the text of its expression."""
    if not node.this.args.get("quoted"):
        return None
    wanted = _squeezed(node.name)
    for seen in scope.enclosing():
        for source in seen.sources:
            for i, expression in source.unnamed.items():
                if _squeezed(expression.sql()) == wanted:
                    return seen_from(scope, seen, Ref(source.start + i))
    return None


def _squeezed(text: str) -> str:
    return "".join(text.split()).replace("\0", "").replace('"', "").lower()


def _as_string(work: Work, node: exp.Column) -> Expression | None:
    if work.dialect != "sqlite" or not node.this.args.get("quoted"):
        return None
    start = node.this.meta.get("start")
    if start is not None and work.sql[start : start + 1] != '"':
        return None
    return Literal(node.name, Type.TEXT)
