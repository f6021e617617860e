"""Rules for comparisons of one value with constants: BETWEEN, IN, ranges."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from sqljury.equivalence.blocks.forms import (
    NUMBERS,
    ONLY_TYPES,
    affinity,
    integer,
    is_null,
    is_sqlite,
    kind,
    may_be_null,
    number,
    same_order_everywhere,
    truth,
    truth_is_a_number,
    typed,
)
from sqljury.equivalence.blocks.value_sets import (
    EVERYTHING,
    HIGHEST,
    NOTHING,
    Value,
    ValueSet,
    Writer,
    compared,
    intersection,
    points,
    union,
)
from sqljury.equivalence.rules.base import CONDITION, EXPRESSION, Scope, Simplified, rule
from sqljury.sql.comparisons import COMPARISONS
from sqljury.trees.affinity import NUMERIC_AFFINITIES, may_be_numeral
from sqljury.trees.conditions import disjunction, disjuncts
from sqljury.trees.context import Assumption
from sqljury.trees.nodes import FALSE, NULL, Call, Cast, Expression, Literal, Outer, Ref, Type
from sqljury.trees.order import sort_key
from sqljury.trees.volatile import is_volatile

# ---------------------------------------------------------------- between to range
# ``x BETWEEN a AND b`` is ``x >= a AND x <= b``.


@rule(EXPRESSION, at={"BETWEEN"})
def between_to_range(expression: Call, _: Scope) -> Expression | None:
    """``x BETWEEN a AND b`` → ``x >= a AND x <= b``.

    Not if x is volatile: the result would compute a random value twice.
    """
    if len(expression.operands) != 3 or is_volatile(expression.operands[0]):
        return None
    value, low, high = expression.operands
    return Call("AND", (Call(">=", (value, low)), Call("<=", (value, high))))


# ---------------------------------------------------------------- in list
# Lists of IN: operands sorted, each once; a single constant becomes an equality.


@rule(EXPRESSION, at={"IN"})
def tidy_in_list(expression: Call, _: Scope) -> Expression | None:
    """``x IN (2, 1, 2)`` → ``x IN (1, 2)``; ``x IN (1)`` → ``x = 1``.

    Only a constant becomes an equality: SQLite's IN ignores the affinity of a listed column, and
    ``=`` does not.
    """
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


@rule(CONDITION, at={"IN", "NOT"})
def null_in_list(expression: Call, _: Scope) -> Expression | None:
    """``WHERE x IN (1, NULL)`` → ``WHERE x IN (1)``; ``NOT IN`` with a NULL → FALSE."""
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


# ---------------------------------------------------------------- merge ranges
# Comparisons of one value with constants are merged by the sets of values that they allow.
#
# ``x > 2 AND x > 5`` is ``x > 5``; ``x = 1 OR x = 2`` is ``x IN (1, 2)``; ``x < 3 OR x > 3`` is ``x
# <> 3``; of integers ``x > 2`` is ``x >= 3``. All comparisons with constants are NULL exactly if
# the value is NULL, so merging is right for all three truth values. The exception is a merged set
# that is empty or has all values: FALSE and TRUE are not NULL.


_MOST_VALUES = 2000
_FAR = 2**62
"""Comparisons with integers beyond this are not rewritten."""
_INTEGER = (Type.INTEGER,)
_WHOLE_NUMBERS = (Type.INTEGER, Type.BOOLEAN)
_CLOSED = frozenset(("=", "<>", "<=", ">="))
_NOT_NEGATIVE = frozenset(("LENGTH", "INSTR", "CHAR_LENGTH", "UNICODE"))


@dataclass(frozen=True, slots=True)
class _Part:
    """A condition on one subject only: allowed values, and whether NULL is allowed."""

    subject: Expression
    values: tuple[Literal, ...]
    allowed: Callable[[], ValueSet]
    null: bool = False


_COMPARED = COMPARISONS | {"IN", "NOT"}


@rule(EXPRESSION, at={"AND", "OR", *_COMPARED}, assumes={Assumption.TYPES})
def merge_ranges(expression: Call, scope: Scope) -> Expression | Simplified | None:
    """``x > 2 AND x > 5`` → ``x > 5``; ``x = 1 OR x = 2`` → ``x IN (1, 2)``; of integers ``x >
    2`` → ``x >= 3``.

    Not if x may be NULL and the merged set is empty or has all values. Assumes types in SQLite,
    which does not enforce declared types.
    """
    return _merged(expression, scope, condition=False)


@rule(
    CONDITION,
    at={"AND", "OR", "IS NULL", *_COMPARED},
    assumes={Assumption.TYPES},
    name="merge_ranges",
)
def merge_conditions(expression: Call, scope: Scope) -> Expression | Simplified | None:
    """``x > 2 AND x < 1`` → FALSE; ``x > 2 OR x <= 2`` → ``x IS NOT NULL``; also tests for NULL.

    Assumes types in SQLite, which does not enforce declared types.
    """
    return _merged(expression, scope, condition=True)


def _merged(expression: Call, scope: Scope, *, condition: bool) -> Expression | Simplified | None:
    """The expression with conditions on one subject merged; None if nothing changes."""
    if expression.name not in ("AND", "OR"):
        if _is_plain(expression, scope):
            return None
        part = _part_of(expression, condition)
        if part is None:
            return None
        alone = _rewritten("AND", part.subject, [part], scope, condition)
        same = (alone.expression if isinstance(alone, Simplified) else alone) == expression
        return None if same else alone
    groups: dict[tuple[Expression, bool], list[tuple[Expression, _Part]]] = {}
    for operand in expression.operands:
        part = _part_of(operand, condition)
        if part is not None:
            for key in _group_keys(part, groups):
                groups.setdefault(key, []).append((operand, part))
                break
    for (subject, _), found in groups.items():
        if len(found) < 2:
            continue
        new = _rewritten(expression.name, subject, [part for _, part in found], scope, condition)
        if new is None:
            continue
        whole = new.expression if isinstance(new, Simplified) else new
        gone = [operand for operand, _ in found]
        if _same_parts(expression.name, whole, gone):
            continue
        rest = [o for o in expression.operands if not any(o is g for g in gone)]
        put = Call(expression.name, (*rest, whole)) if rest else whole
        return Simplified(put, new.assumed) if isinstance(new, Simplified) else put
    return None


def _is_plain(expression: Call, scope: Scope) -> bool:
    """True if a single comparison is surely in canonical form already: a fast path."""
    compared = expression
    if expression.name == "NOT":
        (inner,) = expression.operands
        if not isinstance(inner, Call) or inner.name != "IN":
            return True
        compared = inner
    if len(compared.operands) < 2:
        return True
    subject, constant = compared.operands[:2]
    if not isinstance(constant, Literal) or not isinstance(constant.value, (int, float)):
        open_ended = compared.name in ("<", ">") and isinstance(constant, Literal)
        return not (open_ended and kind(subject, scope) is Type.DATE)
    types = _WHOLE_NUMBERS if truth_is_a_number(scope) else _INTEGER
    if isinstance(subject, (Ref, Outer)):
        type_ = kind(subject, scope)
        closed = type_ is Type.INTEGER and compared.name in _CLOSED
        return type_ not in types or (closed and isinstance(constant.value, int))
    return isinstance(subject, Literal)


def _group_keys(
    part: _Part, groups: dict[tuple[Expression, bool], list[tuple[Expression, _Part]]]
) -> Iterable[tuple[Expression, bool]]:
    """Keys of the group of a condition: its subject, and whether its constants are texts.

    Tests for NULL have no constants; they go to a present group of their subject.
    """
    if part.values:
        yield (part.subject, _is_text(part.values[0]))
    else:
        present = [key for key in groups if key[0] == part.subject]
        yield present[0] if present else (part.subject, False)


def _same_parts(name: str, whole: Expression, gone: list[Expression]) -> bool:
    inside = isinstance(whole, Call) and whole.name == name
    parts = whole.operands if inside and isinstance(whole, Call) else (whole,)
    return len(parts) == len(gone) and all(part in gone for part in parts)


# ---------------------------------------------------------------- conditions to sets


def _part_of(expression: Expression, condition: bool) -> _Part | None:
    """The condition as allowed values of a single subject; None if it is not of that form."""
    if not isinstance(expression, Call):
        return None
    name, operands = expression.name, expression.operands
    if name in COMPARISONS and len(operands) == 2:
        return _comparison(name, operands[0], operands[1])
    if name == "IN":
        return _listed(operands)
    if name == "IS NULL" and condition:
        return _Part(operands[0], (), lambda: NOTHING, null=True)
    if name == "NOT":
        return _negated(operands[0], condition)
    if name in ("AND", "OR"):
        return _combined(name, [_part_of(part, condition) for part in operands])
    return None


def _comparison(name: str, subject: Expression, constant: Expression) -> _Part | None:
    if isinstance(subject, Literal) or not _usable(constant):
        return None
    assert isinstance(constant, Literal)
    return _Part(subject, (constant,), lambda: compared(name, _value(constant)))


def _listed(operands: tuple[Expression, ...]) -> _Part | None:
    subject, *listed = operands
    if isinstance(subject, Literal) or not all(map(_usable, listed)):
        return None
    values = tuple(one for one in listed if isinstance(one, Literal))

    return _Part(subject, values, lambda: points(map(_value, values)))


def _negated(inner: Expression, condition: bool) -> _Part | None:
    if not isinstance(inner, Call):
        return None
    if inner.name == "IS NULL" and condition:
        return _Part(inner.operands[0], (), lambda: EVERYTHING)
    if inner.name != "IN":
        return None
    part = _listed(inner.operands)
    if part is None:
        return None
    return _Part(part.subject, part.values, lambda: part.allowed().complement())


def _combined(name: str, parts: list[_Part | None]) -> _Part | None:
    first = parts[0]
    if first is None:
        return None
    found = [part for part in parts if part is not None and part.subject == first.subject]
    if len(found) < len(parts):
        return None
    values = tuple(value for part in found for value in part.values)
    return _Part(first.subject, values, lambda: _together(name, found), _null_allowed(name, found))


def _together(name: str, parts: list[_Part]) -> ValueSet:
    sets = (part.allowed() for part in parts)
    return intersection(sets) if name == "AND" else union(sets)


def _null_allowed(name: str, parts: list[_Part]) -> bool:
    return all(part.null for part in parts) if name == "AND" else any(part.null for part in parts)


def _usable(expression: Expression) -> bool:
    if number(expression) is not None:
        return True
    if not isinstance(expression, Literal) or expression.type in NUMBERS:
        return False
    return isinstance(expression.value, str)


def _value(literal: Literal) -> Value:
    value = literal.value
    assert isinstance(value, (int, float, str))
    return value


def _is_text(literal: Literal) -> bool:
    return isinstance(literal.value, str)


# ---------------------------------------------------------------- sets to conditions


def _rewritten(
    name: str, subject: Expression, parts: list[_Part], scope: Scope, condition: bool
) -> Expression | Simplified | None:
    literals = sorted({v for part in parts for v in part.values}, key=sort_key)
    if len(literals) > _MOST_VALUES or not _one_class(literals) or is_volatile(subject):
        return None
    if not _ordered(subject, literals, scope):
        return _points_only(name, subject, parts)
    allowed = _together(name, parts)
    null = _null_allowed(name, parts)
    dense = _in_domain(subject, literals, allowed, null, _Domain(), scope, condition)
    domain = _domain(subject, literals, scope)
    if domain == _Domain():
        return dense if len(parts) > 1 else None
    new = _in_domain(subject, literals, allowed, null, domain, scope, condition)
    return new if new is None or new == dense else Simplified(new, domain.assumed)


def _in_domain(
    subject: Expression,
    literals: list[Literal],
    allowed: ValueSet,
    null: bool,
    domain: _Domain,
    scope: Scope,
    condition: bool,
) -> Expression | None:
    """The condition that allows these values and no others of the domain; None if impossible."""
    if domain.days:
        allowed = allowed.mapped(_day)
    allowed = (allowed.of_integers() if domain.integers else allowed) & domain.values
    nullable = may_be_null(subject, scope)
    if allowed in (NOTHING, domain.values):
        return _all_or_nothing(subject, allowed != NOTHING, null, nullable, condition)
    by_value = _by_value(literals, allowed, domain)
    new = Writer(subject, by_value, domain.integers, domain.values).written(allowed)
    return disjunction((*disjuncts(new), Call("IS NULL", (subject,)))) if null and nullable else new


def _all_or_nothing(
    subject: Expression, everything: bool, null: bool, nullable: bool, condition: bool
) -> Expression | None:
    """The condition if all values are allowed or none.

    None if the expression is used as a value and would have to be NULL for a NULL subject.
    """
    if not nullable:
        return truth(everything)
    if not condition:
        return None
    if everything == null:
        return truth(everything)
    is_null = Call("IS NULL", (subject,))
    return Call("NOT", (is_null,)) if everything else is_null


def _by_value(literals: list[Literal], allowed: ValueSet, domain: _Domain) -> dict[Value, Literal]:
    if domain.integers:
        cuts = [cut[1] for found in allowed.ranges for cut in found if not cut[0]]
        near = {int(v) + by for v in cuts for by in (-1, 0) if not isinstance(v, str)}
        if domain.days:
            return {v: Literal(date.fromordinal(v).isoformat(), Type.TEXT) for v in near}
        return {v: integer(v) for v in near}
    # In reverse order, so that of 1 and 1.0, which are one key, the first one is kept.
    return {_value(literal): literal for literal in reversed(literals)}


def _one_class(literals: list[Literal]) -> bool:
    if not literals or not _is_text(literals[0]):
        return not any(map(_is_text, literals))
    return all(literal.type is literals[0].type for literal in literals)


# ---------------------------------------------------------------- order of values

_ISO = re.compile(r"\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?")


def _ordered(subject: Expression, literals: list[Literal], scope: Scope) -> bool:
    """True if the engine orders the subject's values and these constants as Python does."""
    if not literals:
        return True
    texts = [literal.value for literal in literals if isinstance(literal.value, str)]
    if is_sqlite(scope):
        of_subject = affinity(subject, scope)
        if not scope.context.converts:
            return same_order_everywhere(texts)
        if of_subject is None:
            return False
        if not texts:
            return of_subject != "TEXT"
        if of_subject in NUMERIC_AFFINITIES and any(map(may_be_numeral, texts)):
            return False
        return same_order_everywhere(texts)
    type_ = kind(subject, scope)
    if not texts:
        return type_ in (Type.INTEGER, Type.REAL, Type.DECIMAL)
    if type_ in (Type.DATE, Type.TIMESTAMP):
        # Midnight is written as the date, so that texts sort as timestamps do.
        one_length = len({len(t) for t in texts}) == 1 or type_ is Type.TIMESTAMP
        midnight = any(t.endswith("00:00:00") for t in texts)
        return one_length and not midnight and all(map(_ISO.fullmatch, texts))
    is_binary = scope.context.dialect == "duckdb"
    return type_ is Type.TEXT and is_binary and same_order_everywhere(texts)


def _points_only(name: str, subject: Expression, parts: list[_Part]) -> Expression | None:
    """Equalities under OR as one IN, inequalities under AND as one NOT IN; else None.

    Used if the order of values is not known.
    """
    if len(parts) < 2 or len({value.type for part in parts for value in part.values}) != 1:
        return None
    listed: set[Literal] = set()
    for part in parts:
        if not part.values or part.null or not _is_list(part, name == "OR"):
            return None
        listed.update(part.values)
    values = sorted(listed, key=sort_key)
    if len(values) == 1:
        return Call("=" if name == "OR" else "<>", (subject, values[0]))
    found = Call("IN", (subject, *values))
    return found if name == "OR" else Call("NOT", (found,))


def _is_list(part: _Part, positive: bool) -> bool:
    """True if a part allows exactly its listed values; if not ``positive``, all but these."""
    listed = points(map(_value, part.values))
    return part.allowed() == (listed if positive else listed.complement())


# ---------------------------------------------------------------- possible values


@dataclass(frozen=True, slots=True)
class _Domain:
    """The values that a subject can have, whether all are integers, and the assumptions of that."""

    values: ValueSet = EVERYTHING
    integers: bool = False
    assumed: frozenset[Assumption] = frozenset()
    days: bool = False
    """True for dates: the integers are days since the year 1, and the constants ISO texts."""


_COUNTS = ValueSet((((0, 0, 0), HIGHEST),))
_ZERO_AND_ONE = ValueSet((((0, 0, 0), (0, 2, 0)),))


def _domain(subject: Expression, literals: list[Literal], scope: Scope) -> _Domain:
    if literals and all(map(_is_text, literals)):
        return _domain_of_days(subject, literals, scope)
    if any(_is_text(literal) or abs(number(literal) or 0) >= _FAR for literal in literals):
        return _Domain()
    if isinstance(subject, Call) and subject.name in _NOT_NEGATIVE:
        return _Domain(_COUNTS, True)
    if isinstance(subject, (Ref, Outer)) and truth_is_a_number(scope):
        assumed = typed(subject, (Type.BOOLEAN,), scope)
        if assumed is not None:
            return _Domain(_ZERO_AND_ONE, True, assumed)
    if isinstance(subject, Cast) and is_sqlite(scope) and affinity(subject, scope) == "INTEGER":
        return _Domain(integers=True)
    assumed = typed(subject, (Type.INTEGER,), scope)
    return _Domain() if assumed is None or not literals else _Domain(EVERYTHING, True, assumed)


def _domain_of_days(subject: Expression, literals: list[Literal], scope: Scope) -> _Domain:
    """All dates, where constants are dates, too; MySQL admits 2020-02-00, which is no day."""
    if is_sqlite(scope) or kind(subject, scope) is not Type.DATE:
        return _Domain()
    try:
        days = [_day(_value(literal)) for literal in literals]
    except ValueError:
        return _Domain()
    assumed = ONLY_TYPES if scope.context.dialect == "mysql" else frozenset()
    fine = assumed <= scope.context.assuming and min(days) > 1 and max(days) < date.max.toordinal()
    return _Domain(EVERYTHING, True, assumed, days=True) if fine else _Domain()


def _day(value: Value) -> int:
    return date.fromisoformat(str(value)).toordinal()
