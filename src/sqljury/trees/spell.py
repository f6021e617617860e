"""Expressions of operator trees as SQL text: how each operator is written in an engine."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
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
    Type,
    WindowCall,
)


class CannotSpell(Exception):  # noqa: N818  # it never leaves the renderer
    """What an engine has no words for; the renderer turns it into a value."""


@dataclass(frozen=True, slots=True)
class View:
    """The text of each column that an expression sees: the row at hand, then the rows around."""

    row: tuple[str, ...]
    outer: tuple[tuple[str, ...], ...] = ()


OnSubquery = Callable[[Subquery, View], str]

INFIX = frozenset(
    ("=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||", "&", "|", "<<", ">>")
) | {"LIKE", "ILIKE", "GLOB", "REGEXP", "MATCH", "->", "->>", "//", "^", "SIMILAR TO"}
_JUNCTIONS = {"AND": True, "OR": False}  # and what they are of nothing
_WITHOUT_BRACKETS = frozenset(("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"))
_FUNCTION = re.compile(r"[A-Z_][A-Z_0-9.]*")
_TYPED_LITERALS = {Type.DATE: "DATE", Type.TIME: "TIME", Type.TIMESTAMP: "TIMESTAMP"}


@dataclass(frozen=True, slots=True)
class Speller:
    """Writes expressions for one dialect; what a subquery is, ``subquery`` says."""

    dialect: str
    subquery: OnSubquery

    def expression(self, expression: Expression, view: View) -> str:
        """The text, in brackets where it could be torn apart."""
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
        """A constant as the dialect reads it back."""
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
        """An operator or function of operands that are text already."""
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
        """True or false; in SQLite, IS TRUE would ask for more than equality with 1."""
        return str(int(value)) if self.dialect == "sqlite" else str(value).upper()

    def is_(self, texts: list[str]) -> str:
        """Equality that takes NULL as a value."""
        word = "IS" if self.dialect == "sqlite" else "IS NOT DISTINCT FROM"
        return f"({texts[0]} {word} {texts[1]})"

    def in_(self, texts: list[str]) -> str:
        """One of a list."""
        if len(texts) == 1:
            return self.truth(False)
        return f"({texts[0]} IN ({', '.join(texts[1:])}))"

    def keys(self, keys: tuple[SortKey, ...], view: View) -> list[tuple[str, str]]:
        """The keys of an order: the expression's text, and its direction's."""
        return [(self.expression(key.expression, view), direction(key)) for key in keys]

    def aggregate(self, call: AggregateCall, view: View) -> str:
        """One aggregate over the rows of a group."""
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
        """One function over a window."""
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
    """Where a key's order goes, NULLs said."""
    return f"{'DESC' if key.descending else 'ASC'} NULLS {'LAST' if key.nulls_last else 'FIRST'}"


def order_by(keys: list[tuple[str, str]]) -> str:
    """An ORDER BY clause."""
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
