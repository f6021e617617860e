"""IN for INTERSECT, NOT IN for EXCEPT."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqljury.queries.variants.base import Around, Change, all_of, null_of_nothing, parts

if TYPE_CHECKING:
    from sqlglot import exp


def set_to_membership(node: exp.Expr, _around: Around) -> Iterator[Change]:
    """The first operand's different rows that are, or are not, among the second's."""
    from sqlglot import exp

    if not isinstance(node, exp.Intersect | exp.Except):
        return
    left, right = node.left, node.right
    if not (isinstance(left, exp.Select) and isinstance(right, exp.Select)):
        return
    plain = not any(left.args.get(one) for one in ("group", "having", "limit"))
    single = len(left.selects) == len(right.selects) == 1
    # NOT IN is never true beside a NULL, EXCEPT takes no notice of it.
    vague = isinstance(node, exp.Except) and null_of_nothing(right)
    if plain and single and not vague and isinstance(left.selects[0], exp.Column):
        yield _membership


def _membership(node: exp.SetOperation) -> None:
    from sqlglot import exp

    left, right = node.left.copy(), node.right.copy()
    member: exp.Expr = exp.In(this=left.selects[0].copy(), query=exp.Subquery(this=right))
    if isinstance(node, exp.Except):
        member = exp.Not(this=member)
    where = left.args.get("where")
    conditions = parts(where.this if where is not None else None)
    left.set("where", exp.Where(this=all_of([*conditions, member])))
    left.set("distinct", exp.Distinct())
    for clause in ("order", "limit"):
        if node.args.get(clause) is not None:
            left.set(clause, node.args[clause].copy())
    node.replace(left)
