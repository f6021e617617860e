"""Another constant: the next number, a pattern with fewer wildcards, another text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def constant(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """Another number or text in the same place."""
    from sqlglot import exp

    if not isinstance(node, exp.Literal) or isinstance(node.parent, exp.Limit | exp.Offset):
        return
    text = str(node.this)
    if not node.is_string:
        if text.isdigit():
            yield lambda n: n.replace(exp.Literal.number(int(text) + 1))
            yield lambda n: n.replace(exp.Literal.number(int(text) - 1))
        return
    if isinstance(node.parent, exp.Like):
        yield lambda n: n.replace(exp.Literal.string(text.strip("%")))
        yield lambda n: n.replace(exp.Literal.string(text.rstrip("%")))
        yield lambda n: n.replace(exp.Literal.string(text.lstrip("%")))
    elif isinstance(node.parent, exp.EQ):
        yield lambda n: _within_equality(n, text)
    yield lambda n: n.replace(exp.Literal.string(text + "x"))


def _within_equality(literal: exp.Expr, text: str) -> None:
    from sqlglot import exp

    equality = literal.parent
    assert equality is not None
    contains = exp.Literal.string(f"%{text}%")
    equality.replace(exp.Like(this=equality.this, expression=contains))
