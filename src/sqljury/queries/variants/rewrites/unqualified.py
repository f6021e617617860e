"""Columns without their tables, and with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, own_columns, qualify

if TYPE_CHECKING:
    from sqlglot import exp


def unqualified(node: exp.Expr, around: Around) -> Iterator[Change]:
    """``name`` for ``t.name`` where there is one table, and the other way round."""
    from sqlglot import exp

    if not isinstance(node, exp.Select) or node.args.get("from_") is None:
        return
    columns = list(own_columns(node))
    if any(column.table for column in columns):
        if not node.args.get("joins") and node.parent_select is None:
            yield _plain
    else:
        yield lambda n: qualify(n, around)


def _plain(select: exp.Select) -> None:
    for column in own_columns(select):
        column.set("table", None)
