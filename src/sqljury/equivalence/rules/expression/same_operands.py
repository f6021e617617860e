"""Comparisons of a value with itself."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import COMPARISONS, may_be_null, truth
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.trees.nodes import FALSE, TRUE, Call, Expression, Literal
from sqljury.trees.volatile import is_volatile

_TRUE_OF_EQUALS = frozenset(("=", "<=", ">="))


def _itself(expression: Expression) -> Expression | None:
    assert isinstance(expression, Call)
    if len(expression.operands) != 2 or expression.operands[0] != expression.operands[1]:
        return None
    value = expression.operands[0]
    return None if isinstance(value, Literal) or is_volatile(value) else value


@rule(EXPRESSION, at=COMPARISONS | {"IS"}, order=210)
def same_operands(expression: Expression, scope: Scope) -> Expression | None:
    """``x = x`` → TRUE, ``x < x`` → FALSE, where x is never NULL; ``x IS x`` → TRUE."""
    value = _itself(expression)
    assert isinstance(expression, Call)
    if value is None:
        return None
    if expression.name == "IS":
        return TRUE
    return None if may_be_null(value, scope) else truth(expression.name in _TRUE_OF_EQUALS)


@rule(CONDITION, at=COMPARISONS, order=100, name="same_operands")
def same_operands_in_condition(expression: Expression, _: Scope) -> Expression | None:
    """``WHERE x = x`` → ``WHERE x IS NOT NULL``; ``x < x`` → FALSE."""
    value = _itself(expression)
    assert isinstance(expression, Call)
    if value is None:
        return None
    if expression.name in _TRUE_OF_EQUALS:
        return Call("NOT", (Call("IS NULL", (value,)),))
    return FALSE
