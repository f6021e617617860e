"""A cast to the type that a column has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.trees.affinity import declared_affinity
from sqljury.queries.variants.base import Around, Change, home_of

if TYPE_CHECKING:
    from sqlglot import exp


_TYPES = {"INTEGER": "INTEGER", "REAL": "REAL"}


def cast(node: exp.Expr, around: Around) -> Iterator[Change]:
    """``CAST(a AS INTEGER)`` of a column of whole numbers, in a condition."""
    from sqlglot import exp

    compared = isinstance(node.parent, exp.EQ | exp.GT | exp.LT | exp.GTE | exp.LTE)
    home = home_of(node, around) if compared else None
    kind = _TYPES.get(declared_affinity(home.column.type)) if home is not None else None
    if kind is not None:
        yield lambda n: n.replace(exp.cast(n.copy(), kind))
