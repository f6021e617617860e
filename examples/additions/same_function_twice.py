"""Functions that change nothing the second time."""

from __future__ import annotations

from sqljury.equivalence.rules.base import EXPRESSION, Scope, rule
from sqljury.trees.nodes import Call, Expression


@rule(EXPRESSION, at={"LOWER", "UPPER", "ABS"})
def same_function_twice(expression: Expression, _: Scope) -> Expression | None:
    """``LOWER(LOWER(x))`` → ``LOWER(x)``."""
    assert isinstance(expression, Call)
    match expression.operands:
        case (Call(name, (_,)) as inner,) if name == expression.name:
            return inner
    return None
