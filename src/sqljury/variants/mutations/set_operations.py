"""Mistakes in set operations."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.variants.base import Change, QueryContext, with_operands

# ---------------------------------------------------------------- set operation
# Another set operation of the same operands, or one of them alone.


def set_operation(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces a set operation by another one, or by one of its operands."""
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
    """Replaces UNION by UNION ALL, and the other way round."""
    if isinstance(node, exp.Union):
        yield lambda n: n.set("distinct", not n.args.get("distinct"))


# ---------------------------------------------------------------- set to condition
# INTERSECT and EXCEPT of two conditions, written as one condition on each row.


def set_to_condition(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces INTERSECT by AND, EXCEPT by AND NOT; right only if output values are unique."""
    if isinstance(node, exp.Intersect | exp.Except) and _alike(node.left, node.right):
        yield _merged


def _alike(left: exp.Expr, right: exp.Expr) -> bool:
    """True if two SELECTs both have a WHERE and differ in nothing else."""
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
