"""Reads a query's value profile from its syntax tree."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import Any, TypeVar

from sqlglot import exp

from sqljury.schema import Schema
from sqljury.sql.comparisons import MIRRORED
from sqljury.sql.profiles.notes import NOWHERE, Notes, Output, PlaceScope, PlaceSource
from sqljury.sql.resolve import tables_of
from sqljury.sql.tokens import MAX_CHARS, parse
from sqljury.value_profile import ColumnUse, Constant, Pattern, Place, ValueProfile

T = TypeVar("T")


def merged_profiles(left: ValueProfile, right: ValueProfile) -> ValueProfile:
    """The profile of what either query needs; each query keeps its own pattern."""
    return ValueProfile(
        tables=_unique(left.tables, right.tables),
        columns={
            name: _merged(left.columns.get(name), right.columns.get(name))
            for name in chain(left.columns, (n for n in right.columns if n not in left.columns))
        },
        patterns=_unique(left.patterns, right.patterns),
        pools=_unique(left.pools, right.pools),
        counts=_unique(left.counts, right.counts),
        limits=_unique(left.limits, right.limits),
        unread=_unique(left.unread, right.unread),
        random=left.random or right.random,
        any_rows=left.any_rows or right.any_rows,
        cuts_ties=left.cuts_ties or right.cuts_ties,
        fragile=left.fragile or right.fragile,
    )


def _merged(left: ColumnUse | None, right: ColumnUse | None) -> ColumnUse:
    if left is None or right is None:
        return left or right or ColumnUse()
    return ColumnUse(
        constants=_unique(left.constants, right.constants),
        likes=_unique(left.likes, right.likes),
        globs=_unique(left.globs, right.globs),
        numeric=left.numeric or right.numeric,
        dated=left.dated or right.dated,
        formats=_unique(left.formats, right.formats),
    )


def _unique(*parts: tuple[T, ...]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(chain(*parts)))


_MOST_SLOTS = 32
"""Most table occurrences in one pattern; later ones get random data."""


@lru_cache(maxsize=512)
def value_profile(sql: str, schema: Schema, dialect: str = "sqlite") -> ValueProfile | None:
    """The value profile of a query on a schema; None if the text is too long to be read.

    For a query that cannot be parsed (the engine may still run it), all words that are names of
    tables count as read, with all of their columns.

    >>> from sqljury.schema import Column, Table
    >>> table = Table(name="t", columns=(Column(name="a", type="INT"),))
    >>> profile = value_profile("SELECT a FROM t WHERE a > 3", Schema(dialect="", tables=(table,)))
    >>> profile.patterns[0].atoms[0].values
    (3,)
    """
    tree = parse(sql, dialect)
    if tree is None:
        return _unparsed(sql, schema, dialect)
    notes = Notes(schema)
    reader = _ProfileReader(notes)
    try:
        reader.query(tree, PlaceScope(), hard=True)
    except RecursionError:
        return _unparsed(sql, schema, dialect)
    return notes.profile()


def _unparsed(sql: str, schema: Schema, dialect: str) -> ValueProfile | None:
    tables = tables_of(sql, dialect, schema)
    if tables is None:
        return None if len(sql) > MAX_CHARS else ValueProfile()
    names = tuple(table.name for table in tables if not table.is_view)
    return ValueProfile(
        tables=names,
        columns={(t.name, c.name): ColumnUse() for t in tables for c in t.columns},
        patterns=(Pattern(tables=names),),
        unread=tuple(table.name for table in tables if table.is_view),
        cuts_ties=True,
        fragile=True,
    )


class _ProfileReader:
    """Walks queries with their conditions and expressions, and records them in the notes.

    Conditions become atoms (column and constants) and links (two columns); from any other
    condition only the constants are recorded, as hints. ``hard`` means that a row appears in the
    result only if the condition holds.
    """

    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._open_ctes: set[int] = set()

    # ------------------------------------------------------------ queries

    def query(self, node: exp.Expr, outer: PlaceScope, *, hard: bool) -> list[Output]:
        """Reads a query; returns the columns of its result."""
        scope = outer.inside(node)
        if isinstance(node, exp.Subquery | exp.Paren):
            found = self.query(node.this, scope, hard=hard)
            self._tail(node, scope)
            return found
        if isinstance(node, exp.SetOperation):
            left = self.query(node.left, scope, hard=hard)
            right = self.query(node.right, scope, hard=hard)
            for a, b in zip(left, right, strict=False):
                self._notes.link(a.place, b.place, hard=False)
            scope.aliases = {output.name: output for output in left}
            self._tail(node, scope)
            return left
        if isinstance(node, exp.Select):
            return self._select(node, scope, hard)
        if isinstance(node, exp.Table):  # brackets around a join
            self._from_item(node, scope, hard)
            return [output for source in scope.sources for output in source.outputs]
        return []

    def _select(self, node: exp.Select, scope: PlaceScope, hard: bool) -> list[Output]:
        start = node.args.get("from_")
        if start is not None:
            self._from_item(start.this, scope, hard)
        for join in node.args.get("joins") or ():
            self._join(join, scope, hard)
        outputs = self._projections(node, scope)
        scope.aliases = {output.name: output for output in reversed(outputs) if output.name}
        for clause in ("where", "having"):
            if node.args.get(clause) is not None:
                self._condition(node.args[clause].this, scope, hard=hard)
        self._group(node, scope, outputs)
        self._tail(node, scope, outputs)
        self._notes.fragile |= _has_bare_columns(node)
        return outputs

    def _join(self, join: exp.Join, scope: PlaceScope, hard: bool) -> None:
        before = len(scope.sources)
        self._from_item(join.this, scope, hard)
        names = [column.name.lower() for column in join.args.get("using") or ()]
        ours = PlaceScope(sources=scope.sources[:before])
        theirs = PlaceScope(sources=scope.sources[before:])
        if join.args.get("method") == "NATURAL":
            known = {output.name for output in ours.star("")}
            names = [output.name for output in theirs.star("") if output.name in known]
        for name in names:
            left, right = ours.find(name, ""), theirs.find(name, "")
            if left is not None and right is not None:
                self._notes.link(left.place, right.place, hard=hard)
        condition = join.args.get("on")
        if condition is not None:
            self._condition(condition, scope, hard=hard)

    def _from_item(self, node: exp.Expr, scope: PlaceScope, hard: bool) -> None:
        if isinstance(node, exp.Table):
            scope.sources.append(self._table(node, scope, hard))
        elif isinstance(node, exp.Subquery) and isinstance(node.this, exp.Table):
            self._from_item(node.this, scope, hard)
        elif isinstance(node, exp.Subquery):
            beside = PlaceScope(scope.outer, ctes=scope.ctes)
            outputs = self.query(node, beside, hard=hard)
            scope.sources.append(PlaceSource(node.alias_or_name.lower(), _renamed(node, outputs)))
        else:
            self._notes.unread(type(node).__name__)
        for join in node.args.get("joins") or ():
            self._join(join, scope, hard)

    def _table(self, node: exp.Table, scope: PlaceScope, hard: bool) -> PlaceSource:
        name = node.name.lower()
        alias = (node.alias or node.name).lower()
        cte = scope.ctes.get(name)
        if cte is not None and not node.args.get("db"):
            return PlaceSource(alias, self._cte(cte, scope, hard))
        slot = self._notes.occurrence(node.name) if self._notes.slots < _MOST_SLOTS else None
        return PlaceSource(alias, self._notes.outputs(node.name, slot), slot)

    def _cte(self, cte: exp.CTE, scope: PlaceScope, hard: bool) -> list[Output]:
        if id(cte) in self._open_ctes or self._notes.slots >= _MOST_SLOTS:
            return []  # it is recursive, or reads so many tables that the limit is reached
        self._open_ctes.add(id(cte))
        try:
            return _renamed(cte, self.query(cte.this, PlaceScope(ctes=scope.ctes), hard=hard))
        finally:
            self._open_ctes.discard(id(cte))

    # ------------------------------------------------------------ clauses

    def _projections(self, node: exp.Select, scope: PlaceScope) -> list[Output]:
        outputs: list[Output] = []
        for item in node.expressions:
            if item.is_star and (item.name == "*" or not item.name):
                stars = scope.star(item.text("table").lower())
                self._notes.used(stars)
                outputs += stars
            else:
                found = self._value(item.unalias(), scope)
                outputs.append(Output(item.alias_or_name.lower(), found.places, found.plain))
        return outputs

    def _group(self, node: exp.Select, scope: PlaceScope, outputs: list[Output]) -> None:
        group = node.args.get("group")
        for item in group.expressions if group is not None else ():
            found = _numbered(item, outputs) or self._value(item, scope)
            self._notes.groups.extend(sorted(found.places, key=_by_slot))
        if node.args.get("distinct") is not None:
            for output in outputs:
                self._notes.groups.extend(sorted(output.places, key=_by_slot))

    def _tail(
        self,
        node: exp.Expr,
        scope: PlaceScope,
        outputs: list[Output] | None = None,
    ) -> None:
        """Reads the ORDER BY, LIMIT and OFFSET of a query."""
        order = node.args.get("order")
        for item in order.expressions if order is not None else ():
            found = _numbered(item.this, outputs or []) or self._value(item.this, scope)
            self._notes.ordered.extend(sorted(found.places, key=_by_slot))
        limit = node.args.get("limit")
        if limit is None:
            return
        self._notes.fragile = True
        if order is None:
            self._notes.any_rows = True
        else:
            self._notes.cuts_ties = True
        self._notes.limit(_whole(limit), _whole(node.args.get("offset")))

    # ------------------------------------------------------------ conditions

    def _condition(self, node: exp.Expr, scope: PlaceScope, *, hard: bool) -> None:
        """Reads a condition; if it is ``hard``, a row for which it fails is not in the result."""
        kind = type(node)
        if isinstance(node, exp.Connector):
            # Flattened, because a thousand ANDs are a tree of that depth.
            for child in node.flatten(unnest=False):
                self._condition(child, scope, hard=hard and kind is exp.And)
        elif isinstance(node, exp.Paren):
            self._condition(node.this, scope, hard=hard)
        elif isinstance(node, exp.Not) and isinstance(node.this, exp.Is):
            self._is(node.this, scope, "not null", hard)
        elif isinstance(node, exp.Not):
            self._condition(node.this, scope, hard=False)
        elif isinstance(node, exp.Exists):
            self.query(node.this, scope, hard=hard)
        elif isinstance(node, exp.In):
            self._in(node, scope, hard)
        elif isinstance(node, exp.Between):
            self._compare(">=", node.this, node.args["low"], scope, hard)
            self._compare("<=", node.this, node.args["high"], scope, hard)
        elif isinstance(node, exp.Is):
            self._is(node, scope, "null", hard)
        elif (operator := _OPERATORS.get(kind)) is not None:
            self._compare(operator, node.this, node.expression, scope, hard)
        else:
            self._value(node, scope)

    def _is(self, node: exp.Is, scope: PlaceScope, operator: str, hard: bool) -> None:
        if constant_of(node.expression) is None:
            place = self._value(node.this, scope).place
            if place is not None:
                self._notes.atom(place, operator, (), hard=hard)
        else:
            operator = "=" if operator == "null" else "<>"
            self._compare(operator, node.this, node.expression, scope, hard)

    def _in(self, node: exp.In, scope: PlaceScope, hard: bool) -> None:
        left = self._value(node.this, scope)
        query = node.args.get("query")
        if query is not None:
            outputs = self.query(query, scope, hard=hard)
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
                self._notes.link(left.place, self._value(item, scope).place, hard=False)

    def _compare(
        self, operator: str, a: exp.Expr, b: exp.Expr, scope: PlaceScope, hard: bool
    ) -> None:
        right_constant, left_constant = self._constant(b, scope), self._constant(a, scope)
        if right_constant is not NO_CONSTANT:
            self._compare_constant(operator, a, right_constant, scope, hard)
        elif left_constant is not NO_CONSTANT:
            mirrored = MIRRORED.get(operator, "hint")
            self._compare_constant(mirrored, b, left_constant, scope, hard)
        else:
            hard = hard and operator == "="
            left, right = (self._operand(side, scope, hard) for side in (a, b))
            self._notes.link(left.place, right.place, hard=hard)

    def _operand(self, node: exp.Expr, scope: PlaceScope, hard: bool) -> Output:
        """A side of a comparison; the MIN or MAX of a subquery counts as its column."""
        inner = node.unnest()
        if not isinstance(inner, exp.Query):
            return self._value(node, scope)
        found = self._subquery(node, scope, hard)
        if isinstance(inner, exp.Select) and len(inner.expressions) == 1 and len(found.places) == 1:
            function = inner.expressions[0].unalias()
            return Output("", found.places, found.plain or isinstance(function, exp.Min | exp.Max))
        return found

    def _compare_constant(
        self, operator: str, node: exp.Expr, value: Any, scope: PlaceScope, hard: bool
    ) -> None:
        found = self._value(node, scope)
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
        """A literal's value; also a double-quoted name that is no column, a string in SQLite."""
        if isinstance(node, exp.Column):
            quoted = isinstance(node.this, exp.Identifier) and node.this.quoted
            if quoted and not node.table and scope.find(node.name.lower(), "") is None:
                return node.name
            return NO_CONSTANT
        return constant_of(node)

    # ------------------------------------------------------------ values

    def _value(self, node: exp.Expr, scope: PlaceScope) -> Output:
        """The columns that an expression is computed from; also reads conditions inside it."""
        if isinstance(node, exp.Column):
            return self._column(node, scope)
        if isinstance(node, exp.Literal | exp.Star | exp.Identifier | exp.DataType):
            return _NOTHING
        if isinstance(node, exp.Query):
            return self._subquery(node, scope, False)
        if isinstance(node, exp.Paren | exp.Alias | exp.Collate | exp.Distinct):
            return self._only(node, scope)
        if isinstance(node, exp.Condition) and type(node) in _CONDITIONS:
            self._condition(node, scope, hard=False)
            return Output("", frozenset(_places(node, scope)))
        return self._function(node, scope)

    def _column(self, node: exp.Column, scope: PlaceScope) -> Output:
        found = scope.find(node.name.lower(), node.table.lower())
        if found is None:
            return _NOTHING
        self._notes.used((found,))
        return found

    def _subquery(self, node: exp.Expr, scope: PlaceScope, hard: bool) -> Output:
        outputs = self.query(node, scope, hard=hard)
        if not _is_single(node):
            # If there are several rows, the engine uses an arbitrary one.
            self._notes.fragile = self._notes.any_rows = True
        return outputs[0] if outputs else _NOTHING

    def _only(self, node: exp.Expr, scope: PlaceScope) -> Output:
        found = [self._value(child, scope) for child in node.iter_expressions()]
        with_places = [output for output in found if output.places]
        if len(with_places) == 1:
            return with_places[0]
        return _joined(found)

    def _function(self, node: exp.Expr, scope: PlaceScope) -> Output:
        children = list(node.iter_expressions())
        if isinstance(node, exp.If):
            # The branches' values have nothing to do with the columns of the condition.
            self._value(node.this, scope)
            children = [child for child in children if child is not node.this]
        found = _joined([self._value(child, scope) for child in children])
        self._note_kind(node, found)
        values = [self._constant(child, scope) for child in children]
        texts: list[Constant] = [v for v in values if isinstance(v, str) and "%" not in v]
        self._hint(found, texts)
        return found

    def _note_kind(self, node: exp.Expr, found: Output) -> None:
        fragile = isinstance(node, _FRAGILE) or node.name.lower() in _FRAGILE_NAMES
        if fragile or any(child.name.lower() == "now" for child in node.iter_expressions()):
            self._notes.fragile = True
        if isinstance(node, (exp.Rand, exp.Uuid)) or node.name.lower() in _RANDOM_NAMES:
            self._notes.fragile = self._notes.any_rows = self._notes.random = True
        numeric = isinstance(node, _NUMERIC) or (
            isinstance(node, exp.Cast) and node.to.this in exp.DataType.NUMERIC_TYPES
        )
        dated = isinstance(node, _DATED) or node.name.lower() in _DATE_NAMES
        for place in found.places if numeric or dated else ():
            use = self._notes.use(place)
            use.numeric |= numeric
            use.dated |= dated
            if dated and (pattern := _format_of(node)):
                use.formats[pattern] = None


def _renamed(node: exp.Expr, outputs: list[Output]) -> list[Output]:
    """The columns with the names of ``AS q(a, b)``."""
    names = [name.lower() for name in node.alias_column_names]
    if not names:
        return outputs
    return [
        Output(name, output.places, output.plain)
        for name, output in zip(names, outputs, strict=False)
    ]


def _numbered(item: exp.Expr, outputs: list[Output]) -> Output | None:
    """The output column that a position such as in ``ORDER BY 2`` refers to; else None."""
    number = constant_of(item)
    if isinstance(number, int) and 1 <= number <= len(outputs):
        return outputs[number - 1]
    return None


def _by_slot(place: Any) -> tuple[int, str]:
    return place.slot, place.column


def _whole(node: exp.Expr | None) -> int:
    value = constant_of(node.expression) if node is not None and node.expression else 0
    return value if isinstance(value, int) and value > 0 else 0


def _has_bare_columns(node: exp.Select) -> bool:
    """True if a grouped SELECT has a column that is neither aggregated nor a grouping key."""
    group = node.args.get("group")
    keys = {key.sql().lower() for key in group.expressions} if group is not None else set()
    if group is None and not any(_aggregates(item) for item in node.expressions):
        return False
    names = {key.rpartition(".")[2].strip('"') for key in keys}
    for item in node.expressions:
        for column in _outside_aggregates(item):
            if isinstance(column, exp.Star) or column.name.lower() not in names:
                return True
    return False


def _aggregates(item: exp.Expr) -> bool:
    return item.find(exp.AggFunc) is not None


def _outside_aggregates(node: exp.Expr) -> Iterator[exp.Expr]:
    if isinstance(node, exp.Column | exp.Star):
        yield node
    elif not isinstance(node, exp.AggFunc | exp.Query):
        for child in node.iter_expressions():
            yield from _outside_aggregates(child)


# ---------------------------------------------------------------- constants

NO_CONSTANT = object()
"""Returned for an expression that is not a constant; None is the constant NULL."""

_LONGEST = 1000
"""Most characters of a constant that is used in generated rows."""


def constant_of(node: exp.Expr) -> Constant | object:
    """The value of a literal, also negated, cast or in ``date('…')``; else NO_CONSTANT."""
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
    """The number that a text spells; NO_CONSTANT if it is none, or too large for SQLite."""
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


_NOTHING = Output("")


# ---------------------------------------------------------------- kinds of nodes

_RANDOM_NAMES = frozenset({"random", "randomblob", "rand", "newid", "uuid"})
_FRAGILE_NAMES = frozenset({"group_concat", "json_group_array", "json_group_object", "string_agg"})
_DATE_NAMES = frozenset({"strftime", "date", "datetime", "julianday", "unixepoch", "time"})


_OPERATORS: dict[type, str] = {
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
_CONDITIONS = {
    *_OPERATORS,
    *(exp.And, exp.Or, exp.Not, exp.In, exp.Between, exp.Is, exp.Exists),
}
_NUMERIC = (
    *(exp.Sum, exp.Avg, exp.Abs, exp.Round),
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.Neg),
)
_DATED = (
    *(exp.TimeToStr, exp.StrToTime, exp.Date, exp.TsOrDsToDate, exp.TsOrDsToTimestamp),
    *(exp.Year, exp.Month, exp.Day, exp.Extract, exp.TimestampTrunc, exp.DateTrunc),
    *(exp.DateAdd, exp.DateSub, exp.DateDiff),
)
_FRAGILE = (
    *(exp.GroupConcat, exp.Window, exp.ArrayAgg, exp.JSONArrayAgg, exp.First),
    # The time may change between the runs of two queries.
    *(exp.CurrentTimestamp, exp.CurrentDate, exp.CurrentTime),
)


def _format_of(node: exp.Expr) -> str:
    for child in node.iter_expressions():
        if isinstance(child, exp.Literal) and child.is_string and "%" in child.name:
            return child.name
    return ""


def _counts_rows(node: exp.Expr) -> bool:
    return isinstance(node.unnest(), exp.Count) or node.find(exp.Count) is not None


def _is_single(node: exp.Expr) -> bool:
    """True if a subquery returns at most one row: an aggregate without GROUP BY, LIMIT 1, no
    FROM."""
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
    """Further column values for which a function of the column may return the constant."""
    if isinstance(node, exp.Length) and isinstance(value, int) and 0 <= value <= 200:
        return ["x" * n for n in (value - 1, value, value + 1) if n >= 0]
    if isinstance(value, str):
        number = number_of(value)
        return [number] if isinstance(number, int | float) else []
    return []
