"""Set operations as conditions, and conditions as set operations."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from sqlglot import exp

from sqljury.variants.base import Change, QueryContext, all_of, null_of_nothing, origin_of, parts

# ---------------------------------------------------------------- set to membership
# IN for INTERSECT, NOT IN for EXCEPT.


def set_to_membership(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces INTERSECT by DISTINCT with IN, EXCEPT by DISTINCT with NOT IN."""
    if not isinstance(node, exp.Intersect | exp.Except):
        return
    left, right = node.left, node.right
    if not (isinstance(left, exp.Select) and isinstance(right, exp.Select)):
        return
    plain = not any(left.args.get(one) for one in ("group", "having", "limit"))
    single = len(left.selects) == len(right.selects) == 1
    # NOT IN of a query with a NULL is never true; EXCEPT is not affected by NULLs.
    vague = isinstance(node, exp.Except) and null_of_nothing(right)
    if plain and single and not vague and isinstance(left.selects[0], exp.Column):
        yield _membership


def _membership(node: exp.SetOperation) -> None:
    left, right = node.left.copy(), node.right.copy()
    member: exp.Expr = exp.In(this=left.selects[0].copy(), query=exp.Subquery(this=right))
    if isinstance(node, exp.Except):
        member = exp.Not(this=member)
    where = left.args.get("where")
    conditions = parts(where.this if where is not None else None)
    left.set("where", exp.Where(this=all_of([*conditions, member])))
    _replace_by_distinct(node, left)


# ---------------------------------------------------------------- membership to set
# EXCEPT for NOT IN, INTERSECT for IN, where a key or DISTINCT makes rows unique.


def membership_to_set(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces IN on the only output column by INTERSECT, NOT IN by EXCEPT."""
    if not isinstance(node, exp.Select) or node.args.get("where") is None:
        return
    plain = not any(node.args.get(one) for one in ("group", "order", "limit", "having"))
    if not plain or len(node.selects) != 1 or isinstance(node.parent, exp.SetOperation):
        return
    home = origin_of(node.selects[0], context)
    alone = not node.args.get("joins") and home is not None and home.unique
    if not (alone or node.args.get("distinct")):
        return
    for place, one in enumerate(parts(node.args["where"].this)):
        member = one.this.unnest() if isinstance(one, exp.Not) else one
        asked = isinstance(member, exp.In) and member.args.get("query") is not None
        # NOT IN of a query with a NULL is never true; EXCEPT is not affected by NULLs.
        vague = asked and one is not member and null_of_nothing(member.args["query"].this)
        if asked and not vague and member.this == node.selects[0]:
            yield partial(_set, place=place)


def _set(select: exp.Select, place: int) -> None:
    conditions = parts(select.args["where"].this)
    found = conditions.pop(place)
    negated = isinstance(found, exp.Not)
    member = found.this.unnest() if negated else found
    left = select.copy()
    rest = all_of(conditions)
    left.set("where", exp.Where(this=rest) if rest is not None else None)
    left.set("distinct", None)
    kind = exp.Except if negated else exp.Intersect
    right = member.args["query"].this.copy()
    right.set("order", None)
    select.replace(kind(this=left, expression=right, distinct=True))


# ---------------------------------------------------------------- union to or
# OR for a UNION of two queries that differ only in their conditions.


def union_to_or(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces a UNION of queries that differ only in WHERE by DISTINCT with OR."""
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


def _replace_by_distinct(node: exp.SetOperation, select: exp.Expr) -> None:
    """Replaces a set operation by a SELECT DISTINCT with the operation's ORDER BY and LIMIT."""
    select.set("distinct", exp.Distinct())
    for clause in ("order", "limit"):
        if node.args.get(clause) is not None:
            select.set(clause, node.args[clause].copy())
    node.replace(select)


def _either(node: exp.Union) -> None:
    found = node.left.copy()
    one, other = (
        exp.Paren(this=side.args["where"].this.copy()) for side in (node.left, node.right)
    )
    found.set("where", exp.Where(this=exp.Or(this=one, expression=other)))
    _replace_by_distinct(node, found)


# ---------------------------------------------------------------- or to union
# UNION for OR, where a key or DISTINCT makes rows unique.


def or_to_union(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces ``WHERE a OR b`` by the UNION of two queries, one for each condition."""
    if not isinstance(node, exp.Select) or node.args.get("where") is None:
        return
    plain = not any(node.args.get(one) for one in ("group", "order", "limit", "having"))
    if not plain or isinstance(node.parent, exp.SetOperation | exp.In):
        return
    if not isinstance(node.args["where"].this.unnest(), exp.Or) or _aggregates(node):
        return
    homes = [origin_of(one, context) for one in node.selects]
    keyed = not node.args.get("joins") and any(home is not None and home.unique for home in homes)
    if keyed or node.args.get("distinct"):
        yield _union


def _aggregates(select: exp.Select) -> bool:
    return any(isinstance(one.unalias(), exp.AggFunc) for one in select.selects)


def _union(select: exp.Select) -> None:
    either = select.args["where"].this.unnest()
    sides = []
    for condition in (either.left, either.right):
        side = select.copy()
        side.set("where", exp.Where(this=condition.copy()))
        side.set("distinct", None)
        sides.append(side)
    select.replace(exp.Union(this=sides[0], expression=sides[1], distinct=True))
