"""NOT goes inside, to comparisons that have an opposite.

All of it holds for three truth values: an opposite is NULL exactly where the comparison is.
"""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import NEGATED, is_logical, truth, truth_of
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.trees.nodes import Call, Expression

_DUAL = {"AND": "OR", "OR": "AND"}


@rule(EXPRESSION, at={"NOT"}, order=40)
def push_not_down(expression: Expression, scope: Scope) -> Expression | None:
    """``NOT (a < b OR c)`` → ``a >= b AND NOT c``."""
    inner = _operand(expression)
    known = truth_of(inner, scope)
    if known is not None:
        return truth(None if known.value is None else not known.value)
    if not isinstance(inner, Call):
        return None
    if inner.name in NEGATED and len(inner.operands) == 2:
        return Call(NEGATED[inner.name], inner.operands)
    if inner.name in _DUAL:
        return Call(_DUAL[inner.name], tuple(Call("NOT", (part,)) for part in inner.operands))
    if inner.name == "NOT" and is_logical(inner.operands[0], scope):
        return inner.operands[0]
    return None


@rule(CONDITION, at={"NOT"}, order=40)
def double_negation(expression: Expression, _: Scope) -> Expression | None:
    """``WHERE NOT NOT x`` → ``WHERE x``, of a number, too."""
    inner = _operand(expression)
    return inner.operands[0] if isinstance(inner, Call) and inner.name == "NOT" else None


def _operand(expression: Expression) -> Expression:
    assert isinstance(expression, Call)
    return expression.operands[0]
