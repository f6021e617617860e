"""Random expressions over the columns of truth_tables, with the constants that rules look at."""

from __future__ import annotations

import random
from collections.abc import Callable

from sqljury.trees.nodes import (
    FALSE,
    NULL,
    TRUE,
    Call,
    Cast,
    Expression,
    Literal,
    Ref,
    Type,
)


def _integers(*values: int) -> list[Literal]:
    return [Literal(value, Type.INTEGER) for value in values]


def _texts(*values: str) -> list[Literal]:
    return [Literal(value, Type.TEXT) for value in values]


CONSTANTS = [
    *_integers(0, 1, 2, 3, -1),
    *(Literal(value, Type.REAL) for value in (1.5, 1.0, 2.0)),
    *_texts("a", "A", "1", "01", "", "1.0", "2010-01-05"),
    NULL,
    TRUE,
    FALSE,
]
PATTERNS = _texts("%", "a%", "A%", "%%", "a", "1", "01", "_", "%a%%", "2010%", "", "2010-01-05")
GLOBS = _texts("a*", "**", "a", "1", "*", "01")
COLUMNS = [Ref(i) for i in (0, 0, 0, 1, 2, 3, 3, 4, 5, 6)]
CASTS = ("INTEGER", "REAL", "TEXT", "INT", "VARCHAR(10)", "FLOAT", "NUMERIC", "CHAR")
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")


class Maker:
    """Draws expressions of a depth."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)
        self.functions: tuple[Callable[[int], Expression], ...] = (
            self.coalesce,
            self.case,
            self.case,
            self.cast,
            self.iif,
            self.named,
            self.named,
            self.substring,
            self.rounded,
            self.divided,
            self.dated,
            self.condition,
        )

    def values(self, count: int, depth: int) -> list[Expression]:
        return [self.value(depth - 1) for _ in range(count)]

    def constant(self) -> Expression:
        return self.rng.choice(CONSTANTS)

    def value(self, depth: int) -> Expression:
        chance = self.rng.random()
        if depth <= 0 or chance < 0.4:
            return self.rng.choice(COLUMNS)
        if chance < 0.62:
            return self.constant()
        if chance < 0.75:
            return Call(self.rng.choice("+-*/%"), tuple(self.values(2, depth)))
        return self.rng.choice(self.functions)(depth)

    def coalesce(self, depth: int) -> Expression:
        return Call("COALESCE", tuple(self.values(self.rng.choice((2, 2, 3)), depth)))

    def case(self, depth: int) -> Expression:
        constants = self.rng.random() < 0.6
        parts: list[Expression] = []
        for _ in range(self.rng.choice((1, 1, 2))):
            parts.append(self.condition(depth - 1))
            parts.append(self.constant() if constants else self.value(depth - 1))
        default = self.rng.choice((NULL, *_integers(0, 1), self.constant(), self.value(depth - 1)))
        return Call("CASE", (*parts, default))

    def iif(self, depth: int) -> Expression:
        return Call("IIF", (self.condition(depth - 1), *self.values(2, depth)))

    def cast(self, depth: int) -> Expression:
        return Cast(self.value(depth - 1), self.rng.choice(CASTS))

    def named(self, depth: int) -> Expression:
        name = self.rng.choice(
            ("NULLIF", "IFNULL", "||", "NEG", "LENGTH", "LOWER", "UPPER", "ABS", "TRIM")
        )
        return Call(name, tuple(self.values(2 if name in ("NULLIF", "IFNULL", "||") else 1, depth)))

    def substring(self, depth: int) -> Expression:
        return Call("SUBSTR", (self.value(depth - 1), *_integers(1, self.rng.choice((1, 2, 4)))))

    def rounded(self, depth: int) -> Expression:
        digits = self.rng.choice(((), (0,), (1,)))
        return Call("ROUND", (self.value(depth - 1), *_integers(*digits)))

    def divided(self, depth: int) -> Expression:
        value, divisor = self.values(2, depth)
        zero = self.rng.choice(_integers(0, 0, 1))
        guard = Call("/", (value, Call("NULLIF", (divisor, zero))))
        case = Call("CASE", (Call("=", (divisor, zero)), NULL, Call("/", (value, divisor))))
        return self.rng.choice((guard, case))

    def dated(self, depth: int) -> Expression:
        date: Expression = self.rng.choice((Ref(4), Ref(3), self.value(depth - 1)))
        if self.rng.random() < 0.4:
            date = Call(self.rng.choice(("DATE", "DATETIME")), (date,))
        part = Call("STRFTIME", (self.rng.choice(_texts("%Y", "%m", "%Y-%m-%d", "%H")), date))
        return self.rng.choice((part, date, Cast(part, "INTEGER")))

    def condition(self, depth: int) -> Expression:
        if depth > 0 and self.rng.random() < 0.45:
            name = self.rng.choice(("AND", "OR", "AND", "OR", "NOT"))
            count = 1 if name == "NOT" else self.rng.choice((2, 2, 3))
            return Call(name, tuple(self.condition(depth - 1) for _ in range(count)))
        return self.about_a_column(depth) if self.rng.random() < 0.5 else self.about_values(depth)

    def about_a_column(self, depth: int) -> Expression:
        """Often the same column with other constants, so that ranges meet."""
        column = self.rng.choice((Ref(0), Ref(0), Ref(1), Ref(2), Ref(3), Ref(5), Ref(6)))
        match self.rng.choice(
            (*COMPARISONS, "IN", "NOT IN", "BETWEEN", "IS NULL", "IS", "NOT", "T")
        ):
            case "IN":
                return self.listed(column)
            case "NOT IN":
                return Call("NOT", (self.listed(column),))
            case "BETWEEN":
                return Call("BETWEEN", (column, self.constant(), self.constant()))
            case "IS NULL":
                return Call("IS NULL", (column,))
            case "NOT":
                return Call("NOT", (Call("IS NULL", (column,)),))
            case "T":
                return Call(self.rng.choice(("IS TRUE", "IS FALSE")), (self.condition(depth - 1),))
            case name:
                pair = (column, self.constant())
                return Call(name, pair if self.rng.random() < 0.8 else pair[::-1])

    def listed(self, column: Expression) -> Call:
        return Call("IN", (column, *(self.constant() for _ in range(self.rng.choice((1, 2, 3))))))

    def about_values(self, depth: int) -> Expression:
        match self.rng.choice(
            (*COMPARISONS, "=", "IN", "BETWEEN", "IS NULL", "IS", "LIKE", "LIKE", "GLOB", "")
        ):
            case "":
                return self.value(depth - 1)
            case "IN":
                return Call("IN", tuple(self.values(self.rng.choice((2, 3, 4)), depth)))
            case "BETWEEN":
                return Call("BETWEEN", tuple(self.values(3, depth)))
            case "IS NULL":
                return Call("IS NULL", tuple(self.values(1, depth)))
            case "LIKE":
                return Call("LIKE", (self.value(depth - 1), self.rng.choice(PATTERNS)))
            case "GLOB":
                return Call("GLOB", (self.value(depth - 1), self.rng.choice(GLOBS)))
            case name:
                return Call(name, tuple(self.values(2, depth)))
