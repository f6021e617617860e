"""COALESCE and its other names."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import (
    COMPARISONS,
    compared_as_it_is,
    is_null,
    may_be_null,
    number,
    same_type,
    surely_different,
    text,
    truth_of,
)
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.equivalence.rules.expression.fold_constants import compare
from sqljury.trees.nodes import FALSE, NULL, Call, Expression, Literal
from sqljury.trees.volatile import is_volatile

_NAMES = frozenset({"COALESCE", "IFNULL", "NVL"})


@rule(EXPRESSION, at=_NAMES, order=160)
def tidy_coalesce(expression: Expression, scope: Scope) -> Expression | None:
    """``IFNULL(x, y)``, ``COALESCE(x, NULL, x, y)`` → ``COALESCE(x, y)``; nothing stands after
    what is never NULL."""
    assert isinstance(expression, Call)
    if not expression.operands or is_volatile(expression):
        return None
    kept: list[Expression] = []
    for part in _flat(expression):
        if is_null(part) or part in kept:
            continue
        kept.append(part)
        if not may_be_null(part, scope):
            break
    several = len(kept) > 1
    new = Call("COALESCE", tuple(kept)) if several else kept[0] if kept else NULL
    return None if new == expression or not same_type(expression, new, scope) else new


def _flat(expression: Call) -> list[Expression]:
    found: list[Expression] = []
    for part in expression.operands:
        if isinstance(part, Call) and part.name in _NAMES:
            found += _flat(part)
        else:
            found.append(part)
    return found


@rule(CONDITION, at={"COALESCE"}, order=60)
def coalesce_as_condition(expression: Expression, scope: Scope) -> Expression | None:
    """``WHERE COALESCE(c, FALSE)`` → ``WHERE c``."""
    value, default = _value_and_default(expression)
    known = None if default is None else truth_of(default, scope)
    return value if known == FALSE else None


@rule(CONDITION, at=COMPARISONS, order=70)
def compared_coalesce(expression: Expression, scope: Scope) -> Expression | None:
    """``WHERE COALESCE(x, 0) > 3`` → ``WHERE x > 3``; ``COALESCE(x, 0) < 3`` → ``x < 3 OR x IS
    NULL``."""
    assert isinstance(expression, Call)
    if len(expression.operands) != 2:
        return None
    call, constant = expression.operands
    value, default = _value_and_default(call)
    if value is None or default is None or not isinstance(constant, Literal):
        return None
    if not compared_as_it_is(value, constant, scope):
        return None
    known = compare(expression.name, number(default), number(constant))
    if known is None and expression.name in ("=", "<>"):
        known = _of_texts(expression.name, text(default), text(constant))
    if known is None or is_volatile(value):
        return None
    compared = Call(expression.name, (value, constant))
    return Call("OR", (compared, Call("IS NULL", (value,)))) if known else compared


def _of_texts(operator: str, default: str | None, constant: str | None) -> bool | None:
    """Whether the default passes, if no collation can make equals of different texts."""
    if default is None or constant is None:
        return None
    if default != constant and not surely_different(default, constant):
        return None
    return (default == constant) == (operator == "=")


def _value_and_default(expression: Expression) -> tuple[Expression | None, Expression | None]:
    match expression:
        case Call(name="COALESCE", operands=(value, Literal() as default)):
            return value, default
        case _:
            return None, None
