"""UNION ALL for UNION, and the other way round."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def union_all(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """Equal rows of a union kept, or not."""
    from sqlglot import exp

    if isinstance(node, exp.Union):
        yield lambda n: n.set("distinct", not n.args.get("distinct"))
