"""Another order: descending for ascending, a key less, none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def order(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """The other direction, fewer keys, or no order."""
    from sqlglot import exp

    if isinstance(node, exp.Ordered):
        yield _turned_around
        if len(node.parent.expressions if node.parent else ()) > 1:
            yield lambda n: n.pop()
    if isinstance(node, exp.Order):
        yield lambda n: n.pop()


def _turned_around(ordered: exp.Expr) -> None:
    descending = not ordered.args.get("desc")
    ordered.set("desc", descending or None)
    ordered.set("nulls_first", not descending)  # as SQLite has it where nothing is said
