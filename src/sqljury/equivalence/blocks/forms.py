"""Properties of expressions that rules need: type, constant value, NULL, how SQLite compares it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from sqljury.equivalence.rules.base import Scope, Simplified
from sqljury.schema import Schema, Table
from sqljury.sql.comparisons import COMPARISONS, NEGATED
from sqljury.trees.affinity import NUMERIC_AFFINITIES
from sqljury.trees.affinity import affinity as _affinity
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    FALSE,
    NULL,
    TRUE,
    Call,
    Expression,
    Field,
    Literal,
    Relation,
    Subquery,
    SubqueryKind,
    Type,
)
from sqljury.trees.types import fields, nullable, type_of

# ---------------------------------------------------------------- forms
# Properties of one expression.


NUMBERS = (Type.INTEGER, Type.REAL, Type.DECIMAL)
_PREDICATES = COMPARISONS | {"AND", "OR", "NOT", "IN", "IS", "IS NULL", "BETWEEN", "LIKE", "GLOB"}

ONLY_TYPES = frozenset((Assumption.TYPES,))
_TRUTH_IS_A_NUMBER = frozenset(("sqlite", "mysql"))
_ENFORCED = frozenset(("duckdb", "postgres", "mysql", "snowflake", "bigquery", "tsql", "redshift"))
MAX_INTEGER = 2**63 - 1
EXACT = 2**53
"""Every integer up to this size is exactly representable as a float."""


# ---------------------------------------------------------------- in a scope


def kind(expression: Expression, scope: Scope) -> Type:
    """The type of an expression."""
    return type_of(expression, scope.row, scope.context, scope.outer)


def may_be_null(expression: Expression, scope: Scope) -> bool:
    """True if an expression can be NULL."""
    return nullable(expression, scope.row, scope.context, scope.outer)


def affinity(expression: Expression, scope: Scope) -> str | None:
    """The expression's affinity in SQLite: ``""`` if it has none, None if it is not known."""
    return _affinity(expression, scope.row, scope.outer)


def is_sqlite(scope: Scope) -> bool:
    """True if the dialect is SQLite."""
    return scope.context.dialect == "sqlite"


def truth_is_a_number(scope: Scope) -> bool:
    """True if TRUE and FALSE are 1 and 0 in the dialect, and any number can be a condition."""
    return scope.context.dialect in _TRUTH_IS_A_NUMBER


def typed(
    expression: Expression, types: tuple[Type, ...], scope: Scope
) -> frozenset[Assumption] | None:
    """The assumptions under which all values have one of the types.

    None if the expression's type is none of them, or the assumption is not allowed. A column in
    SQLite may hold values of any type, whatever is declared; so there ``TYPES`` is assumed.
    """
    if kind(expression, scope) not in types:
        return None
    if isinstance(expression, Literal) or scope.context.dialect in _ENFORCED:
        return frozenset()
    return ONLY_TYPES if scope.context.may(Assumption.TYPES) else None


def same_type(before: Expression, after: Expression, scope: Scope) -> bool:
    """True if ``after`` may replace ``before`` without changing types.

    Always in SQLite, where types are of values. Elsewhere types are of expressions: there
    ``COALESCE(1, 2.5)`` is 1.0, whose division differs from that of 1.
    """
    if is_sqlite(scope) or is_null(after):
        return True
    same = kind(before, scope) is kind(after, scope)
    # Decimals of one type differ in their digits: 1.50 and 1.500.
    return same and (
        kind(after, scope) is not Type.DECIMAL or set(_results(before)) == set(_results(after))
    )


def _results(expression: Expression) -> Iterator[Expression]:
    """The expressions of which a CASE or COALESCE gives one."""
    match expression:
        case Call(name="CASE"):
            parts = (*expression.operands[1::2], expression.operands[-1])
        case Call(name="COALESCE" | "IFNULL" | "NVL"):
            parts = expression.operands
        case _:
            if expression != NULL:
                yield expression
            return
    for part in parts:
        yield from _results(part)


# ---------------------------------------------------------------- literals


def number(expression: Expression) -> int | float | None:
    """The value of a constant finite number; None for any other expression."""
    if not isinstance(expression, Literal) or expression.type not in NUMBERS:
        return None
    value = expression.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return value if math.isfinite(value) else None


def whole_number(expression: Expression | None) -> int | None:
    """The value of a constant integer, such as that of a LIMIT; None for any other expression."""
    value = expression.value if isinstance(expression, Literal) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text(expression: Expression) -> str | None:
    """The value of a constant text; None for any other expression."""
    if isinstance(expression, Literal) and isinstance(expression.value, str):
        return expression.value if expression.type is Type.TEXT else None
    return None


def integer(value: int) -> Literal:
    """An integer literal."""
    return Literal(value, Type.INTEGER)


def is_null(expression: Expression) -> bool:
    """True if the expression is the constant NULL."""
    return isinstance(expression, Literal) and expression.value is None


def null_of(type_: Type, context: Context) -> Literal:
    """NULL in place of a value of this type.

    Outside SQLite the type of a value that is never there still counts: COALESCE(NULL::DOUBLE, 7) /
    2 is 3.5.
    """
    has_no_type = context.dialect == "sqlite" or type_ in (Type.NULL, Type.BOOLEAN)
    return NULL if has_no_type else Literal(None, type_)


def truth(value: bool | None) -> Literal:
    """The literal TRUE, FALSE, or NULL for None."""
    if value is None:
        return NULL
    return TRUE if value else FALSE


def truth_of(expression: Expression, scope: Scope) -> Literal | None:
    """The literal TRUE, FALSE or NULL that a constant is as a condition; None if not constant."""
    if not isinstance(expression, Literal):
        return None
    if expression.value is None:
        return NULL
    if isinstance(expression.value, bool):
        return truth(expression.value)
    value = number(expression)
    return truth(value != 0) if value is not None and truth_is_a_number(scope) else None


def is_logical(expression: Expression, scope: Scope) -> bool:
    """True if the value can only be true, false or NULL (1, 0 or NULL if truth is a number)."""
    match expression:
        case Call():
            return expression.name in _PREDICATES
        case Subquery():
            return expression.kind is not SubqueryKind.SCALAR
        case Literal():
            return expression.type is Type.BOOLEAN or expression.value is None
        case _:
            return not truth_is_a_number(scope) and kind(expression, scope) is Type.BOOLEAN


def negation(expression: Expression) -> Expression:
    """The negation of a condition: the opposite comparison if it has one, else ``NOT (…)``."""
    if isinstance(expression, Call) and len(expression.operands) <= 2:
        if expression.name in NEGATED:
            return Call(NEGATED[expression.name], expression.operands)
        if expression.name == "NOT":
            return expression.operands[0]
    return Call("NOT", (expression,))


# ---------------------------------------------------------------- SQLite's comparisons


def compared_as_it_is(one: Expression, other: Expression, scope: Scope) -> bool:
    """True if the engine compares two values without converting one of them first."""
    if not is_sqlite(scope) or not scope.context.converts:
        return True
    of_one, of_other = affinity(one, scope), affinity(other, scope)
    if of_one is None or of_other is None:
        return False
    return _unconverted(of_one, of_other, other) and _unconverted(of_other, of_one, one)


def _unconverted(affinity_: str, of_other: str, other: Expression) -> bool:
    """True if an operand's affinity does not convert the other operand."""
    if affinity_ in NUMERIC_AFFINITIES:
        return of_other in NUMERIC_AFFINITIES or number(other) is not None
    if affinity_ == "TEXT":
        return of_other in ("TEXT", "BLOB") or text(other) is not None
    return True


# ---------------------------------------------------------------- order of texts


def surely_different(one: str, other: str) -> bool:
    """True if two ASCII texts differ in more than case and trailing spaces.

    Such texts differ under every usual collation.
    """
    both_ascii = one.isascii() and other.isascii()
    return both_ascii and one.rstrip(" ").lower() != other.rstrip(" ").lower()


def same_order_everywhere(values: list[str]) -> bool:
    """True if texts have the same strict order under all three collations of SQLite.

    A schema does not tell whether a column was declared COLLATE NOCASE or RTRIM.
    """
    ordered = sorted(value.encode("utf-8", "replace") for value in values)
    pairs = list(pairwise(ordered))
    # bytes.lower() folds ASCII only, as NOCASE does.
    return all(a.lower() < b.lower() and a.rstrip(b" ") < b.rstrip(b" ") for a, b in pairs)


def assuming(expression: Expression, assumed: frozenset[Assumption]) -> Simplified:
    """An expression with the assumptions under which it was simplified."""
    return Simplified(expression, assumed)


# ---------------------------------------------------------------- comparable
# Whether ``=`` between two columns compares their values without converting one of them first.
#
# Set operations, DISTINCT and GROUP BY never convert values; a comparison does if types differ.


_NUMBERS = frozenset((Type.INTEGER, Type.REAL, Type.DECIMAL))


def comparable(one: Field, other: Field, context: Context) -> bool:
    """True if both columns have numbers, both texts, or both the same other type.

    Outside SQLite both must have the same type: there a set operation converts two different types
    to a common one.

    Source: https://www.sqlite.org/datatype3.html, sections 4.2 and 4.3.
    """
    kind = _kind(one, context)
    return kind is not None and kind == _kind(other, context)


def _kind(field: Field, context: Context) -> str | None:
    if context.dialect == "sqlite" and field.affinity:
        if field.affinity in NUMERIC_AFFINITIES:
            return "number"
        return "text" if field.affinity == "TEXT" else None
    if context.dialect == "sqlite" and field.type in _NUMBERS:
        return "number"
    if field.type in (Type.ANY, Type.NULL):
        return None
    return "text" if field.type is Type.TEXT else field.type.value


# ---------------------------------------------------------------- nullability
# The assumptions under which expressions are never NULL.


Assumed = frozenset[Assumption]
NOTHING: Assumed = frozenset()


def assumed_for_not_null(
    expressions: Iterable[Expression],
    relation: Relation,
    context: Context,
    outer: Sequence[Relation] = (),
) -> Assumed | None:
    """The weakest assumption under which no expression is NULL in any row of a relation.

    Empty if none is needed; None if NULLs can occur under every allowed assumption, as after an
    outer join. ``outer`` are the relations of the outer queries' rows, nearest first.
    """
    wanted = tuple(expressions)

    def holds(known: Context) -> bool:
        around = tuple(fields(r, known) for r in outer)
        row = fields(relation, known, around)
        return not any(nullable(e, row, known, around) for e in wanted)

    return _least(holds, context)


def _least(holds: Callable[[Context], bool], context: Context) -> Assumed | None:
    if holds(context):
        return NOTHING
    keys, columns = _variants(context.schema)
    if context.may(Assumption.PRIMARY_KEY) and holds(replace(context, schema=keys)):
        return frozenset((Assumption.PRIMARY_KEY,))
    if context.may(Assumption.NOT_NULL) and holds(replace(context, schema=columns)):
        return frozenset((Assumption.NOT_NULL,))
    return None


_known: dict[int, tuple[Schema, Schema, Schema]] = {}
"""Cached by identity, as hashing a schema takes longer than a rule. The values keep the schemas
alive, so that no identity is used again for another one."""
_MOST = 256


def _variants(schema: Schema) -> tuple[Schema, Schema]:
    """The schema with all primary keys NOT NULL, and the schema with all columns NOT NULL."""
    found = _known.get(id(schema))
    if found is None:
        if len(_known) >= _MOST:
            _known.clear()
        keys = _with(schema, lambda table: set(table.primary_key))
        columns = _with(schema, lambda table: {column.name for column in table.columns})
        found = (schema, keys, columns)
        _known[id(schema)] = found
    return found[1:]


def _with(schema: Schema, chosen: Callable[[Table], set[str]]) -> Schema:
    tables = []
    for table in schema.tables:
        names = {name.casefold() for name in chosen(table)}
        columns = (
            replace(c, nullable=False) if c.name.casefold() in names else c for c in table.columns
        )
        tables.append(replace(table, columns=tuple(columns)))
    return replace(schema, tables=tuple(tables))
