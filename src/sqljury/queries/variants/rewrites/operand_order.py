"""``b AND a`` for ``a AND b``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def operand_order(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """The operands of AND and OR the other way round."""
    from sqlglot import exp

    if isinstance(node, exp.And | exp.Or):
        kind = type(node)
        yield lambda n: n.replace(kind(this=n.expression, expression=n.this))
