"""Lists of IN: constants in order, each once, one alone is an equality."""

from __future__ import annotations

from sqljury.queries.rules.base import ConditionRule, ExpressionRule, Scope
from sqljury.queries.rules.forms import is_null
from sqljury.queries.trees.nodes import FALSE, NULL, Call, Expression, Literal
from sqljury.queries.trees.order import sort_key
from sqljury.queries.trees.volatile import is_volatile


def tidy_in_list(expression: Expression, _: Scope) -> Expression | None:
    """``x IN (2, 1, 2)`` is ``x IN (1, 2)``, and ``x IN (1)`` is ``x = 1``.

    SQLite compares without the affinity of a listed column, so only constants become equalities.
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


def null_in_list(expression: Expression, _: Scope) -> Expression | None:
    """A listed NULL equals nothing: gone from IN, and NOT IN is never true."""
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


RULE = ExpressionRule("tidy_in_list", tidy_in_list, frozenset({"IN"}))
CONDITION_RULE = ConditionRule("null_in_list", null_in_list, frozenset({"IN", "NOT"}))
