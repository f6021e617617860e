"""Conditions and the expressions in them, read for a value profile."""

from __future__ import annotations

from functools import cache
from typing import Any, Final, Protocol

from sqlglot import exp

from sqljury.sql.comparisons import MIRRORED
from sqljury.sql.value_profile.notes import NOWHERE, Notes, Output, PlaceScope
from sqljury.value_profile import Constant, Place

NO_CONSTANT: Final = object()
"""Told apart from NULL."""

_LONGEST = 1000
"""Characters of a constant that is still worth a row."""


def constant_of(node: exp.Expr) -> Constant | object:
    """The value of a literal, a negated or cast one, or of ``date('…')``; else NO_CONSTANT."""
    while isinstance(node, exp.Paren | exp.Cast | exp.Date | exp.TsOrDsToDate | exp.Collate):
        inner = node.this
        if inner is None or node.args.get("expressions"):
            return NO_CONSTANT
        node = inner
    if isinstance(node, exp.Literal):
        return _literal(node)
    if isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal):
        value = _literal(node.this)
        return -value if isinstance(value, int | float) else NO_CONSTANT
    if isinstance(node, exp.Boolean):
        return int(bool(node.this))
    if isinstance(node, exp.Null):
        return None
    return NO_CONSTANT


def _literal(node: exp.Literal) -> Constant | object:
    text = str(node.this)
    if node.is_string:
        return text if len(text) <= _LONGEST else NO_CONSTANT
    return number_of(text)


def number_of(text: str) -> Constant | object:
    """The number that a text spells, if SQLite can hold it."""
    try:
        whole = int(text)
        return whole if abs(whole) < 2**62 else NO_CONSTANT
    except ValueError:
        pass
    try:
        number = float(text)
        return number if abs(number) < 1e300 else NO_CONSTANT
    except ValueError:
        return NO_CONSTANT


Ctes = dict[str, Any]
_NOTHING = Output("")


class ReadsQueries(Protocol):
    """Who reads the queries inside of expressions."""

    def query(
        self, node: exp.Expr, outer: PlaceScope | None, ctes: Ctes, *, hard: bool
    ) -> list[Output]:
        """Read a query; its result's columns."""


class ConditionReader:
    """Turns conditions into atoms and links; what it cannot read it mines for constants."""

    def __init__(self, notes: Notes, reader: ReadsQueries) -> None:
        self._notes = notes
        self._reader = reader

    # ------------------------------------------------------------ conditions

    def read(self, node: exp.Expr, scope: PlaceScope, ctes: Ctes, *, hard: bool) -> None:
        """A condition: a row is lost where it fails, if it is ``hard``."""
        kind = type(node)
        if isinstance(node, exp.Connector):
            # A thousand ANDs are as deep a tree: without descending.
            for child in node.flatten(unnest=False):
                self.read(child, scope, ctes, hard=hard and kind is exp.And)
        elif isinstance(node, exp.Paren):
            self.read(node.this, scope, ctes, hard=hard)
        elif isinstance(node, exp.Not) and isinstance(node.this, exp.Is):
            self._is(node.this, scope, ctes, "not null", hard)
        elif isinstance(node, exp.Not):
            self.read(node.this, scope, ctes, hard=False)
        elif isinstance(node, exp.Exists):
            self._reader.query(node.this, scope, ctes, hard=hard)
        elif isinstance(node, exp.In):
            self._in(node, scope, ctes, hard)
        elif isinstance(node, exp.Between):
            self._compare(">=", node.this, node.args["low"], scope, ctes, hard)
            self._compare("<=", node.this, node.args["high"], scope, ctes, hard)
        elif isinstance(node, exp.Is):
            self._is(node, scope, ctes, "null", hard)
        elif (operator := _operators().get(kind)) is not None:
            self._compare(operator, node.this, node.expression, scope, ctes, hard)
        else:
            self.value(node, scope, ctes)

    def _is(self, node: exp.Is, scope: PlaceScope, ctes: Ctes, operator: str, hard: bool) -> None:
        if constant_of(node.expression) is None:
            place = self.value(node.this, scope, ctes).place
            if place is not None:
                self._notes.atom(place, operator, (), hard=hard)
        else:
            operator = "=" if operator == "null" else "<>"
            self._compare(operator, node.this, node.expression, scope, ctes, hard)

    def _in(self, node: exp.In, scope: PlaceScope, ctes: Ctes, hard: bool) -> None:
        left = self.value(node.this, scope, ctes)
        query = node.args.get("query")
        if query is not None:
            outputs = self._reader.query(query, scope, ctes, hard=hard)
            if outputs:
                self._notes.link(left.place, outputs[0].place, hard=hard)
            return
        values = [self._constant(item, scope) for item in node.expressions]
        constants: list[Any] = [value for value in values if value is not NO_CONSTANT]
        if left.place is not None and len(constants) == len(values) and values:
            self._notes.atom(left.place, "in", tuple(constants), hard=hard)
            return
        self._hint(left, constants)
        for item, value in zip(node.expressions, values, strict=True):
            if value is NO_CONSTANT:
                self._notes.link(left.place, self.value(item, scope, ctes).place, hard=False)

    def _compare(
        self, operator: str, a: exp.Expr, b: exp.Expr, scope: PlaceScope, ctes: Ctes, hard: bool
    ) -> None:
        right_constant, left_constant = self._constant(b, scope), self._constant(a, scope)
        if right_constant is not NO_CONSTANT:
            self._compare_constant(operator, a, right_constant, scope, ctes, hard)
        elif left_constant is not NO_CONSTANT:
            mirrored = MIRRORED.get(operator, "hint")
            self._compare_constant(mirrored, b, left_constant, scope, ctes, hard)
        else:
            hard = hard and operator == "="
            left, right = (self._operand(side, scope, ctes, hard) for side in (a, b))
            self._notes.link(left.place, right.place, hard=hard)

    def _operand(self, node: exp.Expr, scope: PlaceScope, ctes: Ctes, hard: bool) -> Output:
        """A side of a comparison: min(x) of a subquery can equal x."""
        inner = node.unnest()
        if not isinstance(inner, exp.Query):
            return self.value(node, scope, ctes)
        found = self._subquery(node, scope, ctes, hard)
        if isinstance(inner, exp.Select) and len(inner.expressions) == 1 and len(found.places) == 1:
            function = inner.expressions[0].unalias()
            return Output("", found.places, found.plain or isinstance(function, exp.Min | exp.Max))
        return found

    def _compare_constant(
        self, operator: str, node: exp.Expr, value: Any, scope: PlaceScope, ctes: Ctes, hard: bool
    ) -> None:
        found = self.value(node, scope, ctes)
        if isinstance(value, int | float) and _counts_rows(node):
            self._notes.count(int(value))
        elif found.place is not None:
            self._notes.atom(found.place, operator, (value,), hard=hard)
        else:
            self._hint(found, [value, *_inverted(node, value)])

    def _hint(self, found: Output, values: list[Constant]) -> None:
        for place in sorted(found.places, key=lambda p: (p.slot, p.column)):
            if values:
                self._notes.atom(place, "hint", tuple(values), hard=False)

    def _constant(self, node: exp.Expr, scope: PlaceScope) -> Constant | object:
        """A literal, or a name in double quotes that no column has: SQLite takes it for a text."""
        if isinstance(node, exp.Column):
            quoted = isinstance(node.this, exp.Identifier) and node.this.quoted
            if quoted and not node.table and scope.find(node.name.lower(), "") is None:
                return node.name
            return NO_CONSTANT
        return constant_of(node)

    # ------------------------------------------------------------ values

    def value(self, node: exp.Expr, scope: PlaceScope, ctes: Ctes) -> Output:
        """The columns that an expression is made of; conditions inside of it are read, too."""
        if isinstance(node, exp.Column):
            return self._column(node, scope)
        if isinstance(node, exp.Literal | exp.Star | exp.Identifier | exp.DataType):
            return _NOTHING
        if isinstance(node, exp.Query):
            return self._subquery(node, scope, ctes, False)
        if isinstance(node, exp.Paren | exp.Alias | exp.Collate | exp.Distinct):
            return self._only(node, scope, ctes)
        if isinstance(node, exp.Condition) and type(node) in _conditions():
            self.read(node, scope, ctes, hard=False)
            return Output("", frozenset(_places(node, scope)))
        return self._function(node, scope, ctes)

    def _column(self, node: exp.Column, scope: PlaceScope) -> Output:
        found = scope.find(node.name.lower(), node.table.lower())
        if found is None:
            return _NOTHING
        self._notes.used((found,))
        return found

    def _subquery(self, node: exp.Expr, scope: PlaceScope, ctes: Ctes, hard: bool) -> Output:
        outputs = self._reader.query(node, scope, ctes, hard=hard)
        if not _is_single(node):
            # One row is taken where there are several: which, nobody says.
            self._notes.fragile = self._notes.any_rows = True
        return outputs[0] if outputs else _NOTHING

    def _only(self, node: exp.Expr, scope: PlaceScope, ctes: Ctes) -> Output:
        found = [self.value(child, scope, ctes) for child in node.iter_expressions()]
        with_places = [output for output in found if output.places]
        if len(with_places) == 1:
            return with_places[0]
        return _joined(found)

    def _function(self, node: exp.Expr, scope: PlaceScope, ctes: Ctes) -> Output:
        children = list(node.iter_expressions())
        if isinstance(node, exp.If):
            # What a branch shows says nothing of the columns that choose it.
            self.value(node.this, scope, ctes)
            children = [child for child in children if child is not node.this]
        found = _joined([self.value(child, scope, ctes) for child in children])
        self._note_kind(node, found)
        values = [self._constant(child, scope) for child in children]
        texts: list[Constant] = [v for v in values if isinstance(v, str) and "%" not in v]
        self._hint(found, texts)
        return found

    def _note_kind(self, node: exp.Expr, found: Output) -> None:
        kinds = _kinds()
        fragile = isinstance(node, kinds.fragile) or node.name.lower() in _FRAGILE_NAMES
        if fragile or any(child.name.lower() == "now" for child in node.iter_expressions()):
            self._notes.fragile = True
        if isinstance(node, kinds.random) or node.name.lower() in _RANDOM_NAMES:
            self._notes.fragile = self._notes.any_rows = self._notes.random = True
        numeric = isinstance(node, kinds.numeric) or (
            isinstance(node, exp.Cast) and node.to.this in exp.DataType.NUMERIC_TYPES
        )
        dated = isinstance(node, kinds.dated) or node.name.lower() in _DATE_NAMES
        for place in found.places if numeric or dated else ():
            use = self._notes.use(place)
            use.numeric |= numeric
            use.dated |= dated
            if dated and (pattern := _format_of(node)):
                use.formats[pattern] = None


# ---------------------------------------------------------------- kinds of nodes

_RANDOM_NAMES = frozenset({"random", "randomblob", "rand", "newid", "uuid"})
_FRAGILE_NAMES = frozenset({"group_concat", "json_group_array", "json_group_object", "string_agg"})
_DATE_NAMES = frozenset({"strftime", "date", "datetime", "julianday", "unixepoch", "time"})


@cache
def _operators() -> dict[type, str]:
    return {
        exp.EQ: "=",
        exp.NullSafeEQ: "=",
        exp.NEQ: "<>",
        exp.NullSafeNEQ: "<>",
        exp.LT: "<",
        exp.LTE: "<=",
        exp.GT: ">",
        exp.GTE: ">=",
        exp.Like: "like",
        exp.ILike: "like",
        exp.Glob: "glob",
        exp.RegexpLike: "hint",
    }


@cache
def _conditions() -> frozenset[type]:
    others = (exp.And, exp.Or, exp.Not, exp.In, exp.Between, exp.Is, exp.Exists)
    return frozenset((*_operators(), *others))


class _Kinds:
    def __init__(self) -> None:
        self.numeric: tuple[type, ...] = (
            *(exp.Sum, exp.Avg, exp.Abs, exp.Round),
            *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg),
        )
        self.dated: tuple[type, ...] = (
            *(exp.TimeToStr, exp.StrToTime, exp.Date, exp.TsOrDsToDate, exp.TsOrDsToTimestamp),
            *(exp.Year, exp.Month, exp.Day, exp.Extract, exp.TimestampTrunc, exp.DateTrunc),
            *(exp.DateAdd, exp.DateSub, exp.DateDiff),
        )
        self.fragile: tuple[type, ...] = (
            *(exp.GroupConcat, exp.Window, exp.ArrayAgg, exp.JSONArrayAgg, exp.First),
            # The second may change between two queries.
            *(exp.CurrentTimestamp, exp.CurrentDate, exp.CurrentTime),
        )
        self.random = (exp.Rand, exp.Uuid)


@cache
def _kinds() -> _Kinds:
    return _Kinds()


def _format_of(node: exp.Expr) -> str:
    for child in node.iter_expressions():
        if isinstance(child, exp.Literal) and child.is_string and "%" in child.name:
            return child.name
    return ""


def _counts_rows(node: exp.Expr) -> bool:
    return isinstance(node.unnest(), exp.Count) or node.find(exp.Count) is not None


def _is_single(node: exp.Expr) -> bool:
    """Whether a subquery has one row by itself: an aggregate without groups, a LIMIT 1."""
    node = node.unnest()
    if not isinstance(node, exp.Select):
        return False
    limit = node.args.get("limit")
    if limit is not None and constant_of(limit.expression) == 1:
        return True
    aggregates = any(isinstance(item.unalias(), exp.AggFunc) for item in node.expressions)
    return node.args.get("group") is None and (aggregates or node.args.get("from_") is None)


def _places(node: exp.Expr, scope: PlaceScope) -> list[Place]:
    found: list[Place] = []
    for column in node.find_all(exp.Column):
        output = scope.find(column.name.lower(), column.table.lower())
        if output is not None:
            found.extend(output.places)
    return found


def _joined(found: list[Output]) -> Output:
    return Output("", NOWHERE.union(*(output.places for output in found)))


def _inverted(node: exp.Expr, value: Constant) -> list[Constant]:
    """Further values for which a function of a column may give a constant."""
    if isinstance(node, exp.Length) and isinstance(value, int) and 0 <= value <= 200:
        return ["x" * n for n in (value - 1, value, value + 1) if n >= 0]
    if isinstance(value, str):
        number = number_of(value)
        return [number] if isinstance(number, int | float) else []
    return []
