"""A value that is shown for a key has that key."""

from __future__ import annotations

from sqljury.equivalence.rules.base import EXPRESSION, Scope, rule
from sqljury.trees.collations import BY_VALUE, SHOWN
from sqljury.trees.nodes import Call, Expression


@rule(EXPRESSION, at={"COLLATED", BY_VALUE}, needs={SHOWN})
def key_of_shown(expression: Expression, _: Scope) -> Expression | None:
    """``COLLATED(SHOWN(COLLATED(x, c)), c)`` → ``COLLATED(x, c)``: the key of what stands for all
    values of a key."""
    match expression:
        case Call(
            name=name,
            operands=(Call(name="SHOWN", operands=(Call() as key, _)), *collation),
        ) if key.name == name and list(key.operands[1:]) == collation:
            return key
    return None
