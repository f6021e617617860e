"""``>= 3`` for ``> 2``, of whole numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.trees.affinity import declared_affinity
from sqljury.queries.variants.base import Around, Change, home_of

if TYPE_CHECKING:
    from sqlglot import exp


def integer_bound(node: exp.Expr, around: Around) -> Iterator[Change]:
    """A bound that is part of the range for one that is not, and the other way round."""
    from sqlglot import exp

    others: dict[type, tuple[type[exp.Expr], int]] = {
        exp.GT: (exp.GTE, 1),
        exp.GTE: (exp.GT, -1),
        exp.LT: (exp.LTE, -1),
        exp.LTE: (exp.LT, 1),
    }
    if type(node) not in others or not _is_whole(node.this, around):
        return
    bound = node.expression
    if isinstance(bound, exp.Literal) and not bound.is_string and str(bound.this).isdigit():
        other, step = others[type(node)]
        number = int(bound.this) + step
        if number >= 0:
            yield lambda n: n.replace(other(this=n.this, expression=exp.Literal.number(number)))


def _is_whole(value: exp.Expr, around: Around) -> bool:
    from sqlglot import exp

    if isinstance(value, exp.Count):
        return True
    home = home_of(value, around)
    return home is not None and declared_affinity(home.column.type) == "INTEGER"
