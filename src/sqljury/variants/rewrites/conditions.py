"""Equivalent ways to write a condition."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from sqljury.sql.comparisons import MIRRORED_CLASSES, NEGATED_CLASSES
from sqljury.trees.affinity import NUMERIC_AFFINITIES, declared_affinity
from sqljury.variants.base import Change, QueryContext, all_of, limit_of, origin_of, parts

# ---------------------------------------------------------------- turned comparison
# ``3 < a`` for ``a > 3``.


def turned_comparison(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Swaps the operands of a comparison and mirrors its operator."""
    other = MIRRORED_CLASSES.get(type(node))
    if other is not None and other is not exp.NEQ:
        yield lambda n: n.replace(other(this=n.expression, expression=n.this))


# ---------------------------------------------------------------- operand order
# ``b AND a`` for ``a AND b``.


def operand_order(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Swaps the operands of AND or OR."""
    if isinstance(node, exp.And | exp.Or):
        kind = type(node)
        yield lambda n: n.replace(kind(this=n.expression, expression=n.this))


# ---------------------------------------------------------------- between
# ``>=`` and ``<=`` for BETWEEN, and the other way round.


def between(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces BETWEEN by ``>=`` and ``<=``, and the other way round."""
    if isinstance(node, exp.Between) and not node.args.get("symmetric"):
        yield _in_two
    if isinstance(node, exp.And) and isinstance(node.left, exp.GTE):
        low, high = node.left, node.right
        if isinstance(high, exp.LTE) and low.this == high.this:
            yield _in_one


def _in_two(node: exp.Expr) -> None:
    low = exp.GTE(this=node.this.copy(), expression=node.args["low"])
    high = exp.LTE(this=node.this.copy(), expression=node.args["high"])
    alone = isinstance(node.parent, exp.Where | exp.Having | exp.And)
    found = exp.And(this=low, expression=high)
    node.replace(found if alone else exp.Paren(this=found))


def _in_one(node: exp.And) -> None:
    low, high = node.left, node.right
    node.replace(exp.Between(this=low.this, low=low.expression, high=high.expression))


# ---------------------------------------------------------------- integer bound
# ``>= 3`` for ``> 2``, of integers.


def integer_bound(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces ``> 2`` by ``>= 3`` for an integer, likewise ``<``, and the other way round."""
    others: dict[type, tuple[type[exp.Expr], int]] = {
        exp.GT: (exp.GTE, 1),
        exp.GTE: (exp.GT, -1),
        exp.LT: (exp.LTE, -1),
        exp.LTE: (exp.LT, 1),
    }
    if type(node) not in others or not _is_whole(node.this, context):
        return
    bound = node.expression
    if isinstance(bound, exp.Literal) and not bound.is_string and str(bound.this).isdigit():
        other, step = others[type(node)]
        number = int(bound.this) + step
        if number >= 0:
            yield lambda n: n.replace(other(this=n.this, expression=exp.Literal.number(number)))


def _is_whole(value: exp.Expr, context: QueryContext) -> bool:
    if isinstance(value, exp.Count):
        return True
    home = origin_of(value, context)
    return home is not None and declared_affinity(home.column.type) == "INTEGER"


# ---------------------------------------------------------------- negation
# NOT of the opposite comparison.


def negation(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces ``a > 1`` by ``NOT a <= 1``, ``a != 1`` by ``NOT a = 1``, and back."""
    if isinstance(node, exp.NEQ | exp.GT | exp.GTE | exp.LT | exp.LTE):
        other = NEGATED_CLASSES[type(node)]
        yield lambda n: n.replace(exp.Not(this=other(this=n.this, expression=n.expression)))
    if isinstance(node, exp.Not) and type(node.this.unnest()) in NEGATED_CLASSES:
        inner = node.this.unnest()
        other = NEGATED_CLASSES[type(inner)]
        yield lambda n: n.replace(other(this=inner.this.copy(), expression=inner.expression.copy()))


# ---------------------------------------------------------------- in list
# Equalities joined by OR for IN of a list, and the other way round.


def in_list(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces IN of a list by equalities joined by OR, and the other way round."""
    if isinstance(node, exp.In) and node.expressions:
        yield _as_or
    if isinstance(node, exp.Or) and not isinstance(node.parent, exp.Or):
        equalities = list(node.flatten())
        plain = all(
            isinstance(one, exp.EQ)
            and one.this == equalities[0].this
            and isinstance(one.expression, exp.Literal)
            for one in equalities
        )
        if plain:
            yield _as_list


def _as_or(node: exp.Expr) -> None:
    equalities = [exp.EQ(this=node.this.copy(), expression=one) for one in node.expressions]
    found: exp.Expr = equalities[0]
    for one in equalities[1:]:
        found = exp.Or(this=found, expression=one)
    node.replace(exp.Paren(this=found))


def _as_list(node: exp.Expr) -> None:
    equalities = list(node.flatten())
    values = [one.expression.copy() for one in equalities]
    node.replace(exp.In(this=equalities[0].this.copy(), expressions=values))


# ---------------------------------------------------------------- equality to in
# IN for an equality with a subquery of one row.


def equality_to_in(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Replaces ``a = (SELECT MAX(a) …)`` by ``a IN (SELECT MAX(a) …)``."""
    if not isinstance(node, exp.EQ) or not isinstance(node.expression, exp.Subquery):
        return
    inner = node.expression.this
    if isinstance(inner, exp.Select) and not inner.args.get("group"):
        aggregate = isinstance(inner.selects[0], exp.AggFunc)
        if aggregate or limit_of(inner) == "1":
            yield lambda n: n.replace(exp.In(this=n.this, query=n.expression))


# ---------------------------------------------------------------- implied condition
# An additional condition that another one implies.


def implied_condition(node: exp.Expr, _context: QueryContext) -> Iterator[Change]:
    """Adds ``AND a IS NOT NULL`` to a WHERE that compares a."""
    if not isinstance(node, exp.Where):
        return
    for one in parts(node.this):
        compared = isinstance(one, exp.GT | exp.LT | exp.GTE | exp.LTE | exp.EQ)
        if compared and isinstance(one.this, exp.Column):
            yield _not_null(one.this)


def _not_null(column: exp.Expr) -> Change:
    def change(where: exp.Expr) -> None:
        there = exp.Not(this=exp.Is(this=column.copy(), expression=exp.Null()))
        where.set("this", all_of([*parts(where.this), there]))

    return change


# ---------------------------------------------------------------- number as text
# A number as a text, if the column's affinity converts it to a number.


def number_as_text(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Replaces ``a = 3`` by ``a = '3'`` for a numeric column, and the other way round."""
    parent = node.parent
    compared = isinstance(parent, exp.EQ | exp.GT | exp.LT | exp.GTE | exp.LTE | exp.NEQ)
    if not isinstance(node, exp.Literal) or parent is None or not compared:
        return
    other = parent.this if parent.expression is node else parent.expression
    home = origin_of(other, context)
    if home is None or declared_affinity(home.column.type) not in NUMERIC_AFFINITIES:
        return
    text = str(node.this)
    if not node.is_string:
        yield lambda n: n.replace(exp.Literal.string(text))
    elif text.isdigit():
        yield lambda n: n.replace(exp.Literal.number(int(text)))


# ---------------------------------------------------------------- cast
# A cast to the type that a column has.


_TYPES = {"INTEGER": "INTEGER", "REAL": "REAL"}


def cast(node: exp.Expr, context: QueryContext) -> Iterator[Change]:
    """Casts a compared column to its own type: ``CAST(a AS INTEGER)`` for an integer column."""
    compared = isinstance(node.parent, exp.EQ | exp.GT | exp.LT | exp.GTE | exp.LTE)
    home = origin_of(node, context) if compared else None
    kind = _TYPES.get(declared_affinity(home.column.type)) if home is not None else None
    if kind is not None:
        yield lambda n: n.replace(exp.cast(n.copy(), kind))
