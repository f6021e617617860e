"""``3 < a`` for ``a > 3``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def turned_comparison(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """The operands of a comparison the other way round."""
    from sqlglot import exp

    mirrored: dict[type, type[exp.Expr]] = {
        exp.GT: exp.LT,
        exp.GTE: exp.LTE,
        exp.LT: exp.GT,
        exp.LTE: exp.GTE,
        exp.EQ: exp.EQ,
    }
    other = mirrored.get(type(node))
    if other is not None:
        yield lambda n: n.replace(other(this=n.expression, expression=n.this))
