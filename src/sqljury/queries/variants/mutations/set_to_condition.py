"""What two queries have in common, asked of each single row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def set_to_condition(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """INTERSECT as AND, EXCEPT as AND NOT: right only where a value stands in a single row."""
    from sqlglot import exp

    if isinstance(node, exp.Intersect | exp.Except) and _alike(node.left, node.right):
        yield _merged


def _alike(left: exp.Expr, right: exp.Expr) -> bool:
    """Whether two SELECTs differ in their conditions alone."""
    from sqlglot import exp

    if not (isinstance(left, exp.Select) and isinstance(right, exp.Select)):
        return False
    one, other = left.copy(), right.copy()
    one.set("where", None)
    other.set("where", None)
    return one == other and left.args.get("where") is not None and bool(right.args.get("where"))


def _merged(node: exp.SetOperation) -> None:
    from sqlglot import exp

    left, right = node.left, node.right
    own, other = (exp.Paren(this=one.args["where"].this) for one in (left, right))
    second = exp.Not(this=other) if isinstance(node, exp.Except) else other
    left.set("where", exp.Where(this=exp.And(this=own, expression=second)))
    node.replace(left)
