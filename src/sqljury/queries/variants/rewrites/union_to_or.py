"""OR for a UNION of two queries that differ in their conditions alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change

if TYPE_CHECKING:
    from sqlglot import exp


def union_to_or(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """The different rows that one condition or the other lets pass."""
    from sqlglot import exp

    if not isinstance(node, exp.Union) or not node.args.get("distinct"):
        return
    sides = (node.left, node.right)
    if not all(isinstance(one, exp.Select) and one.args.get("where") for one in sides):
        return
    if any(one.args.get("group") or list(one.find_all(exp.AggFunc)) for one in sides):
        return
    rest = [one.copy() for one in sides]
    for one in rest:
        one.set("where", None)
    if rest[0] == rest[1]:
        yield _either


def _either(node: exp.Union) -> None:
    from sqlglot import exp

    found = node.left.copy()
    one, other = (
        exp.Paren(this=side.args["where"].this.copy()) for side in (node.left, node.right)
    )
    found.set("where", exp.Where(this=exp.Or(this=one, expression=other)))
    found.set("distinct", exp.Distinct())
    for clause in ("order", "limit"):
        if node.args.get(clause) is not None:
            found.set(clause, node.args[clause].copy())
    node.replace(found)
