"""Splits conditions into the operands of AND or OR, and builds them again."""

from __future__ import annotations

from collections.abc import Iterable

from sqljury.trees.nodes import FALSE, TRUE, Call, Expression, Filter, Relation


def conjuncts(condition: Expression) -> tuple[Expression, ...]:
    """The operands of AND, nested ones included; the condition itself without AND, nothing for
    TRUE."""
    if isinstance(condition, Call) and condition.name == "AND":
        return tuple(part for operand in condition.operands for part in conjuncts(operand))
    return () if condition == TRUE else (condition,)


def disjuncts(condition: Expression) -> tuple[Expression, ...]:
    """The operands of OR, nested ones included; the condition itself without OR, nothing for
    FALSE."""
    if isinstance(condition, Call) and condition.name == "OR":
        return tuple(part for operand in condition.operands for part in disjuncts(operand))
    return () if condition == FALSE else (condition,)


def conjunction(parts: Iterable[Expression]) -> Expression:
    """AND of the parts; TRUE for none, the part itself for one."""
    found = tuple(parts)
    if len(found) == 1:
        return found[0]
    return Call("AND", found) if found else TRUE


def disjunction(parts: Iterable[Expression]) -> Expression:
    """OR of the parts; FALSE for none, the part itself for one."""
    found = tuple(parts)
    if len(found) == 1:
        return found[0]
    return Call("OR", found) if found else FALSE


def filtered(relation: Relation, condition: Expression) -> Relation:
    """A Filter on the relation; the relation itself if the condition is TRUE."""
    return relation if condition == TRUE else Filter(relation, condition)


def not_null(expression: Expression) -> Expression:
    """``expression IS NOT NULL``."""
    return Call("NOT", (Call("IS NULL", (expression,)),))
