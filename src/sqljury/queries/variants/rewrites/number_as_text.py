"""A number as a text, where the column makes a number of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.trees.affinity import NUMERIC_AFFINITIES, declared_affinity
from sqljury.queries.variants.base import Around, Change, home_of

if TYPE_CHECKING:
    from sqlglot import exp


def number_as_text(node: exp.Expr, around: Around) -> Iterator[Change]:
    """``a = '3'`` for ``a = 3``, and the other way round."""
    from sqlglot import exp

    parent = node.parent
    compared = isinstance(parent, exp.EQ | exp.GT | exp.LT | exp.GTE | exp.LTE | exp.NEQ)
    if not isinstance(node, exp.Literal) or parent is None or not compared:
        return
    other = parent.this if parent.expression is node else parent.expression
    home = home_of(other, around)
    if home is None or declared_affinity(home.column.type) not in NUMERIC_AFFINITIES:
        return
    text = str(node.this)
    if not node.is_string:
        yield lambda n: n.replace(exp.Literal.string(text))
    elif text.isdigit():
        yield lambda n: n.replace(exp.Literal.number(int(text)))
