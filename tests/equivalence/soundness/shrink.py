"""Smaller queries on smaller databases that still show a fault, for people to read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from checks.small_databases import Rows
from sqljury.sql.tokens import parse

_OPTIONAL = ("where", "having", "order", "limit", "offset", "distinct", "group", "with_", "with")
_MOST_TRIES = 2000


def shrink(
    sql: str, dialect: str, rows: Rows, is_faulty: Callable[[str, Rows], bool]
) -> tuple[str, Rows]:
    """Take away what is not needed for the fault: parts of the text, then rows, then again."""
    tries = iter(range(_MOST_TRIES))
    for _ in range(3):
        before = (sql, rows)
        sql = _smaller(sql, dialect, lambda text: is_faulty(text, rows), tries)  # noqa: B023
        rows = _fewer(rows, lambda some: is_faulty(sql, some))  # noqa: B023
        if (sql, rows) == before:
            break
    return sql, rows


def _smaller(sql: str, dialect: str, holds: Callable[[str], bool], tries: Iterator[int]) -> str:
    found = True
    while found:
        found = False
        for text in _candidates(sql, dialect):
            if next(tries, None) is None:
                return sql
            if len(text) < len(sql) and holds(text):
                sql, found = text, True
                break
    return sql


def _candidates(sql: str, dialect: str) -> Iterator[str]:
    """The text with one node replaced by a part of it, or with one part taken out."""
    tree: Any = parse(sql, dialect)
    if tree is None:
        return
    for index in range(len(list(tree.walk()))):
        for change in range(12):
            copy = tree.copy()
            node = list(copy.walk())[index]
            changed = _changed(copy, node, change)
            if changed is not None:
                try:
                    yield changed.sql(dialect)
                except Exception:  # half a tree need not be SQL
                    continue


def _changed(tree: Any, node: Any, change: int) -> Any:
    from sqlglot import exp

    if change < len(_OPTIONAL):
        if not node.args.get(_OPTIONAL[change]):
            return None
        node.set(_OPTIONAL[change], None)
        return tree
    if change == 9:
        return _without_last(tree, node)
    children = [
        child
        for child in (node.args.get("this"), node.args.get("expression"))
        if isinstance(child, exp.Expression)
    ]
    if change - 10 >= len(children) or isinstance(node, exp.Table | exp.Column | exp.Identifier):
        return None
    child = children[change - 10]
    child.pop()
    if node is tree:
        return child
    node.replace(child)
    return tree


def _without_last(tree: Any, node: Any) -> Any:
    for name in ("joins", "expressions"):
        items = node.args.get(name)
        if items and (name == "joins" or len(items) > 1):
            items[-1].pop()
            return tree
    return None


def _fewer(rows: Rows, holds: Callable[[Rows], bool]) -> Rows:
    for table in rows:
        index = 0
        while index < len(rows[table]):
            fewer = rows | {table: rows[table][:index] + rows[table][index + 1 :]}
            if holds(fewer):
                rows = fewer
            else:
                index += 1
    return rows
