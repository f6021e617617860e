"""Comparisons of truth values with TRUE, FALSE, 1 and 0; IS, IS TRUE and IS FALSE."""

from __future__ import annotations

from sqljury.queries.rules.base import ConditionRule, ExpressionRule, Scope
from sqljury.queries.rules.fold_constants import compare
from sqljury.queries.rules.forms import (
    COMPARISONS,
    integer,
    is_logical,
    is_null,
    may_be_null,
    number,
    truth,
    truth_of,
)
from sqljury.queries.trees.nodes import FALSE, TRUE, Call, Expression, Literal

_TESTS = {"IS TRUE": TRUE, "IS FALSE": FALSE}


def compared_truth(expression: Expression, scope: Scope) -> Expression | None:
    """``(x > 3) = TRUE`` is ``x > 3``, and ``(x > 3) = 0`` is ``NOT x > 3``."""
    assert isinstance(expression, Call)
    if len(expression.operands) != 2:
        return None
    condition, constant = expression.operands
    if isinstance(condition, Literal) or not isinstance(constant, Literal):
        return None
    if not is_logical(condition, scope) or number(_as_number(constant)) is None:
        return None
    if not isinstance(constant.value, bool) and truth_of(constant, scope) is None:
        return None
    outcomes = tuple(
        compare(expression.name, number(_as_number(value)), number(_as_number(constant)))
        for value in (FALSE, TRUE)
    )
    if outcomes == (False, True):
        return condition
    if outcomes == (True, False):
        return Call("NOT", (condition,))
    return None if may_be_null(condition, scope) else truth(outcomes[0])


def _as_number(constant: Literal) -> Literal:
    return integer(int(constant.value)) if isinstance(constant.value, bool) else constant


def truth_test(expression: Expression, scope: Scope) -> Expression | None:
    """IS TRUE of what is never NULL is the condition itself."""
    assert isinstance(expression, Call)
    (condition,) = expression.operands
    known = truth_of(condition, scope)
    if known is not None:
        return truth(known == _TESTS[expression.name])
    if not is_logical(condition, scope) or may_be_null(condition, scope):
        return None
    return condition if expression.name == "IS TRUE" else Call("NOT", (condition,))


def truth_test_in_condition(expression: Expression, _: Scope) -> Expression | None:
    """There NULL is as good as FALSE."""
    assert isinstance(expression, Call)
    (condition,) = expression.operands
    return condition if expression.name == "IS TRUE" else Call("NOT", (condition,))


def null_safe_equality(expression: Expression, scope: Scope) -> Expression | None:
    """``x IS y`` is ``x = y`` where neither can be NULL, ``x IS NULL`` has a name of its own."""
    assert isinstance(expression, Call)
    left, right = expression.operands
    if is_null(right) or is_null(left):
        return Call("IS NULL", (left if is_null(right) else right,))
    if may_be_null(left, scope) or may_be_null(right, scope):
        return None
    return Call("=", expression.operands)


def null_safe_equality_in_condition(expression: Expression, scope: Scope) -> Expression | None:
    """One that is never NULL is enough."""
    assert isinstance(expression, Call)
    if all(may_be_null(operand, scope) for operand in expression.operands):
        return None
    return Call("=", expression.operands)


def null_safe_inequality(expression: Expression, scope: Scope) -> Expression | None:
    """``x IS NOT 3`` is ``x <> 3 OR x IS NULL``."""
    assert isinstance(expression, Call)
    (inner,) = expression.operands
    if not isinstance(inner, Call) or inner.name != "IS":
        return None
    left, right = inner.operands
    if not isinstance(right, Literal) or is_null(right):
        return None
    different = Call("<>", (left, right))
    return (
        Call("OR", (different, Call("IS NULL", (left,)))) if may_be_null(left, scope) else different
    )


RULES = (
    ExpressionRule("compared_truth", compared_truth, COMPARISONS),
    ExpressionRule("truth_test", truth_test, frozenset(_TESTS)),
    ExpressionRule("null_safe_equality", null_safe_equality, frozenset({"IS"})),
    ExpressionRule("null_safe_inequality", null_safe_inequality, frozenset({"NOT"})),
)
CONDITION_RULES = (
    ConditionRule("truth_test", truth_test_in_condition, frozenset(_TESTS)),
    ConditionRule("null_safe_equality", null_safe_equality_in_condition, frozenset({"IS"})),
)
