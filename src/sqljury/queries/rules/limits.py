"""LIMIT that takes everything or nothing, and LIMIT of a LIMIT."""

from __future__ import annotations

from sqljury.queries.rules.base import RelationRule, Rewritten
from sqljury.queries.rules.never_true import nothing
from sqljury.queries.trees.context import Context
from sqljury.queries.trees.nodes import Expression, Limit, Literal, Relation, Sort, Type
from sqljury.queries.trees.properties import properties, without_keys


def _apply(relation: Relation, context: Context) -> Rewritten | None:
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


LIMITS = RelationRule("limits", _apply)
