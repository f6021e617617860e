"""A condition left out; OR for AND."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, with_operands

if TYPE_CHECKING:
    from sqlglot import exp


def condition(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """Fewer conditions, or others of AND and OR."""
    from sqlglot import exp

    if isinstance(node, exp.Where | exp.Having):
        yield lambda n: n.pop()
    if isinstance(node, exp.And | exp.Or):
        other = exp.Or if isinstance(node, exp.And) else exp.And
        yield lambda n: n.replace(n.this)
        yield lambda n: n.replace(n.expression)
        yield with_operands(other)
