"""Rules for CASE, COALESCE and guards against division by zero."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import (
    is_logical,
    is_null,
    may_be_null,
    number,
    same_type,
    truth_is_a_number,
    truth_of,
)
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.trees.nodes import FALSE, NULL, TRUE, Call, Cast, Expression, Literal
from sqljury.trees.volatile import is_volatile

# ---------------------------------------------------------------- simplify case
# CASE: branches are removed or merged, or the CASE is replaced by a simpler expression.
#
# The operands alternate between conditions and results; the ELSE is last. The branch of a condition
# that is NULL is not taken, so only whether conditions are true matters.


Branches = list[tuple[Expression, Expression]]


def _parts(expression: Call) -> tuple[Branches, Expression]:
    operands = expression.operands
    return list(zip(operands[:-1:2], operands[1::2], strict=True)), operands[-1]


def _case(branches: Branches, default: Expression) -> Expression:
    if not branches:
        return default
    return Call("CASE", (*(part for branch in branches for part in branch), default))


@rule(EXPRESSION, at={"IIF", "IF"})
def if_to_case(expression: Call, _: Scope) -> Expression | None:
    """``IIF(c, a, b)``, and IF of MySQL → ``CASE WHEN c THEN a ELSE b END``."""
    if len(expression.operands) == 2:
        return Call("CASE", (*expression.operands, NULL))
    return Call("CASE", expression.operands) if len(expression.operands) == 3 else None


@rule(EXPRESSION, at={"CASE"})
def fewer_branches(expression: Call, scope: Scope) -> Expression | None:
    """``CASE WHEN FALSE THEN a WHEN c THEN b ELSE d END`` → ``CASE WHEN c THEN b ELSE d END``:
    without branches that are never taken or make no difference."""
    branches, default = _parts(expression)
    kept: Branches = []
    for condition, result in branches:
        known = truth_of(condition, scope)
        if known == TRUE:
            default = result
            break
        if known is None and all(condition != other for other, _ in kept):
            kept.append((condition, result))
    if isinstance(default, Call) and default.name == "CASE":
        inner, default = _parts(default)
        kept += inner
    while kept and kept[-1][1] == default and not is_volatile(kept[-1][0]):
        kept.pop()
    merged: Branches = []
    for condition, result in kept:
        if merged and merged[-1][1] == result:
            merged[-1] = (Call("OR", (merged[-1][0], condition)), result)
        else:
            merged.append((condition, result))
    new = _case(merged, default)
    return None if new == expression or not same_type(expression, new, scope) else new


@rule(EXPRESSION, at={"CASE"})
def case_to_condition(expression: Call, scope: Scope) -> Expression | None:
    """``CASE WHEN c THEN TRUE ELSE FALSE END`` → ``c`` where c is never NULL; likewise with 1
    and 0 in SQLite and MySQL."""
    branches, default = _parts(expression)
    if len(branches) != 1:
        return None
    condition, result = branches[0]
    if not is_logical(condition, scope) or may_be_null(condition, scope):
        return None
    outcomes = _truths((result, default), scope)
    if outcomes == [TRUE, FALSE]:
        return condition
    return Call("NOT", (condition,)) if outcomes == [FALSE, TRUE] else None


def _truths(results: tuple[Expression, ...], scope: Scope) -> list[Literal | None]:
    """For each result TRUE or FALSE if it is a constant truth value (also 1 or 0), else None."""
    found: list[Literal | None] = []
    for result in results:
        logical = isinstance(result, Literal) and (
            isinstance(result.value, bool)
            or (
                truth_is_a_number(scope)
                and result.value in (0, 1)
                and isinstance(number(result), int)
            )
        )
        found.append(truth_of(result, scope) if logical else None)
    return found


@rule(EXPRESSION, at={"CASE"})
def swapped_case(expression: Call, scope: Scope) -> Expression | None:
    """``CASE WHEN NOT c THEN a ELSE b END`` → ``CASE WHEN c THEN b ELSE a END`` where c is
    never NULL."""
    branches, default = _parts(expression)
    if len(branches) != 1:
        return None
    condition, result = branches[0]
    if not isinstance(condition, Call) or condition.name != "NOT":
        return None
    inner = condition.operands[0]
    return None if may_be_null(inner, scope) else Call("CASE", (inner, default, result))


@rule(EXPRESSION, at={"CASE"})
def case_to_coalesce(expression: Call, _: Scope) -> Expression | None:
    """``CASE WHEN x IS NULL THEN y ELSE x END`` → ``COALESCE(x, y)``."""
    branches, default = _parts(expression)
    if len(branches) != 1:
        return None
    condition, result = branches[0]
    match condition:
        case Call(name="IS NULL", operands=(value,)):
            found, otherwise = default, result
        case Call(name="NOT", operands=(Call(name="IS NULL", operands=(value,)),)):
            found, otherwise = result, default
        case _:
            return None
    return Call("COALESCE", (value, otherwise)) if value == found else None


@rule(CONDITION, at={"CASE"})
def case_as_condition(expression: Call, scope: Scope) -> Expression | None:
    """``WHERE CASE WHEN a THEN b ELSE FALSE END`` → ``WHERE a AND b``."""
    branches, default = _parts(expression)
    known = truth_of(default, scope)
    if len(branches) != 1 or known is None:
        return None
    condition, result = branches[0]
    if known != TRUE:
        return Call("AND", (condition, result))
    if truth_of(result, scope) in (FALSE, NULL) and not may_be_null(condition, scope):
        return Call("NOT", (condition,))
    return None


# ---------------------------------------------------------------- coalesce
# COALESCE and its other names.


_NAMES = frozenset({"COALESCE", "IFNULL", "NVL"})


@rule(EXPRESSION, at=_NAMES)
def tidy_coalesce(expression: Call, scope: Scope) -> Expression | None:
    """``IFNULL(x, y)``, ``COALESCE(x, NULL, x, y)`` → ``COALESCE(x, y)``; operands after one that
    is never NULL are removed."""
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


# ---------------------------------------------------------------- division by zero
# Guards against division by zero are removed in SQLite and MySQL, where x / 0 is NULL.


_NULL_BY_ZERO = frozenset(("sqlite", "mysql"))


@rule(EXPRESSION, at={"/", "%"})
def guarded_divisor(expression: Call, scope: Scope) -> Expression | None:
    """``x / NULLIF(y, 0)`` → ``x / y``; the guard may be inside a CAST or a product."""
    if len(expression.operands) != 2 or scope.context.dialect not in _NULL_BY_ZERO:
        return None
    value, divisor = expression.operands
    found = _without_guard(divisor)
    return None if found is None else Call(expression.name, (value, found))


def _without_guard(divisor: Expression) -> Expression | None:
    match divisor:
        case Call(name="NULLIF", operands=(inner, zero)) if number(zero) == 0:
            return inner
        case Cast(operand=operand, type_name=("REAL" | "NUMERIC") as name):
            found = _without_guard(operand)
            return None if found is None else Cast(found, name)
        case Call(name="*", operands=(operand, factor)) if number(factor):
            found = _without_guard(operand)
            return None if found is None else Call("*", (found, factor))
        case _:
            return None


def _divides_by(division: Expression, divisor: Expression) -> bool:
    """True if an expression is NULL whenever the divisor is 0 or NULL."""
    match division:
        case Call(name="/" | "%", operands=(_, below)) if _is_scaled(below, divisor):
            return True
        case Call(name="+" | "-" | "*" | "/" | "NEG" | "ROUND", operands=parts):
            return any(_divides_by(part, divisor) for part in parts)
        case Cast(operand=operand):
            return _divides_by(operand, divisor)
        case _:
            return False


def _is_scaled(expression: Expression, divisor: Expression) -> bool:
    if expression == divisor:
        return True
    match expression:
        case Cast(operand=operand, type_name="REAL" | "NUMERIC"):
            return _is_scaled(operand, divisor)
        case _:
            return False
