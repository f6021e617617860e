"""Rules for AND, OR and NOT."""

from __future__ import annotations

from sqljury.equivalence.blocks.forms import (
    is_logical,
    may_be_null,
    truth,
    truth_of,
)
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, rule
from sqljury.sql.comparisons import COMPARISONS, NEGATED
from sqljury.trees.conditions import not_null
from sqljury.trees.nodes import FALSE, NULL, TRUE, Call, Expression, Literal
from sqljury.trees.order import sort_key
from sqljury.trees.volatile import is_volatile

# ---------------------------------------------------------------- tidy logic
# AND and OR: nested ones flattened, repetitions and constants removed, operands sorted.


_NEUTRAL = {"AND": TRUE, "OR": FALSE}
_ABSORBING = {"AND": FALSE, "OR": TRUE}


@rule(EXPRESSION, at={"AND", "OR"})
def tidy_logic(expression: Call, scope: Scope) -> Expression | None:
    """``b AND (a AND TRUE) AND b`` → ``a AND b``.

    A single operand remains only if it is a truth value itself.
    """
    found = _tidied(expression, scope)
    if isinstance(found, list):
        if len(found) == 1 and not is_logical(found[0], scope):
            return None
        return _put_together(expression, found)
    return found


@rule(CONDITION, at={"AND", "OR"}, name="tidy_logic")
def tidy_condition(expression: Call, scope: Scope) -> Expression | None:
    """``WHERE a AND NULL`` → FALSE; ``WHERE a OR NULL`` → ``WHERE a``."""
    found = _tidied(expression, scope)
    if not isinstance(found, list):
        return found
    if NULL in found:
        if expression.name == "AND":
            return FALSE
        found = [part for part in found if part != NULL]
    return _put_together(expression, found)


def _tidied(expression: Call, scope: Scope) -> list[Expression] | Expression:
    """The operands that remain, or the constant that the expression equals."""
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
    return None if new == expression.operands else Call(expression.name, new)


# ---------------------------------------------------------------- push not down
# NOT is pushed down to comparisons, which are replaced by their opposites.
#
# This holds for all three truth values: the opposite is NULL exactly if the comparison is NULL.


_DUAL = {"AND": "OR", "OR": "AND"}


@rule(EXPRESSION, at={"NOT"})
def push_not_down(expression: Call, scope: Scope) -> Expression | None:
    """``NOT (a < b OR c)`` → ``a >= b AND NOT c``."""
    (inner,) = expression.operands
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
def double_negation(expression: Call, _: Scope) -> Expression | None:
    """``WHERE NOT NOT x`` → ``WHERE x``, also if x is a number."""
    (inner,) = expression.operands
    return inner.operands[0] if isinstance(inner, Call) and inner.name == "NOT" else None


# ---------------------------------------------------------------- same operands
# Comparisons of a value with itself.


_TRUE_OF_EQUALS = frozenset(("=", "<=", ">="))


def _itself(expression: Call) -> Expression | None:
    if len(expression.operands) != 2 or expression.operands[0] != expression.operands[1]:
        return None
    value = expression.operands[0]
    return None if isinstance(value, Literal) or is_volatile(value) else value


@rule(EXPRESSION, at=COMPARISONS | {"IS"})
def same_operands(expression: Call, scope: Scope) -> Expression | None:
    """``x = x`` → TRUE, ``x < x`` → FALSE, where x is never NULL; ``x IS x`` → TRUE."""
    value = _itself(expression)
    if value is None:
        return None
    if expression.name == "IS":
        return TRUE
    return None if may_be_null(value, scope) else truth(expression.name in _TRUE_OF_EQUALS)


@rule(CONDITION, at=COMPARISONS, name="same_operands")
def same_operands_in_condition(expression: Call, _: Scope) -> Expression | None:
    """``WHERE x = x`` → ``WHERE x IS NOT NULL``; ``x < x`` → FALSE."""
    value = _itself(expression)
    if value is None:
        return None
    if expression.name in _TRUE_OF_EQUALS:
        return not_null(value)
    return FALSE


# ---------------------------------------------------------------- absorption
# AND of ORs and OR of ANDs: common operands are factored out.


_MOST = 60
"""With more operands no common ones are looked for."""


@rule(EXPRESSION, at={"AND", "OR"})
def common_factor(expression: Call, _: Scope) -> Expression | None:
    """``(a AND b) OR (a AND c)`` → ``a AND (b OR c)``; the same with AND and OR exchanged."""
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
    """For an OR the sets of ANDed parts of each operand, for an AND those of ORed parts.

    None if no operand has such parts, or if there are too many.
    """
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
