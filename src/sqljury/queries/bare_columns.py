"""A query that takes the least value of a group where it shows any one, and the greatest.

A column that stands beside aggregates or groups that do not fix it (SQLite and MySQL allow it) is
that of any row. Where both queries give the same rows, it does not matter which.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from sqljury.queries.tokens import parse

if TYPE_CHECKING:
    from sqlglot import exp


@lru_cache(maxsize=512)
def bare_chosen(sql: str, dialect: str = "sqlite") -> tuple[str, str] | None:
    """The two queries, or None where no column is bare, or the text cannot be written again.

    Bare columns beside a single MIN or MAX stay as they are: SQLite shows those of its row.

    >>> bare_chosen("SELECT b, count(*) FROM t GROUP BY a")[1]
    'SELECT MAX(b) AS b, COUNT(*) FROM t GROUP BY a'
    >>> bare_chosen("SELECT a, count(*) FROM t GROUP BY a") is None
    True
    """
    from sqlglot import exp

    tree = parse(sql, dialect)
    if tree is None or tree.find(exp.AggFunc, exp.Group) is None:
        return None
    try:
        least, greatest = (_chosen(tree, kind) for kind in (exp.Min, exp.Max))
        return (least.sql(dialect), greatest.sql(dialect)) if least != tree else None
    except Exception:  # generators stumble over trees in many ways
        return None


def _chosen(tree: exp.Expr, kind: type[exp.Expr]) -> exp.Expr:
    from sqlglot import exp

    changed = tree.copy()
    for select in list(changed.find_all(exp.Select)):
        for column in list(_bare(select)):
            value = kind(this=column.copy())
            shown = column.parent is select and column.arg_key == "expressions"
            column.replace(exp.alias_(value, column.name, quoted=True) if shown else value)
    return changed


def _bare(select: exp.Select) -> Iterator[exp.Column]:
    """The columns of the SELECT list that nothing fixes."""
    from sqlglot import exp

    group = select.args.get("group")
    items = select.expressions
    found = [call for item in items for call in item.find_all(exp.AggFunc)]
    calls = [call for call in found if call.parent_select is select]
    if group is None and not calls:
        return
    if len(calls) == 1 and isinstance(calls[0], exp.Min | exp.Max):
        return
    if any(item.find(exp.Window) for item in items):
        return
    keys = group.expressions if group is not None else []
    places = {int(key.this) for key in keys if isinstance(key, exp.Literal) and key.is_int}
    names = {key.name.lower() for key in keys if isinstance(key, exp.Column)}
    own = {source.alias_or_name.lower() for source in _sources(select)}
    inner = select.parent_select is not None
    for place, item in enumerate(items, start=1):
        if place in places or item.alias.lower() in names:
            continue
        for column in _outside_aggregates(item):
            table = column.table.lower()
            is_own = table in own if table else not inner
            if is_own and column.name.lower() not in names:
                yield column


def _sources(select: exp.Select) -> Iterator[exp.Expr]:
    source = select.args.get("from_")
    if source is not None:
        yield source.this
    for join in select.args.get("joins") or ():
        yield join.this


def _outside_aggregates(node: exp.Expr) -> Iterator[exp.Column]:
    from sqlglot import exp

    if isinstance(node, exp.Column):
        if not isinstance(node.this, exp.Star):
            yield node
    elif not isinstance(node, exp.AggFunc | exp.Query):
        for child in node.iter_expressions():
            yield from _outside_aggregates(child)
