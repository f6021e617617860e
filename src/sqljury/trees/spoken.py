"""Expressions of trees as a person would write them, with the names of columns.

The other speller (``spell``) writes what an engine must understand; this one may not fail, and
leaves out the brackets that nobody needs.
"""

from __future__ import annotations

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


@dataclass(frozen=True, slots=True)
class Named:
    """What a column is called: its name, and the table that tells it from others."""

    name: str
    table: str = ""

    def full(self) -> str:
        """With the table, where there is one."""
        return f"{self.table}.{self.name}" if self.table else self.name


Names = tuple[Named, ...]

_BINDS = {
    **dict.fromkeys(("=", "<>", "<", "<=", ">", ">=", "LIKE", "ILIKE", "GLOB", "REGEXP", "IS"), 4),
    **dict.fromkeys(("&", "|", "<<", ">>"), 5),
    **dict.fromkeys(("+", "-"), 6),
    **dict.fromkeys(("*", "/", "%"), 7),
    **dict.fromkeys(("||", "->", "->>"), 8),
}
"""How tightly operators of two operands bind."""
_CONNECTORS = {"OR": 1, "AND": 2}
_NOT, _TESTS, _SIGN, _ATOM = 3, 4, 9, 10
_BEHIND = frozenset(("IS NULL", "IS TRUE", "IS FALSE"))
_NEGATED = {"IN": "NOT IN", "LIKE": "NOT LIKE", "BETWEEN": "NOT BETWEEN", "GLOB": "NOT GLOB"}
_NEGATED_TESTS = {"IS NULL": "IS NOT NULL", "IS TRUE": "IS NOT TRUE", "IS FALSE": "IS NOT FALSE"}
_BRACKETLESS = frozenset(("CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP"))


@dataclass(frozen=True, slots=True)
class Speaker:
    """Says expressions over a row; ``of_query`` gives a query inside one its number."""

    row: Names
    outer: Sequence[Names]
    of_query: Callable[[Subquery], str]

    def say(self, expression: Expression, binding: int = 0) -> str:
        """The expression; in brackets if it binds less tightly than what is around it."""
        text, own = self._said(expression)
        return f"({text})" if own < binding else text

    def column(self, index: int) -> str:
        """A column of the row: with its table only where the name alone would not do."""
        found = self.row[index]
        seen = Counter(named.name.lower() for row in (self.row, *self.outer) for named in row)
        return found.name if seen[found.name.lower()] == 1 else found.full()

    def key(self, key: SortKey) -> str:
        """One key of an order; NULLs are mentioned where they are not with the small values."""
        words = [self.say(key.expression)]
        words += ["desc"] if key.descending else []
        if key.nulls_last != key.descending:
            words.append("nulls last" if key.nulls_last else "nulls first")
        return " ".join(words)

    def aggregate(self, call: AggregateCall) -> str:
        """A call over a group."""
        if call.name == "BARE":
            return f"some {self.say(call.operands[0], _ATOM)}"
        parts = ", ".join(map(self.say, call.operands)) or "*"
        order = f" ORDER BY {', '.join(map(self.key, call.order))}" if call.order else ""
        text = f"{call.name}({'DISTINCT ' if call.distinct else ''}{parts}{order})"
        return text + (f" where {self.say(call.filter)}" if call.filter is not None else "")

    def window(self, call: WindowCall) -> str:
        """A call over a window."""
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
    """A constant as it is written."""
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
