"""Expressions as z3 terms: a number for each value, and whether it is NULL.

All values are rational numbers for z3. Texts and dates are unknown numbers. That is enough for
equality and order: any set of texts or dates can be embedded in the rationals. z3 knows only some
facts about databases, so it has models that no database has. What holds in all models therefore
holds in all databases.

Conditions are a pair (true, false); NULL is neither."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

import z3

from sqljury.equivalence.blocks.forms import (
    EXACT,
    affinity,
    compared_as_it_is,
    kind,
    same_order_everywhere,
    surely_different,
    truth_is_a_number,
    typed,
)
from sqljury.equivalence.rules.base import Scope
from sqljury.sql.comparisons import COMPARISONS, MIRRORED
from sqljury.trees.affinity import NUMERIC_AFFINITIES, TO_NUMBER, TO_TEXT
from sqljury.trees.collations import BY_VALUE, SHOWN
from sqljury.trees.conditions import conjunction
from sqljury.trees.context import Assumption, Context
from sqljury.trees.nodes import (
    Call,
    Cast,
    Expression,
    Field,
    Filter,
    Literal,
    Outer,
    Ref,
    Subquery,
    SubqueryKind,
    Type,
)
from sqljury.trees.types import column_type, fields, nullable, type_of
from sqljury.trees.walk import deepen, references

# ---------------------------------------------------------------- quotients
# Quotients of constants, where the dialect gives the exact value whatever its type is.


_MYSQL_DIGITS = 10**4
"""``/`` of integers has four decimal places in MySQL (div_precision_increment)."""


def quotient(call: Call, dialect: str) -> Fraction | None:
    """The value of ``/`` or ``DIV`` of two integer constants; None where it is rounded or unknown.

    >>> seven, two = Literal(7, Type.INTEGER), Literal(2, Type.INTEGER)
    >>> quotient(Call("/", (seven, two)), "mysql"), quotient(Call("DIV", (seven, two)), "mysql")
    (Fraction(7, 2), Fraction(3, 1))
    """
    match call.operands:
        case (
            Literal(value=int() as above, type=Type.INTEGER),
            Literal(value=int() as below, type=Type.INTEGER),
        ) if below != 0:
            exact = Fraction(above, below)
        case _:
            return None
    if call.name == "DIV" and dialect in ("mysql", "duckdb") and exact >= 0:
        return Fraction(above // below)
    if call.name == "/" and dialect == "mysql":
        return exact if (exact * _MYSQL_DIGITS).denominator == 1 else None
    if call.name == "/" and dialect == "duckdb":
        # A double: halves, quarters and so on are exact.
        return exact if Fraction(float(exact)) == exact else None
    return None


# ---------------------------------------------------------------- values
# Expressions as z3 terms: a number for each value, and whether it is NULL.
#
# The module's docstring says how values and conditions are represented.


_NUMBERS = (Type.INTEGER, Type.REAL, Type.DECIMAL)
_CASELESS = ("mysql", "tsql")
_STRICT = frozenset(
    ("LIKE", "ILIKE", "GLOB", "LENGTH", "CHAR_LENGTH", "UPPER", "LOWER", "TRIM", "ABS", "ROUND")
) | {
    *("SUBSTR", "SUBSTRING", "REPLACE", "INSTR", "||", "LTRIM", "RTRIM", "COLLATED"),
    *(BY_VALUE, SHOWN, TO_NUMBER, TO_TEXT),
}
"""Functions that are NULL exactly if an operand is NULL."""
_REJECTING = _STRICT | {"+", "-", "*", "/", "%", "NEG"}
"""Functions that are NULL if an operand is NULL, and perhaps in other cases."""
_COMMUTATIVE = frozenset(("+", "*"))
_PREDICATES = COMPARISONS | {"AND", "OR", "NOT", "IN", "BETWEEN", "IS", "IS NULL"}
_TRUTHS = _PREDICATES | {"IS TRUE", "IS FALSE"}


@dataclass(frozen=True, slots=True)
class Value:
    """A SQL value for z3: ``null`` is true if it is NULL, else ``term`` is a number for it.

    ``kind`` names how the value is stored: equal values of one kind are the same to the bit.
    It is empty if that is not certain, as for 1 and 1.0 in a column without a type.
    """

    term: z3.ArithRef
    null: z3.BoolRef
    kind: str = ""

    @property
    def ids(self) -> tuple[int, int]:
        """Identities of the z3 terms; equal ids mean the same value."""
        return self.term.get_id(), self.null.get_id()


@dataclass(frozen=True, slots=True)
class Truth:
    """A condition for z3: whether it is true, and whether it is false; NULL if neither."""

    true: z3.BoolRef
    false: z3.BoolRef


@dataclass(frozen=True, slots=True)
class Frame:
    """A symbolic row: the fields of its columns, and their values."""

    fields: tuple[Field, ...]
    values: tuple[Value, ...]


Frames = tuple[Frame, ...]
"""The row of the query, then the rows of its outer queries, nearest first."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A subquery in a condition, the rows that it is evaluated for, and its unknown in z3."""

    subquery: Subquery
    around: Frames
    operands: tuple[Value, ...]
    symbol: Value | Truth
    name: str
    """The unknown's name in z3, by which formulas that contain it are found."""


@dataclass
class Terms:
    """Makes the z3 terms for one pair of queries, and keeps them."""

    context: Context
    numbered: int = 0
    texts: dict[tuple[Type, object], z3.ArithRef] = field(default_factory=dict)
    asked: dict[object, Asked] = field(default_factory=dict)
    kept: list[object] = field(default_factory=list)
    """Terms whose z3 identity is part of a name or key. They are kept alive, because z3 uses the
    identities of deleted terms again."""

    # ------------------------------------------------------------ rows

    def fresh(self, name: str, sort: z3.SortRef) -> z3.ExprRef:
        """A new unknown."""
        self.numbered += 1
        return z3.Const(f"{name}!{self.numbered}", sort)

    def column(self, column: Field) -> tuple[Value, list[z3.BoolRef]]:
        """An unknown value of a column, and the facts known about it."""
        null = self.fresh("null", z3.BoolSort()) if column.nullable else z3.BoolVal(False)
        known: list[z3.BoolRef] = []
        if column.type is Type.INTEGER and self._trusted:
            term = self.fresh("integer", z3.IntSort())
        else:
            term = self.fresh("value", z3.RealSort())
        if column.type is Type.BOOLEAN and self._trusted:
            known.append(z3.Or(term == 0, term == 1))
        return Value(term, null, self.kind(column)), known

    @property
    def _trusted(self) -> bool:
        return self.context.dialect != "sqlite" or self.context.may(Assumption.TYPES)

    def kind(self, column: Field) -> str:
        """How a column's values are stored; ``""`` if equal ones may differ in their bits."""
        if self.context.dialect == "sqlite" and column.affinity:
            held = column.affinity
            if held in NUMERIC_AFFINITIES:
                return "real" if held == "REAL" else "number"
            return "text" if held == "TEXT" else ""
        if self.context.dialect == "sqlite" and (column.affinity is None or not self._trusted):
            return ""
        if column.type is Type.INTEGER:
            return column.affinity or "number"
        if column.type is Type.TEXT:
            return "" if self.context.dialect in _CASELESS else "text"
        dates = (Type.DATE, Type.TIME, Type.TIMESTAMP, Type.INSTANT)
        stable: tuple[Type, ...] = (*dates, Type.BOOLEAN)
        if self.context.dialect == "sqlite":
            stable = (*stable, Type.REAL)  # SQLite never stores or prints -0.0
        return column.type.value if column.type in stable else ""

    # ------------------------------------------------------------ values

    def value(self, expression: Expression, frames: Frames) -> Value:
        """The value of an expression in a row."""
        match expression:
            case Ref():
                return frames[0].values[expression.index]
            case Outer() if expression.level < len(frames):
                return frames[expression.level].values[expression.index]
            case Literal():
                return self._literal(expression)
            case Subquery(kind=SubqueryKind.SCALAR):
                return self._scalar(expression, frames)
            case Subquery():
                return _of_truth(self.truth(expression, frames))
            case Cast() if self._changes_nothing(expression, frames):
                same = self.value(expression.operand, frames)
                if self.context.dialect != "postgres":
                    return same
                big = expression.type_name.upper() in ("BIGINT", "INT8")
                return replace(same, kind="BIGINT" if big else "number")
            case Cast():
                name = f"CAST {expression.type_name}"
                return self._unknown(name, (expression.operand,), expression, frames)
            case Call():
                return self._call(expression, frames)
        return Value(self.fresh("value", z3.RealSort()), self.fresh("null", z3.BoolSort()))

    def _changes_nothing(self, cast: Cast, frames: Frames) -> bool:
        """True if a CAST converts integers to integers."""
        whole = column_type(cast.type_name, self.context.dialect) is Type.INTEGER
        scope = self._scope(frames)
        return whole and typed(cast.operand, (Type.INTEGER,), scope) is not None

    def _literal(self, literal: Literal) -> Value:
        value = literal.value
        if value is None:
            return Value(z3.IntVal(0), z3.BoolVal(True), "null")
        never = z3.BoolVal(False)
        if isinstance(value, int):
            return Value(z3.IntVal(int(value)), never, "number")
        if isinstance(value, float) and math.isfinite(value):
            exact = Fraction(value)
            return Value(z3.RealVal(f"{exact.numerator}/{exact.denominator}"), never, "real")
        key = (literal.type, value)
        if key not in self.texts:
            self.texts[key] = self.fresh("text", z3.RealSort())
        return Value(self.texts[key], never, "text" if literal.type is Type.TEXT else "")

    def known_texts(self) -> list[z3.BoolRef]:
        """Facts about the order of constant texts that hold under every usual collation."""
        given = sorted(
            (v, t) for (k, v), t in self.texts.items() if k is Type.TEXT and isinstance(v, str)
        )
        if self.context.dialect in _CASELESS or len(given) < 2:
            return []
        values = [value for value, _ in given]
        if self.context.dialect == "sqlite" and same_order_everywhere(values):
            ordered = sorted(given, key=lambda pair: pair[0].encode("utf-8", "replace"))
            return [a[1] < b[1] for a, b in pairwise(ordered)]
        return [
            a[1] != b[1]
            for i, a in enumerate(given)
            for b in given[:i]
            if surely_different(a[0], b[0])
        ]

    def _call(self, call: Call, frames: Frames) -> Value:
        name, operands = call.name, call.operands
        if name in _TRUTHS:
            return _of_truth(self.truth(call, frames))
        if name == "CASE":
            return self._choice(operands, frames)
        if name == "IIF" and len(operands) == 3:
            return self._choice(operands, frames)
        if name in ("COALESCE", "IFNULL") and operands:
            return self._first(self._of_one_type(operands, frames))
        if name == "NULLIF" and len(operands) == 2:
            equal = self.truth(Call("=", operands), frames)
            one = self.value(operands[0], frames)
            if self.context.dialect == "postgres":
                one = self._of_one_type(operands, frames)[0]
            return Value(one.term, z3.simplify(z3.Or(one.null, equal.true)), one.kind)
        if name in ("+", "-", "*", "NEG", "ABS"):
            return self._arithmetic(call, frames)
        known = quotient(call, self.context.dialect)
        if known is not None:
            exact = z3.RealVal(f"{known.numerator}/{known.denominator}")
            # A kind of its own: the quotient has its own number of digits when written as a text.
            return Value(exact, z3.BoolVal(False), f"quotient {name}")
        return self._unknown(name, operands, call, frames)

    def _choice(self, operands: Sequence[Expression], frames: Frames) -> Value:
        *values, found = self._of_one_type([*operands[1::2], operands[-1]], frames)
        for condition, value in reversed(list(zip(operands[0:-1:2], values, strict=False))):
            found = _either(self.truth(condition, frames).true, value, found)
        return found

    def _of_one_type(self, results: Sequence[Expression], frames: Frames) -> list[Value]:
        """The values of results of which one is chosen: outside SQLite all become one type, even
        if the others are never chosen."""
        values = [self.value(result, frames) for result in results]
        if self.context.dialect == "sqlite":
            return values
        scope = self._scope(frames)
        types = [kind(result, scope) for result in results]
        if truth_is_a_number(scope):
            types = [Type.INTEGER if type_ is Type.BOOLEAN else type_ for type_ in types]
        several = sorted({*types} - {Type.NULL})
        if len(several) < 2:
            return values
        found = []
        for result, type_, value in zip(results, types, values, strict=True):
            written = replace(value, kind="null" if type_ is Type.NULL else "")
            exact = type_ in (Type.NULL, Type.REAL) or _is_float_too(result)
            if {*several} <= {Type.INTEGER, Type.DECIMAL} or ({*several} <= {*_NUMBERS} and exact):
                found.append(written)
            else:
                term = self.apply(f"AS {several} {type_}", (value,), z3.RealSort())
                found.append(Value(term, value.null))
        return found

    def _first(self, values: list[Value]) -> Value:
        found = values[-1]
        for value in reversed(values[:-1]):
            found = _either(z3.Not(value.null), value, found)
        return found

    def _arithmetic(self, call: Call, frames: Frames) -> Value:
        scope = self._scope(frames)
        whole = all(typed(o, (Type.INTEGER,), scope) is not None for o in call.operands)
        if not whole or not self.context.may(Assumption.NO_OVERFLOW):
            return self._unknown(call.name, call.operands, call, frames)
        values = [self.value(o, frames) for o in call.operands]
        null = z3.simplify(z3.Or(*(v.null for v in values)))
        terms = [v.term for v in values]
        stored = "BIGINT" if any(v.kind == "BIGINT" for v in values) else "number"
        if call.name in ("NEG", "ABS") and len(terms) == 1:
            size = -terms[0] if call.name == "NEG" else z3.Abs(terms[0])
            return Value(size, null, stored)
        if len(terms) != 2 or call.name == "ABS":
            return self._unknown(call.name, call.operands, call, frames)
        one, other = terms
        if call.name == "+":
            return Value(one + other, null, stored)
        if call.name == "-":
            return Value(one - other, null, stored)
        if any(isinstance(o, Literal) for o in call.operands):
            return Value(one * other, null, stored)
        return self._unknown(call.name, call.operands, call, frames)

    def _unknown(
        self, name: str, operands: Sequence[Expression], whole: Expression, frames: Frames
    ) -> Value:
        """The value of a function; z3 only knows that equal operands give equal values."""
        values = [self.value(o, frames) for o in operands]
        if name in _COMMUTATIVE:
            values.sort(key=lambda v: v.ids)
        never = not nullable(whole, frames[0].fields, self.context, _outer(frames))
        null: z3.BoolRef = z3.BoolVal(False)
        if not never:
            parts = (
                [v.null for v in values] if name in _REJECTING or isinstance(whole, Cast) else []
            )
            if name not in _STRICT:
                parts.append(self.apply(f"{name} null", values, z3.BoolSort()))
            null = z3.simplify(z3.Or(*parts))
        term = self.apply(name, values, z3.RealSort())
        return Value(term, null, self._kind_of(whole, frames))

    def apply(self, name: str, values: Sequence[Value], sort: z3.SortRef) -> z3.ExprRef:
        """An unknown that is the same for the same values, as an uninterpreted function of z3."""
        parts, arguments = [name], []
        for value in values:
            if not value.kind:
                self.kept.append(value)
            parts.append(value.kind or "#{}.{}".format(*value.ids))
            arguments += [z3.If(value.null, z3.RealVal(0), value.term), value.null]
        if not arguments:
            return z3.Const("|".join(parts), sort)
        sorts = [argument.sort() for argument in arguments]
        return z3.Function("|".join([*parts, str(sort)]), *sorts, sort)(*arguments)

    def _kind_of(self, expression: Expression, frames: Frames) -> str:
        row, outer = frames[0].fields, _outer(frames)
        if self.context.dialect == "sqlite":
            scope = self._scope(frames)
            if typed(expression, (Type.INTEGER,), scope) is not None:
                return "number"
            if typed(expression, (Type.REAL,), scope) is not None:
                return "real"
            if typed(expression, (Type.TEXT,), scope) is not None and self._trusted:
                return "text"
            return ""
        return self.kind(Field("", type_of(expression, row, self.context, outer)))

    def _scope(self, frames: Frames) -> Scope:
        return Scope(frames[0].fields, self.context, _outer(frames))

    # ------------------------------------------------------------ conditions

    def truth(self, expression: Expression, frames: Frames) -> Truth:
        """A condition evaluated on a row."""
        match expression:
            case Subquery() if expression.kind is not SubqueryKind.SCALAR:
                return self._asked_truth(expression, frames)
            case Call() if expression.name in _TRUTHS:
                return self._predicate(expression, frames)
            case Literal(value=None):
                return Truth(z3.BoolVal(False), z3.BoolVal(False))
            case Literal() if isinstance(expression.value, int):
                holds = bool(expression.value)
                return Truth(z3.BoolVal(holds), z3.BoolVal(not holds))
        value = self.value(expression, frames)
        types = (*_NUMBERS, Type.BOOLEAN)
        if typed(expression, types, self._scope(frames)) is not None:
            holds = value.term != 0
        else:
            holds = self.apply("truth", (value,), z3.BoolSort())
        return _unless(value.null, holds)

    def _predicate(self, call: Call, frames: Frames) -> Truth:
        name, operands = call.name, call.operands
        if name in COMPARISONS and len(operands) == 2:
            return self.compared(name, operands[0], operands[1], frames)
        if name in ("IN", "BETWEEN") and self._as_floats(operands, frames):
            values = [self.value(o, frames) for o in operands]
            true, false = (self.apply(f"{name} {end}", values, z3.BoolSort()) for end in "01")
            return Truth(true, z3.And(z3.Not(true), false))
        if name == "IN":
            equal = [self.compared("=", operands[0], o, frames) for o in operands[1:]]
            return _any(equal)
        if name == "BETWEEN" and len(operands) == 3:
            low = self.compared(">=", operands[0], operands[1], frames)
            return _all((low, self.compared("<=", operands[0], operands[2], frames)))
        if name == "IS" and len(operands) == 2:
            return self._is(operands[0], operands[1], frames)
        if name == "IS NULL":
            null = self.value(operands[0], frames).null
            return Truth(null, z3.Not(null))
        parts = [self.truth(o, frames) for o in operands]
        if name == "AND":
            return _all(parts)
        if name == "OR":
            return _any(parts)
        if name == "NOT":
            return Truth(parts[0].false, parts[0].true)
        holds = parts[0].true if name == "IS TRUE" else parts[0].false
        return Truth(holds, z3.Not(holds))

    def _as_floats(self, operands: Sequence[Expression], frames: Frames) -> bool:
        """True if one float among the operands makes floats of all, outside SQLite, and this may
        round another one."""
        types = [kind(operand, self._scope(frames)) for operand in operands]
        mixed = Type.REAL in types and self.context.dialect != "sqlite"
        return mixed and any(
            type_ in (Type.INTEGER, Type.DECIMAL) and not _is_float_too(operand)
            for type_, operand in zip(types[1:], operands[1:], strict=True)
        )

    def compared(self, name: str, one: Expression, other: Expression, frames: Frames) -> Truth:
        """A comparison: of the numbers if the engine compares the values without conversion.

        Otherwise it is an unknown, the same for the same operands.
        """
        a, b = self.value(one, frames), self.value(other, frames)
        null = z3.simplify(z3.Or(a.null, b.null))
        if self.comparable(one, other, frames):
            return _unless(null, _ordered(name, a.term, b.term))
        if name in ("<>", "="):
            equal = self.apply("=", sorted((a, b), key=lambda v: v.ids), z3.BoolSort())
            return _unless(null, equal if name == "=" else z3.Not(equal))
        if name in (">", ">="):
            a, b, name = b, a, MIRRORED[name]
        return _unless(null, self.apply(name, (a, b), z3.BoolSort()))

    def comparable(self, one: Expression, other: Expression, frames: Frames) -> bool:
        """True if the engine compares two values without conversion, by one total order."""
        if self.context.dialect == "sqlite":
            row = frames[0].fields
            extra: list[Field] = []
            sides = [self._as_column(e, frames, len(row), extra) for e in (one, other)]
            scope = Scope(row + tuple(extra), self.context, _outer(frames))
            return compared_as_it_is(sides[0], sides[1], scope) or _alike(sides, scope)
        types = {type_of(e, frames[0].fields, self.context, _outer(frames)) for e in (one, other)}
        types -= {Type.NULL}
        if Type.TEXT in types and self.context.dialect in _CASELESS:
            return False
        if types <= set(_NUMBERS) and len(types) > 1 and Type.REAL in types:
            # They are compared as floats, so two different integers may equal the same float.
            return any(_is_float_too(side) for side in (one, other))
        return types <= set(_NUMBERS) or (len(types) == 1 and Type.ANY not in types)

    def _as_column(
        self, expression: Expression, frames: Frames, columns: int, extra: list[Field]
    ) -> Expression:
        """A scalar subquery as a new column, appended to ``extra``; other expressions unchanged."""
        if not isinstance(expression, Subquery) or expression.kind is not SubqueryKind.SCALAR:
            return expression
        around = tuple(frame.fields for frame in frames)
        extra.append(fields(expression.relation, self.context, around)[0])
        return Ref(columns + len(extra) - 1)

    def _is(self, one: Expression, other: Expression, frames: Frames) -> Truth:
        a, b = self.value(one, frames), self.value(other, frames)
        if self.comparable(one, other, frames):
            holds = same(a, b)
        else:
            equal = self.apply("=", sorted((a, b), key=lambda v: v.ids), z3.BoolSort())
            neither = z3.And(z3.Not(a.null), z3.Not(b.null), equal)
            holds = z3.Or(z3.And(a.null, b.null), neither)
        return Truth(holds, z3.Not(holds))

    # ------------------------------------------------------------ subqueries

    def _key(self, subquery: Subquery, frames: Frames) -> object:
        read = sorted(references(subquery))
        values = [
            frames[level].values[index] if level < len(frames) else None for level, index in read
        ]
        self.kept += values
        return subquery, tuple(None if v is None else v.ids for v in values)

    def _scalar(self, subquery: Subquery, frames: Frames) -> Value:
        key = self._key(subquery, frames)
        if key not in self.asked:
            around = tuple(frame.fields for frame in frames)
            column = fields(subquery.relation, self.context, around)[0]
            never = not nullable(subquery, around[0], self.context, around[1:])
            null = z3.BoolVal(False) if never else self.fresh("null", z3.BoolSort())
            term = self.fresh("scalar", z3.RealSort())
            symbol = Value(term, null, self.kind(column))
            self.asked[key] = Asked(subquery, frames, (), symbol, term.decl().name())
        found = self.asked[key].symbol
        assert isinstance(found, Value)
        return found

    def _asked_truth(self, subquery: Subquery, frames: Frames) -> Truth:
        key = self._key(subquery, frames)
        if key not in self.asked:
            operands = tuple(self.value(o, frames) for o in subquery.operands)
            if subquery.kind is SubqueryKind.IN:
                true = self._asked_truth(_as_exists(subquery), frames).true
            else:
                true = self.fresh(subquery.kind.value, z3.BoolSort())
            unknown = self.fresh("unknown", z3.BoolSort())
            name = true.decl().name()
            null: z3.BoolRef = z3.BoolVal(False)
            if nullable(subquery, frames[0].fields, self.context, _outer(frames)):
                name, null = unknown.decl().name(), z3.And(unknown, z3.Not(true))
            truth = Truth(true, z3.Not(z3.Or(true, null)))
            self.asked[key] = Asked(subquery, frames, operands, truth, name)
        found = self.asked[key].symbol
        assert isinstance(found, Truth)
        return found


# ---------------------------------------------------------------- small parts


def same(a: Value, b: Value) -> z3.BoolRef:
    """The formula that two values are equal or both NULL."""
    equal = z3.And(z3.Not(a.null), z3.Not(b.null), a.term == b.term)
    return z3.simplify(z3.Or(z3.And(a.null, b.null), equal))


def all_same(pairs: Iterable[tuple[Value, Value]]) -> z3.BoolRef:
    """The formula that the values of each pair are equal or both NULL."""
    return z3.And(*(same(a, b) for a, b in pairs))


def _alike(sides: Sequence[Expression], scope: Scope) -> bool:
    """True if both are numbers or both are texts, and no affinity converts one of them."""
    held = {affinity(side, scope) for side in sides}
    if all(typed(side, _NUMBERS, scope) is not None for side in sides):
        return None not in held and "TEXT" not in held
    texts = all(typed(side, (Type.TEXT,), scope) is not None for side in sides)
    return texts and held <= {"TEXT", "BLOB", ""}


def _is_float_too(expression: Expression) -> bool:
    """True if a constant number is exactly representable as a float."""
    match expression:
        case Literal(value=int() as value):
            return abs(value) <= EXACT
        case Literal(value=float()):
            return True
        case _:
            return False


def _as_exists(subquery: Subquery) -> Subquery:
    """An EXISTS that is true exactly if the IN is true."""
    equal = [
        Call("=", (deepen(operand, 1), Ref(place)))
        for place, operand in enumerate(subquery.operands)
    ]
    return Subquery(SubqueryKind.EXISTS, Filter(subquery.relation, conjunction(equal)))


def _outer(frames: Frames) -> tuple[tuple[Field, ...], ...]:
    return tuple(frame.fields for frame in frames[1:])


def _of_truth(truth: Truth) -> Value:
    null = z3.simplify(z3.And(z3.Not(truth.true), z3.Not(truth.false)))
    return Value(z3.If(truth.true, z3.IntVal(1), z3.IntVal(0)), null, "number")


def _either(condition: z3.BoolRef, one: Value, other: Value) -> Value:
    kinds = {one.kind, other.kind} - {"null"}
    kind = kinds.pop() if len(kinds) == 1 else ""
    null = z3.simplify(z3.If(condition, one.null, other.null))
    return Value(z3.If(condition, one.term, other.term), null, kind)


def _unless(null: z3.BoolRef, holds: z3.BoolRef) -> Truth:
    present = z3.Not(null)
    return Truth(z3.And(present, holds), z3.And(present, z3.Not(holds)))


def _all(parts: Sequence[Truth]) -> Truth:
    return Truth(z3.And(*(p.true for p in parts)), z3.Or(*(p.false for p in parts)))


def _any(parts: Sequence[Truth]) -> Truth:
    return Truth(z3.Or(*(p.true for p in parts)), z3.And(*(p.false for p in parts)))


def _ordered(name: str, a: z3.ArithRef, b: z3.ArithRef) -> z3.BoolRef:
    match name:
        case "=":
            return a == b
        case "<>":
            return a != b
        case "<":
            return a < b
        case "<=":
            return a <= b
        case ">":
            return a > b
        case _:
            return a >= b
