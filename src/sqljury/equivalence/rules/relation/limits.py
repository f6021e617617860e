"""LIMIT that takes everything or nothing, and LIMIT of a LIMIT."""

from __future__ import annotations

from sqljury.equivalence.rules.base import RELATION, Rewritten, rule
from sqljury.equivalence.rules.relation.never_true import nothing
from sqljury.trees.context import Context
from sqljury.trees.nodes import Expression, Limit, Literal, Relation, Sort, Type
from sqljury.trees.properties import properties, without_keys


@rule(RELATION, at={"Limit"}, order=80)
def limits(relation: Relation, context: Context) -> Rewritten | None:
    """``LIMIT 3`` of ``LIMIT 5`` → ``LIMIT 3``; ``LIMIT 0`` → no rows; ``LIMIT 1`` of at most
    one row → nothing."""
    if not isinstance(relation, Limit):
        return None
    count, offset = _number(relation.count), _number(relation.offset)
    if relation.offset is not None and offset == 0:
        return Rewritten(Limit(relation.input, relation.count))
    if count is not None and count < 0 and context.dialect == "sqlite":
        return Rewritten(Limit(relation.input, None, relation.offset))
    if relation.count is None and relation.offset is None:
        return Rewritten(relation.input)
    if count == 0:
        return Rewritten(nothing(relation))
    if relation.offset is None and count is not None:
        return _of_few(relation, count, context)
    return None


def _of_few(relation: Limit, count: int, context: Context) -> Rewritten | None:
    below = relation.input
    if isinstance(below, Limit) and below.offset is None:
        inner = _number(below.count)
        if inner is not None and inner >= 0:
            return Rewritten(Limit(below.input, _literal(min(count, inner))))
    if _at_most_one(below, context) and count > 0:
        return Rewritten(below.input if isinstance(below, Sort) else below)
    return None


def _at_most_one(relation: Relation, context: Context) -> bool:
    return frozenset() in properties(relation, without_keys(context)).keys


def _number(expression: Expression | None) -> int | None:
    value = expression.value if isinstance(expression, Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _literal(number: int) -> Literal:
    return Literal(number, Type.INTEGER)
