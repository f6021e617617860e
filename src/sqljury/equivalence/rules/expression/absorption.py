"""AND and OR of each other: absorption, common factors, a condition and its opposite."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import is_logical, may_be_null, negation, truth
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.trees.nodes import Call, Expression
from sqljury.trees.volatile import is_volatile

_DUAL = {"AND": "OR", "OR": "AND"}
_MOST = 60
"""Operands that are compared with each other."""


@rule(EXPRESSION, at={"AND", "OR"}, order=510)
def absorption(expression: Expression, scope: Scope) -> Expression | None:
    """``a OR (a AND b)`` → ``a``, which holds for three truth values."""
    assert isinstance(expression, Call)
    sets = _inner_sets(expression)
    if sets is None:
        return None
    kept = [
        part
        for part, inner in zip(expression.operands, sets, strict=True)
        if not any(other < inner for other in sets)
    ]
    if len(kept) == len(sets) or is_volatile(expression):
        return None
    if len(kept) > 1:
        return Call(expression.name, tuple(kept))
    return kept[0] if is_logical(kept[0], scope) else None


@rule(EXPRESSION, at={"AND", "OR"}, order=520)
def common_factor(expression: Expression, _: Scope) -> Expression | None:
    """``(a AND b) OR (a AND c)`` → ``a AND (b OR c)``, and so with OR and AND exchanged."""
    assert isinstance(expression, Call)
    sets = _inner_sets(expression)
    if sets is None:
        return None
    common = frozenset.intersection(*sets)
    if not common or any(inner <= common for inner in sets) or is_volatile(*common):
        return None
    dual = _DUAL[expression.name]
    rests = []
    shared: list[Expression] = []
    for part in expression.operands:
        assert isinstance(part, Call)
        shared = [one for one in part.operands if one in common]
        rest = tuple(one for one in part.operands if one not in common)
        rests.append(rest[0] if len(rest) == 1 else Call(dual, rest))
    return Call(dual, (*shared, Call(expression.name, tuple(rests))))


def _inner_sets(expression: Call) -> list[frozenset[Expression]] | None:
    """What each operand joins by the other connective; None if none does."""
    dual = _DUAL[expression.name]
    parts = expression.operands
    if len(parts) > _MOST or not any(isinstance(p, Call) and p.name == dual for p in parts):
        return None
    return [
        frozenset(part.operands)
        if isinstance(part, Call) and part.name == dual
        else frozenset((part,))
        for part in parts
    ]


@rule(EXPRESSION, at={"AND", "OR"}, order=530)
def opposites(expression: Expression, scope: Scope) -> Expression | None:
    """``a AND NOT a`` → FALSE, ``a OR NOT a`` → TRUE, where a is never NULL."""
    assert isinstance(expression, Call)
    part = _with_opposite(expression)
    return None if part is None or may_be_null(part, scope) else truth(expression.name == "OR")


@rule(CONDITION, at={"AND", "OR"}, order=140, name="opposites")
def opposites_in_condition(expression: Expression, scope: Scope) -> Expression | None:
    """``WHERE a AND NOT a`` → FALSE."""
    assert isinstance(expression, Call)
    part = _with_opposite(expression)
    if part is None or (expression.name == "OR" and may_be_null(part, scope)):
        return None
    return truth(expression.name == "OR")


def _with_opposite(expression: Call) -> Expression | None:
    """An operand whose opposite is one, too."""
    parts = expression.operands
    if len(parts) > _MOST:
        return None
    negated = [part for part in parts if isinstance(part, Call) and part.name == "NOT"]
    for part in negated:
        if negation(part) in parts and not is_volatile(part):
            return part
    return None
