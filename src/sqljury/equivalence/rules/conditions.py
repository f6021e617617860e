"""AND, OR and NOT."""

from __future__ import annotations

from functools import reduce

from sqljury.equivalence.blocks.forms import (
    COMPARISONS,
    NEGATED,
    is_logical,
    may_be_null,
    negation,
    truth,
    truth_of,
)
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.trees.nodes import FALSE, NULL, TRUE, Call, Expression, Literal, Ref
from sqljury.trees.order import sort_key
from sqljury.trees.types import null_rejected
from sqljury.trees.volatile import is_volatile

# ---------------------------------------------------------------- tidy logic
# AND and OR: flat, without repetitions and constants, operands in order.


_NEUTRAL = {"AND": TRUE, "OR": FALSE}
_ABSORBING = {"AND": FALSE, "OR": TRUE}


@rule(EXPRESSION, at={"AND", "OR"})
def tidy_logic(expression: Expression, scope: Scope) -> Expression | None:
    """``b AND (a AND TRUE) AND b`` → ``a AND b``.

    A single operand remains only if it is a truth value itself.
    """
    assert isinstance(expression, Call)
    found = _tidied(expression, scope)
    if isinstance(found, list):
        if len(found) == 1 and not is_logical(found[0], scope):
            return None
        return _put_together(expression, found)
    return found


@rule(CONDITION, at={"AND", "OR"}, name="tidy_logic")
def tidy_condition(expression: Expression, scope: Scope) -> Expression | None:
    """``WHERE a AND NULL`` → FALSE; ``WHERE a OR NULL`` → ``WHERE a``."""
    assert isinstance(expression, Call)
    found = _tidied(expression, scope)
    if not isinstance(found, list):
        return found
    if NULL in found:
        if expression.name == "AND":
            return FALSE
        found = [part for part in found if part != NULL]
    return _put_together(expression, found)


def _tidied(expression: Call, scope: Scope) -> list[Expression] | Expression:
    """The operands that remain, or the constant that it is."""
    name = expression.name
    parts: list[Expression] = []
    _flatten(expression, name, parts)
    kept: dict[Expression, None] = {}
    for part in parts:
        known = truth_of(part, scope)
        if known == _ABSORBING[name]:
            return known
        if known != _NEUTRAL[name]:
            kept[part if known is None else known] = None
    if not kept:
        return _NEUTRAL[name]
    if len(kept) < len(parts) and is_volatile(*parts):
        return parts
    return sorted(kept, key=sort_key)


def _flatten(expression: Call, name: str, into: list[Expression]) -> None:
    for part in expression.operands:
        if isinstance(part, Call) and part.name == name:
            _flatten(part, name, into)
        else:
            into.append(part)


def _put_together(expression: Call, parts: list[Expression]) -> Expression | None:
    if not parts:
        return _NEUTRAL[expression.name]
    if len(parts) == 1:
        return parts[0]
    new = tuple(parts)
    same = len(new) == len(expression.operands) and all(map(_is, new, expression.operands))
    return None if same else Call(expression.name, new)


def _is(one: Expression, other: Expression) -> bool:
    return one is other or one == other


# ---------------------------------------------------------------- push not down
# NOT goes inside, to comparisons that have an opposite.
#
# All of it holds for three truth values: an opposite is NULL exactly where the comparison is.


_DUAL = {"AND": "OR", "OR": "AND"}


@rule(EXPRESSION, at={"NOT"})
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


@rule(CONDITION, at={"NOT"})
def double_negation(expression: Expression, _: Scope) -> Expression | None:
    """``WHERE NOT NOT x`` → ``WHERE x``, of a number, too."""
    inner = _operand(expression)
    return inner.operands[0] if isinstance(inner, Call) and inner.name == "NOT" else None


def _operand(expression: Expression) -> Expression:
    assert isinstance(expression, Call)
    return expression.operands[0]


# ---------------------------------------------------------------- same operands
# Comparisons of a value with itself.


_TRUE_OF_EQUALS = frozenset(("=", "<=", ">="))


def _itself(expression: Expression) -> Expression | None:
    assert isinstance(expression, Call)
    if len(expression.operands) != 2 or expression.operands[0] != expression.operands[1]:
        return None
    value = expression.operands[0]
    return None if isinstance(value, Literal) or is_volatile(value) else value


@rule(EXPRESSION, at=COMPARISONS | {"IS"})
def same_operands(expression: Expression, scope: Scope) -> Expression | None:
    """``x = x`` → TRUE, ``x < x`` → FALSE, where x is never NULL; ``x IS x`` → TRUE."""
    value = _itself(expression)
    assert isinstance(expression, Call)
    if value is None:
        return None
    if expression.name == "IS":
        return TRUE
    return None if may_be_null(value, scope) else truth(expression.name in _TRUE_OF_EQUALS)


@rule(CONDITION, at=COMPARISONS, name="same_operands")
def same_operands_in_condition(expression: Expression, _: Scope) -> Expression | None:
    """``WHERE x = x`` → ``WHERE x IS NOT NULL``; ``x < x`` → FALSE."""
    value = _itself(expression)
    assert isinstance(expression, Call)
    if value is None:
        return None
    if expression.name in _TRUE_OF_EQUALS:
        return Call("NOT", (Call("IS NULL", (value,)),))
    return FALSE


# ---------------------------------------------------------------- absorption
# AND and OR of each other: absorption, common factors, a condition and its opposite.


_MOST = 60
"""Operands that are compared with each other."""


@rule(EXPRESSION, at={"AND", "OR"})
def absorption(expression: Expression, scope: Scope) -> Expression | None:
    """``a OR (a AND b)`` → ``a``, which holds for three truth values."""
    assert isinstance(expression, Call)
    sets = _inner_sets(expression)
    if sets is None:
        return None
    kept = [
        part
        for part, inner in zip(expression.operands, sets, strict=True)
        if not any(other < inner for other in sets)
    ]
    if len(kept) == len(sets) or is_volatile(expression):
        return None
    if len(kept) > 1:
        return Call(expression.name, tuple(kept))
    return kept[0] if is_logical(kept[0], scope) else None


@rule(EXPRESSION, at={"AND", "OR"})
def common_factor(expression: Expression, _: Scope) -> Expression | None:
    """``(a AND b) OR (a AND c)`` → ``a AND (b OR c)``, and so with OR and AND exchanged."""
    assert isinstance(expression, Call)
    sets = _inner_sets(expression)
    if sets is None:
        return None
    common = frozenset.intersection(*sets)
    if not common or any(inner <= common for inner in sets) or is_volatile(*common):
        return None
    dual = _DUAL[expression.name]
    rests = []
    shared: list[Expression] = []
    for part in expression.operands:
        assert isinstance(part, Call)
        shared = [one for one in part.operands if one in common]
        rest = tuple(one for one in part.operands if one not in common)
        rests.append(rest[0] if len(rest) == 1 else Call(dual, rest))
    return Call(dual, (*shared, Call(expression.name, tuple(rests))))


def _inner_sets(expression: Call) -> list[frozenset[Expression]] | None:
    """What each operand joins by the other connective; None if none does."""
    dual = _DUAL[expression.name]
    parts = expression.operands
    if len(parts) > _MOST or not any(isinstance(p, Call) and p.name == dual for p in parts):
        return None
    return [
        frozenset(part.operands)
        if isinstance(part, Call) and part.name == dual
        else frozenset((part,))
        for part in parts
    ]


@rule(EXPRESSION, at={"AND", "OR"})
def opposites(expression: Expression, scope: Scope) -> Expression | None:
    """``a AND NOT a`` → FALSE, ``a OR NOT a`` → TRUE, where a is never NULL."""
    assert isinstance(expression, Call)
    part = _with_opposite(expression)
    return None if part is None or may_be_null(part, scope) else truth(expression.name == "OR")


@rule(CONDITION, at={"AND", "OR"}, name="opposites")
def opposites_in_condition(expression: Expression, scope: Scope) -> Expression | None:
    """``WHERE a AND NOT a`` → FALSE."""
    assert isinstance(expression, Call)
    part = _with_opposite(expression)
    if part is None or (expression.name == "OR" and may_be_null(part, scope)):
        return None
    return truth(expression.name == "OR")


def _with_opposite(expression: Call) -> Expression | None:
    """An operand whose opposite is one, too."""
    parts = expression.operands
    if len(parts) > _MOST:
        return None
    negated = [part for part in parts if isinstance(part, Call) and part.name == "NOT"]
    for part in negated:
        if negation(part) in parts and not is_volatile(part):
            return part
    return None


# ---------------------------------------------------------------- compare pairs
# Comparisons of the same two values with each other become one.
#
# ``a > b AND a >= b`` is ``a > b``; ``a < b OR a = b`` is ``a <= b``. Each is NULL where the
# others are, so this holds for three truth values, save that nothing is left, or everything.


_SIGNS = {"<": 1, "=": 2, ">": 4, "<=": 3, "<>": 5, ">=": 6}
_OPERATORS = {signs: operator for operator, signs in _SIGNS.items()}
_ALL = 7


@rule(EXPRESSION, at={"AND", "OR"})
def compare_pairs(expression: Expression, scope: Scope) -> Expression | None:
    """``a > b AND a >= b`` → ``a > b``; ``a < b OR a = b`` → ``a <= b``.

    Nothing and all only where neither value can be NULL.
    """
    return _merged(expression, scope, condition=False)


@rule(CONDITION, at={"AND", "OR"}, name="compare_pairs")
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


# ---------------------------------------------------------------- implied not null
# ``x IS NOT NULL`` beside a condition that is never true for NULL.


@rule(CONDITION, at={"AND", "OR"})
def implied_not_null(expression: Expression, _: Scope) -> Expression | None:
    """``x = y AND x IS NOT NULL`` → ``x = y``; ``x = y AND x IS NULL`` → FALSE; ``x = y OR x IS
    NOT NULL`` → ``x IS NOT NULL``."""
    assert isinstance(expression, Call)
    tested = {part: _tested(part) for part in expression.operands}
    if all(found is None for found in tested.values()):
        return None
    others = [part for part in expression.operands if tested[part] is None]
    rejected = [null_rejected(part) for part in others]
    if expression.name == "OR":
        not_null = {found[0] for found in tested.values() if found is not None and found[1]}
        gone = [o for o, r in zip(others, rejected, strict=True) if not_null & r]
        return _without(expression, gone)
    all_rejected = frozenset[int]().union(*rejected)
    gone = []
    for part, found in tested.items():
        if found is not None and found[0] in all_rejected:
            if not found[1]:
                return FALSE
            gone.append(part)
    return _without(expression, gone)


def _tested(part: Expression) -> tuple[int, bool] | None:
    """The column that is tested for NULL, and whether it must not be."""
    match part:
        case Call(name="IS NULL", operands=(Ref(index=index),)):
            return index, False
        case Call(name="NOT", operands=(Call(name="IS NULL", operands=(Ref(index=index),)),)):
            return index, True
        case _:
            return None


def _without(expression: Call, gone: list[Expression]) -> Expression | None:
    if not gone:
        return None
    kept = tuple(part for part in expression.operands if part not in gone)
    return kept[0] if len(kept) == 1 else Call(expression.name, kept)
