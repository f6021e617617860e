"""Another type of join; a join left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def join(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """An outer join for an inner one, and the other way round; a join left out."""
    from sqlglot import exp

    if not isinstance(node, exp.Join):
        return
    if node.side:
        yield lambda n: n.set("side", None)
    else:
        yield lambda n: n.set("side", "LEFT")
    # Fails where a column of the table is used; where none is, the join may matter all the same.
    yield lambda n: n.pop()
