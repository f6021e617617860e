"""Comparisons of truth values with TRUE, FALSE, 1 and 0; IS, IS TRUE and IS FALSE."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import (
    COMPARISONS,
    integer,
    is_logical,
    is_null,
    may_be_null,
    number,
    truth,
    truth_of,
)
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.equivalence.rules.expression.fold_constants import compare
from sqljury.trees.nodes import FALSE, TRUE, Call, Expression, Literal

_TESTS = {"IS TRUE": TRUE, "IS FALSE": FALSE}


@rule(EXPRESSION, at=COMPARISONS, order=170)
def compared_truth(expression: Expression, scope: Scope) -> Expression | None:
    """``(x > 3) = TRUE`` → ``x > 3``; ``(x > 3) = 0`` → ``NOT x > 3``."""
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


@rule(EXPRESSION, at=_TESTS, order=180)
def truth_test(expression: Expression, scope: Scope) -> Expression | None:
    """``c IS TRUE`` → ``c`` where c is never NULL; ``c IS FALSE`` → ``NOT c``."""
    assert isinstance(expression, Call)
    (condition,) = expression.operands
    known = truth_of(condition, scope)
    if known is not None:
        return truth(known == _TESTS[expression.name])
    if not is_logical(condition, scope) or may_be_null(condition, scope):
        return None
    return condition if expression.name == "IS TRUE" else Call("NOT", (condition,))


@rule(CONDITION, at=_TESTS, order=80, name="truth_test")
def truth_test_in_condition(expression: Expression, _: Scope) -> Expression | None:
    """``WHERE c IS TRUE`` → ``WHERE c``: NULL is as good as FALSE."""
    assert isinstance(expression, Call)
    (condition,) = expression.operands
    return condition if expression.name == "IS TRUE" else Call("NOT", (condition,))


@rule(EXPRESSION, at={"IS"}, order=190)
def null_safe_equality(expression: Expression, scope: Scope) -> Expression | None:
    """``x IS y`` → ``x = y`` where neither can be NULL."""
    assert isinstance(expression, Call)
    left, right = expression.operands
    if is_null(right) or is_null(left):
        return Call("IS NULL", (left if is_null(right) else right,))
    if may_be_null(left, scope) or may_be_null(right, scope):
        return None
    return Call("=", expression.operands)


@rule(CONDITION, at={"IS"}, order=90, name="null_safe_equality")
def null_safe_equality_in_condition(expression: Expression, scope: Scope) -> Expression | None:
    """``WHERE x IS y`` → ``WHERE x = y`` where one of them is never NULL."""
    assert isinstance(expression, Call)
    if all(may_be_null(operand, scope) for operand in expression.operands):
        return None
    return Call("=", expression.operands)


@rule(EXPRESSION, at={"NOT"}, order=200)
def null_safe_inequality(expression: Expression, scope: Scope) -> Expression | None:
    """``x IS NOT 3`` → ``x <> 3 OR x IS NULL``."""
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
