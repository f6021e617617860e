"""A text in other letters: lower, upper, or capital ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def literal_case(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """The same text in letters of another case, where it is compared."""
    from sqlglot import exp

    compared = isinstance(node.parent, exp.EQ | exp.NEQ | exp.In)
    if not (isinstance(node, exp.Literal) and node.is_string and compared):
        return
    text = str(node.this)
    for other in dict.fromkeys((text.lower(), text.title(), text.upper())):
        if other != text:
            yield _said(other)


def _said(text: str) -> Change:
    from sqlglot import exp

    return lambda n: n.replace(exp.Literal.string(text))
