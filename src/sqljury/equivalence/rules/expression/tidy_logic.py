"""AND and OR: flat, without repetitions and constants, operands in order."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import is_logical, truth_of
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.trees.nodes import FALSE, NULL, TRUE, Call, Expression
from sqljury.trees.order import sort_key
from sqljury.trees.volatile import is_volatile

_NEUTRAL = {"AND": TRUE, "OR": FALSE}
_ABSORBING = {"AND": FALSE, "OR": TRUE}


@rule(EXPRESSION, at={"AND", "OR"}, order=500)
def tidy_logic(expression: Expression, scope: Scope) -> Expression | None:
    """``b AND (a AND TRUE) AND b`` → ``a AND b``.

    A single operand remains only if it is a truth value itself.
    """
    assert isinstance(expression, Call)
    found = _tidied(expression, scope)
    if isinstance(found, list):
        if len(found) == 1 and not is_logical(found[0], scope):
            return None
        return _put_together(expression, found)
    return found


@rule(CONDITION, at={"AND", "OR"}, order=130, name="tidy_logic")
def tidy_condition(expression: Expression, scope: Scope) -> Expression | None:
    """``WHERE a AND NULL`` → FALSE; ``WHERE a OR NULL`` → ``WHERE a``."""
    assert isinstance(expression, Call)
    found = _tidied(expression, scope)
    if not isinstance(found, list):
        return found
    if NULL in found:
        if expression.name == "AND":
            return FALSE
        found = [part for part in found if part != NULL]
    return _put_together(expression, found)


def _tidied(expression: Call, scope: Scope) -> list[Expression] | Expression:
    """The operands that remain, or the constant that it is."""
    name = expression.name
    parts: list[Expression] = []
    _flatten(expression, name, parts)
    kept: dict[Expression, None] = {}
    for part in parts:
        known = truth_of(part, scope)
        if known == _ABSORBING[name]:
            return known
        if known != _NEUTRAL[name]:
            kept[part if known is None else known] = None
    if not kept:
        return _NEUTRAL[name]
    if len(kept) < len(parts) and is_volatile(*parts):
        return parts
    return sorted(kept, key=sort_key)


def _flatten(expression: Call, name: str, into: list[Expression]) -> None:
    for part in expression.operands:
        if isinstance(part, Call) and part.name == name:
            _flatten(part, name, into)
        else:
            into.append(part)


def _put_together(expression: Call, parts: list[Expression]) -> Expression | None:
    if not parts:
        return _NEUTRAL[expression.name]
    if len(parts) == 1:
        return parts[0]
    new = tuple(parts)
    same = len(new) == len(expression.operands) and all(map(_is, new, expression.operands))
    return None if same else Call(expression.name, new)


def _is(one: Expression, other: Expression) -> bool:
    return one is other or one == other
