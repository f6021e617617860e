"""Writes expressions of trees as text: as SQL for an engine, and for display."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqljury.trees.nodes import (
    AggregateCall,
    Call,
    Cast,
    Expression,
    Literal,
    Outer,
    Ref,
    SortKey,
    Subquery,
    SubqueryKind,
    Type,
    WindowCall,
)

# ---------------------------------------------------------------- spell
#
# Expressions of operator trees as SQL text: how each operator is written in an engine.


class CannotSpell(Exception):  # noqa: N818  # it never leaves the renderer
    """Raised for what an engine's SQL cannot express; the renderer returns it as a value."""


@dataclass(frozen=True, slots=True)
class View:
    """The text of each column that an expression can read: of the current row, and of the rows of
    enclosing queries, nearest first."""

    row: tuple[str, ...]
    outer: tuple[tuple[str, ...], ...] = ()


OnSubquery = Callable[[Subquery, View], str]

INFIX = frozenset(
    ("=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>")
) | {"LIKE", "ILIKE", "GLOB", "REGEXP", "MATCH", "->", "->>", "//", "^", "SIMILAR TO"}
_JUNCTIONS = {"AND": True, "OR": False}  # with the value that they have without operands
_WITHOUT_BRACKETS = frozenset(("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"))
_FUNCTION = re.compile(r"[A-Z_][A-Z_0-9.]*")
_TYPED_LITERALS = {Type.DATE: "DATE", Type.TIME: "TIME", Type.TIMESTAMP: "TIMESTAMP"}


@dataclass(frozen=True, slots=True)
class Speller:
    """Writes expressions in one dialect; ``subquery`` writes the subqueries."""

    dialect: str
    subquery: OnSubquery

    def expression(self, expression: Expression, view: View) -> str:
        """The expression's SQL, in brackets where operator precedence could change its meaning.

        Raises:
            CannotSpell: the dialect cannot express it.
        """
        match expression:
            case Ref():
                return view.row[expression.index]
            case Outer():
                return view.outer[expression.level - 1][expression.index]
            case Literal():
                return self.literal(expression)
            case Cast():
                operand = self.expression(expression.operand, view)
                return f"CAST({operand} AS {expression.type_name})"
            case Subquery():
                return self.subquery(expression, view)
            case Call():
                texts = [self.expression(operand, view) for operand in expression.operands]
                return self.call(expression.name, texts)

    def literal(self, constant: Literal) -> str:
        """A constant in the dialect's syntax."""
        value = constant.value
        if value is None:
            return "NULL"
        if isinstance(value, bool):
            return self.truth(value)
        if isinstance(value, int):
            return str(value) if value >= 0 else f"({value})"
        if isinstance(value, float):
            return self._number(value, constant.type)
        if isinstance(value, bytes):
            return self._bytes(value)
        if constant.type is Type.DECIMAL:
            return value  # with all of its digits
        return self._text(value, constant.type)

    def _number(self, value: float, type_: Type) -> str:
        if not math.isfinite(value):
            if self.dialect != "sqlite" or math.isnan(value):
                raise CannotSpell(f"the number {value}")
            return "9e999" if value > 0 else "(-9e999)"
        text = repr(value)
        if type_ is Type.REAL and "e" not in text and self.dialect != "sqlite":
            text += "e0"  # else it is a DECIMAL
        return text if value >= 0 else f"({text})"

    def _bytes(self, value: bytes) -> str:
        if self.dialect == "sqlite":
            return f"X'{value.hex()}'"
        return "'" + "".join(f"\\x{byte:02x}" for byte in value) + "'::BLOB"

    def _text(self, value: str, type_: Type) -> str:
        if "\0" in value:
            raise CannotSpell("a text with a zero byte")
        text = "'" + value.replace("'", "''") + "'"
        if type_ in _TYPED_LITERALS and self.dialect != "sqlite":
            return f"{_TYPED_LITERALS[type_]} {text}"
        return text

    def call(self, name: str, texts: list[str]) -> str:
        """An operator or function applied to operands that are already SQL text."""
        if name in _JUNCTIONS:
            return f"({f' {name} '.join(texts)})" if texts else self.truth(_JUNCTIONS[name])
        if name in INFIX and len(texts) == 2:
            return f"({texts[0]} {name} {texts[1]})"
        special = _SPECIAL.get(name)
        if special is not None:
            return special(self, texts)
        if name in _WITHOUT_BRACKETS and not texts:
            return name
        if _FUNCTION.fullmatch(name) is None:
            raise CannotSpell(f"the operator {name}")
        return f"{name}({', '.join(texts)})"

    def truth(self, value: bool) -> str:
        """The constant for true or false.

        1 or 0 in SQLite, where ``x IS TRUE`` would be true of every number but 0.
        """
        return str(int(value)) if self.dialect == "sqlite" else str(value).upper()

    def is_(self, texts: list[str]) -> str:
        """Equality in which NULL equals NULL."""
        word = "IS" if self.dialect == "sqlite" else "IS NOT DISTINCT FROM"
        return f"({texts[0]} {word} {texts[1]})"

    def in_(self, texts: list[str]) -> str:
        """IN with a list; the constant false for an empty list."""
        if len(texts) == 1:
            return self.truth(False)
        return f"({texts[0]} IN ({', '.join(texts[1:])}))"

    def keys(self, keys: tuple[SortKey, ...], view: View) -> list[tuple[str, str]]:
        """The keys of an ORDER BY: for each the text of its expression and of its direction."""
        return [(self.expression(key.expression, view), direction(key)) for key in keys]

    def aggregate(self, call: AggregateCall, view: View) -> str:
        """The SQL of an aggregate."""
        texts = [self.expression(operand, view) for operand in call.operands]
        if call.name == "BARE":
            if self.dialect != "sqlite":
                raise CannotSpell("a column that is not grouped by")
            return texts[0]
        if call.order and self.dialect == "sqlite":
            raise CannotSpell("ORDER BY in an aggregate")
        text = self._arguments(call, texts, view)
        return f"{call.name}({text}){self._filter(call, view)}"

    def window(self, call: WindowCall, view: View) -> str:
        """The SQL of a window function with its OVER."""
        texts = [self.expression(operand, view) for operand in call.operands]
        over = []
        if call.partition:
            parts = (self.expression(part, view) for part in call.partition)
            over.append(f"PARTITION BY {', '.join(parts)}")
        if call.order:
            over.append(order_by(self.keys(call.order, view)))
        if call.frame:
            over.append(call.frame)
        star = call.name == "COUNT" and not texts
        inside = "*" if star else f"{'DISTINCT ' * call.distinct}{', '.join(texts)}"
        return f"{call.name}({inside}){self._filter(call, view)} OVER ({' '.join(over)})"

    def _arguments(self, call: AggregateCall, texts: list[str], view: View) -> str:
        if call.name == "COUNT" and not texts:
            return "*"
        order = f" {order_by(self.keys(call.order, view))}" if call.order else ""
        return f"{'DISTINCT ' * call.distinct}{', '.join(texts)}{order}"

    def _filter(self, call: AggregateCall | WindowCall, view: View) -> str:
        if call.filter is None:
            return ""
        return f" FILTER (WHERE {self.expression(call.filter, view)})"


def direction(key: SortKey) -> str:
    """ASC or DESC, and NULLS FIRST or LAST, of a sort key."""
    return f"{'DESC' if key.descending else 'ASC'} NULLS {'LAST' if key.nulls_last else 'FIRST'}"


def order_by(keys: list[tuple[str, str]]) -> str:
    """An ORDER BY clause from pairs of an expression's text and a direction."""
    return "ORDER BY " + ", ".join(f"{text} {way}" for text, way in keys)


def _case(_: Speller, texts: list[str]) -> str:
    branches = zip(texts[:-1:2], texts[1::2], strict=True)
    when = " ".join(f"WHEN {condition} THEN {result}" for condition, result in branches)
    return f"CASE {when} ELSE {texts[-1]} END"


_SPECIAL: dict[str, Callable[[Speller, list[str]], str]] = {
    "NOT": lambda _, texts: f"(NOT {texts[0]})",
    "NEG": lambda _, texts: f"(- {texts[0]})",
    "~": lambda _, texts: f"(~ {texts[0]})",
    "IS NULL": lambda _, texts: f"({texts[0]} IS NULL)",
    "IS TRUE": lambda _, texts: f"({texts[0]} IS TRUE)",
    "IS FALSE": lambda _, texts: f"({texts[0]} IS FALSE)",
    "IS": Speller.is_,
    "IN": Speller.in_,
    "BETWEEN": lambda _, texts: f"({texts[0]} BETWEEN {texts[1]} AND {texts[2]})",
    "CASE": _case,
    "LIKE": lambda _, texts: f"({texts[0]} LIKE {texts[1]} ESCAPE {texts[2]})",
    "COLLATE": lambda _, texts: f"({texts[0]} COLLATE {texts[1]})",
}


# ---------------------------------------------------------------- for display
#
# Expressions of trees as a person would write them, with the names of columns.
#
# ``Speller`` above writes SQL for an engine; ``Speaker`` never fails, and leaves out brackets that
# precedence makes unnecessary.


@dataclass(frozen=True, slots=True)
class Named:
    """The display name of a column: its name, and the table to distinguish it by."""

    name: str
    table: str = ""

    def full(self) -> str:
        """``table.name``, or the name alone without a table."""
        return f"{self.table}.{self.name}" if self.table else self.name


Names = tuple[Named, ...]

_BINDS = {
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "LIKE", "ILIKE", "GLOB", "REGEXP", "IS"), 4),
    **dict.fromkeys(("&", "|", "<<", ">>"), 5),
    **dict.fromkeys(("+", "-"), 6),
    **dict.fromkeys(("*", "/", "%"), 7),
    **dict.fromkeys(("||", "->", "->>"), 8),
}
"""Precedence of binary operators; higher binds more tightly."""
_CONNECTORS = {"OR": 1, "AND": 2}
_NOT, _TESTS, _SIGN, _ATOM = 3, 4, 9, 10
_BEHIND = frozenset(("IS NULL", "IS TRUE", "IS FALSE"))
_NEGATED = {"IN": "NOT IN", "LIKE": "NOT LIKE", "BETWEEN": "NOT BETWEEN", "GLOB": "NOT GLOB"}
_NEGATED_TESTS = {"IS NULL": "IS NOT NULL", "IS TRUE": "IS NOT TRUE", "IS FALSE": "IS NOT FALSE"}
_BRACKETLESS = frozenset(("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"))


@dataclass(frozen=True, slots=True)
class Speaker:
    """Writes expressions over a row for display; ``of_query`` returns the text for a subquery."""

    row: Names
    outer: Sequence[Names]
    of_query: Callable[[Subquery], str]

    def say(self, expression: Expression, binding: int = 0) -> str:
        """The expression's text; in brackets if its precedence is lower than ``binding``."""
        text, own = self._said(expression)
        return f"({text})" if own < binding else text

    def column(self, index: int) -> str:
        """The name of a column of the row; with its table if the name alone is ambiguous."""
        found = self.row[index]
        seen = Counter(named.name.lower() for row in (self.row, *self.outer) for named in row)
        return found.name if seen[found.name.lower()] == 1 else found.full()

    def key(self, key: SortKey) -> str:
        """One key of an ORDER BY; the place of NULLs is written unless they sort as the smallest
        values."""
        words = [self.say(key.expression)]
        words += ["desc"] if key.descending else []
        if key.nulls_last != key.descending:
            words.append("nulls last" if key.nulls_last else "nulls first")
        return " ".join(words)

    def aggregate(self, call: AggregateCall) -> str:
        """The text of an aggregate."""
        if call.name == "BARE":
            return f"some {self.say(call.operands[0], _ATOM)}"
        parts = ", ".join(map(self.say, call.operands)) or "*"
        order = f" ORDER BY {', '.join(map(self.key, call.order))}" if call.order else ""
        text = f"{call.name}({'DISTINCT ' if call.distinct else ''}{parts}{order})"
        return text + (f" where {self.say(call.filter)}" if call.filter is not None else "")

    def window(self, call: WindowCall) -> str:
        """The text of a window function."""
        parts = ", ".join(map(self.say, call.operands))
        over = []
        if call.partition:
            over.append(f"partition by {', '.join(map(self.say, call.partition))}")
        if call.order:
            over.append(f"order by {', '.join(map(self.key, call.order))}")
        over += [call.frame.lower()] if call.frame else []
        text = f"{call.name}({'DISTINCT ' if call.distinct else ''}{parts})"
        where = f" where {self.say(call.filter)}" if call.filter is not None else ""
        return f"{text}{where} over ({' '.join(over)})"

    def _said(self, expression: Expression) -> tuple[str, int]:
        match expression:
            case Ref():
                return self.column(expression.index), _ATOM
            case Outer():
                return self._outer(expression), _ATOM
            case Literal():
                return constant(expression), _ATOM
            case Cast():
                return f"CAST({self.say(expression.operand)} AS {expression.type_name})", _ATOM
            case Subquery():
                return self._subquery(expression), _TESTS
            case Call():
                return self._call(expression)

    def _outer(self, reference: Outer) -> str:
        if reference.level > len(self.outer):
            return f"outer column {reference.index + 1}"
        named = self.outer[reference.level - 1][reference.index]
        return named.full() if named.table else f"outer {named.name}"

    def _subquery(self, subquery: Subquery, negated: bool = False) -> str:
        query = self.of_query(subquery)
        operands = ", ".join(self.say(operand, _TESTS + 1) for operand in subquery.operands)
        operands = f"({operands})" if len(subquery.operands) > 1 else operands
        match subquery.kind:
            case SubqueryKind.SCALAR:
                return query
            case SubqueryKind.EXISTS:
                return f"EXISTS {query}"
            case SubqueryKind.IN:
                return f"{operands} {'NOT ' if negated else ''}IN {query}"
            case _:
                return f"{operands} {subquery.operator} {subquery.kind.name} {query}"

    def _call(self, call: Call) -> tuple[str, int]:
        name, operands = call.name, call.operands
        if name in _CONNECTORS and len(operands) > 1:
            own = _CONNECTORS[name]
            return f" {name} ".join(self.say(o, own + 1) for o in operands), own
        if name in _BINDS and len(operands) == 2:
            own = _BINDS[name]
            left, right = self.say(operands[0], own), self.say(operands[1], own + 1)
            return f"{left} {name} {right}", own
        if name == "NOT" and len(operands) == 1:
            return self._not(operands[0])
        if name in _BEHIND:
            return f"{self.say(operands[0], _TESTS + 1)} {name}", _TESTS
        if name == "NEG":
            return f"-{self.say(operands[0], _SIGN)}", _SIGN
        if name in ("IN", "BETWEEN") and len(operands) > 1:
            return self._list(name, operands), _TESTS
        if name == "CASE":
            return self._case(operands), _ATOM
        if name in _BRACKETLESS and not operands:
            return name, _ATOM
        return f"{name}({', '.join(map(self.say, operands))})", _ATOM

    def _not(self, operand: Expression) -> tuple[str, int]:
        match operand:
            case Subquery(kind=SubqueryKind.IN):
                return self._subquery(operand, negated=True), _TESTS
            case Call(name=name) if name in _NEGATED_TESTS:
                tested = self.say(operand.operands[0], _TESTS + 1)
                return f"{tested} {_NEGATED_TESTS[name]}", _TESTS
            case Call(name="IN" | "BETWEEN" as name) if len(operand.operands) > 1:
                return self._list(_NEGATED[name], operand.operands), _TESTS
            case Call(name=name, operands=(left, right)) if name in _NEGATED:
                sides = self.say(left, _TESTS + 1), self.say(right, _TESTS + 1)
                return f"{sides[0]} {_NEGATED[name]} {sides[1]}", _TESTS
            case _:
                return f"NOT {self.say(operand, _NOT + 1)}", _NOT

    def _list(self, name: str, operands: tuple[Expression, ...]) -> str:
        first, *rest = (self.say(o, _TESTS + 1) for o in operands)
        if "BETWEEN" in name:
            return f"{first} {name} {' AND '.join(rest)}"
        return f"{first} {name} ({', '.join(rest)})"

    def _case(self, operands: tuple[Expression, ...]) -> str:
        said = list(map(self.say, operands))
        pairs = zip(said[:-1:2], said[1::2], strict=False)
        branches = "".join(f" WHEN {condition} THEN {value}" for condition, value in pairs)
        return f"CASE{branches} ELSE {said[-1]} END"


def constant(literal: Literal) -> str:
    """The text of a constant for display."""
    match literal.value:
        case None:
            return "NULL"
        case bool():
            return str(literal.value).upper()
        case str() if literal.type is not Type.DECIMAL:
            return "'" + literal.value.replace("'", "''") + "'"
        case bytes():
            return f"x'{literal.value.hex()}'"
        case value:
            return str(value)
