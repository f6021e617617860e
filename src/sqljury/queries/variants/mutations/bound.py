"""A bound that is a little off: the other strictness, the next number, or both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def bound(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """``>= 3``, ``> 4``, ``>= 2``, ``>= 4`` … for ``> 3``.

    One of them means the same where numbers are whole, and only there.
    """
    from sqlglot import exp

    strictness: dict[type[exp.Expr], type[exp.Expr]] = {
        exp.GT: exp.GTE,
        exp.GTE: exp.GT,
        exp.LT: exp.LTE,
        exp.LTE: exp.LT,
    }
    other = strictness.get(type(node))
    number = node.expression if other is not None else None
    if other is None or not isinstance(number, exp.Literal) or number.is_string:
        return
    text = str(number.this)
    if not text.isdigit():
        return
    yield _bounded(other, int(text))
    for near in (int(text) - 1, int(text) + 1):
        if near >= 0:
            yield _bounded(type(node), near)
            yield _bounded(other, near)


def _bounded(operator: type[exp.Expr], number: int) -> Change:
    from sqlglot import exp

    return lambda n: n.replace(operator(this=n.this, expression=exp.Literal.number(number)))
