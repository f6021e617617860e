"""Conditions as lists of what is joined by AND or OR."""

from __future__ import annotations

from collections.abc import Iterable

from sqljury.trees.nodes import FALSE, TRUE, Call, Expression, Filter, Relation


def conjuncts(condition: Expression) -> tuple[Expression, ...]:
    """What must all be true; nothing for TRUE."""
    if isinstance(condition, Call) and condition.name == "AND":
        return tuple(part for operand in condition.operands for part in conjuncts(operand))
    return () if condition == TRUE else (condition,)


def disjuncts(condition: Expression) -> tuple[Expression, ...]:
    """Of what one must be true; nothing for FALSE."""
    if isinstance(condition, Call) and condition.name == "OR":
        return tuple(part for operand in condition.operands for part in disjuncts(operand))
    return () if condition == FALSE else (condition,)


def conjunction(parts: Iterable[Expression]) -> Expression:
    """All of the parts: TRUE for none, the part itself for one."""
    found = tuple(parts)
    if len(found) == 1:
        return found[0]
    return Call("AND", found) if found else TRUE


def disjunction(parts: Iterable[Expression]) -> Expression:
    """One of the parts: FALSE for none, the part itself for one."""
    found = tuple(parts)
    if len(found) == 1:
        return found[0]
    return Call("OR", found) if found else FALSE


def filtered(relation: Relation, condition: Expression) -> Relation:
    """The rows for which the condition is true, without a filter on TRUE."""
    return relation if condition == TRUE else Filter(relation, condition)


def not_null(expression: Expression) -> Expression:
    """``expression IS NOT NULL``."""
    return Call("NOT", (Call("IS NULL", (expression,)),))
