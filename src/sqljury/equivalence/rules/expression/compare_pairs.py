"""Comparisons of the same two values with each other become one.

``a > b AND a >= b`` is ``a > b``; ``a < b OR a = b`` is ``a <= b``. Each is NULL where the
others are, so this holds for three truth values, save that nothing is left, or everything.
"""

from __future__ import annotations

from functools import reduce

from sqljury.equivalence.blocks.forms import COMPARISONS, may_be_null, truth
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.trees.nodes import FALSE, Call, Expression, Literal
from sqljury.trees.volatile import is_volatile

_SIGNS = {"<": 1, "=": 2, ">": 4, "<=": 3, "<>": 5, ">=": 6}
_OPERATORS = {signs: operator for operator, signs in _SIGNS.items()}
_ALL = 7


@rule(EXPRESSION, at={"AND", "OR"}, order=540)
def compare_pairs(expression: Expression, scope: Scope) -> Expression | None:
    """``a > b AND a >= b`` → ``a > b``; ``a < b OR a = b`` → ``a <= b``.

    Nothing and all only where neither value can be NULL.
    """
    return _merged(expression, scope, condition=False)


@rule(CONDITION, at={"AND", "OR"}, order=160, name="compare_pairs")
def compare_pairs_in_condition(expression: Expression, scope: Scope) -> Expression | None:
    """``a < b AND a > b`` → FALSE; ``a <= b OR a > b`` → ``a IS NOT NULL AND b IS NOT NULL``."""
    return _merged(expression, scope, condition=True)


def _merged(expression: Expression, scope: Scope, *, condition: bool) -> Expression | None:
    assert isinstance(expression, Call)
    groups: dict[tuple[Expression, ...], list[Call]] = {}
    for part in expression.operands:
        if isinstance(part, Call) and _is_comparison(part):
            groups.setdefault(part.operands, []).append(part)
    for pair, found in groups.items():
        if len(found) < 2 or is_volatile(*pair):
            continue
        signs = reduce(_both if expression.name == "AND" else _either, map(_signs, found))
        new = _written(pair, signs, scope, condition)
        if new is not None:
            rest = [part for part in expression.operands if not any(part is one for one in found)]
            return Call(expression.name, (*rest, new)) if rest else new
    return None


def _is_comparison(part: Call) -> bool:
    if part.name not in COMPARISONS or len(part.operands) != 2:
        return False
    return not any(isinstance(operand, Literal) for operand in part.operands)


def _signs(part: Call) -> int:
    return _SIGNS[part.name]


def _both(one: int, other: int) -> int:
    return one & other


def _either(one: int, other: int) -> int:
    return one | other


def _written(
    pair: tuple[Expression, ...], signs: int, scope: Scope, condition: bool
) -> Expression | None:
    if signs in _OPERATORS:
        return Call(_OPERATORS[signs], pair)
    if not any(may_be_null(value, scope) for value in pair):
        return truth(signs == _ALL)
    if not condition:
        return None
    if signs == 0:
        return FALSE
    return Call("AND", tuple(Call("NOT", (Call("IS NULL", (value,)),)) for value in pair))
