"""Mistakes in set operations."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.variants.base import Change, QueryContext, with_operands

# ---------------------------------------------------------------- set operation
# Another set operation of the same operands, or one of them alone.


def set_operation(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Another set operation, or one operand alone."""
    if not isinstance(node, exp.SetOperation):
        return
    for other in (exp.Union, exp.Intersect, exp.Except):
        if not isinstance(node, other):
            yield with_operands(other, distinct=True)
    yield lambda n: n.replace(n.this)
    yield lambda n: n.replace(n.expression)


# ---------------------------------------------------------------- union all
# UNION ALL for UNION, and the other way round.


def union_all(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Equal rows of a union kept, or not."""
    if isinstance(node, exp.Union):
        yield lambda n: n.set("distinct", not n.args.get("distinct"))


# ---------------------------------------------------------------- set to condition
# What two queries have in common, asked of each single row.


def set_to_condition(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """INTERSECT as AND, EXCEPT as AND NOT: right only where a value stands in a single row."""
    if isinstance(node, exp.Intersect | exp.Except) and _alike(node.left, node.right):
        yield _merged


def _alike(left: exp.Expr, right: exp.Expr) -> bool:
    """Whether two SELECTs differ in their conditions alone."""
    if not (isinstance(left, exp.Select) and isinstance(right, exp.Select)):
        return False
    one, other = left.copy(), right.copy()
    one.set("where", None)
    other.set("where", None)
    return one == other and left.args.get("where") is not None and bool(right.args.get("where"))


def _merged(node: exp.SetOperation) -> None:
    left, right = node.left, node.right
    own, other = (exp.Paren(this=one.args["where"].this) for one in (left, right))
    second = exp.Not(this=other) if isinstance(node, exp.Except) else other
    left.set("where", exp.Where(this=exp.And(this=own, expression=second)))
    node.replace(left)
