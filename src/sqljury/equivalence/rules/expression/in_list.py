"""Lists of IN: constants in order, each once, one alone is an equality."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import is_null
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.trees.nodes import FALSE, NULL, Call, Expression, Literal
from sqljury.trees.order import sort_key
from sqljury.trees.volatile import is_volatile


@rule(EXPRESSION, at={"IN"}, order=480)
def tidy_in_list(expression: Expression, _: Scope) -> Expression | None:
    """``x IN (2, 1, 2)`` → ``x IN (1, 2)``; ``x IN (1)`` → ``x = 1``.

    SQLite compares without the affinity of a listed column, so only constants become
    equalities.
    """
    assert isinstance(expression, Call)
    value, *listed = expression.operands
    if not listed:
        return FALSE
    if is_null(value):
        return NULL
    if is_volatile(*listed):
        return None
    kept = sorted(dict.fromkeys(listed), key=sort_key)
    if len(kept) == 1 and isinstance(kept[0], Literal):
        return Call("=", (value, kept[0]))
    return None if kept == listed else Call("IN", (value, *kept))


@rule(CONDITION, at={"IN", "NOT"}, order=120)
def null_in_list(expression: Expression, _: Scope) -> Expression | None:
    """``WHERE x IN (1, NULL)`` → ``WHERE x IN (1)``; ``NOT IN`` with a NULL → FALSE."""
    assert isinstance(expression, Call)
    if expression.name == "NOT":
        inner = expression.operands[0]
        listed = (
            isinstance(inner, Call) and inner.name == "IN" and any(map(is_null, inner.operands))
        )
        return FALSE if listed else None
    value, *listed_values = expression.operands
    kept = [one for one in listed_values if not is_null(one)]
    if len(kept) == len(listed_values):
        return None
    return Call("IN", (value, *kept)) if kept else FALSE
