"""Builds aggregates and window functions, and the grouping of a SELECT."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlglot import exp

from sqljury.trees.from_sql.reading import NoTreeError, invalid, unsupported
from sqljury.trees.from_sql.scopes import FromScope, identifier
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Expression,
    Filter,
    Literal,
    Outer,
    Project,
    Ref,
    Relation,
    SetKind,
    SetOperation,
    SortKey,
    Subquery,
    Type,
    Window,
    WindowCall,
)
from sqljury.trees.walk import (
    map_expressions,
    map_outer_references,
    map_references,
    operands,
    references,
    width,
    with_operands,
)

# ---------------------------------------------------------------- calls

_AGGREGATES_LISTED = """
    ANY_VALUE APPROX_COUNT_DISTINCT APPROX_DISTINCT APPROX_QUANTILE ARBITRARY ARG_MAX ARG_MIN
    ARRAY_AGG ARRAY_CONCAT_AGG AVG BIT_AND BIT_OR BIT_XOR BOOL_AND BOOL_OR CORR COUNT COUNTIF
    COUNT_IF COVAR_POP COVAR_SAMP ENTROPY EVERY GROUP_CONCAT HISTOGRAM JSONB_AGG
    JSONB_GROUP_ARRAY JSONB_GROUP_OBJECT JSONB_OBJECT_AGG JSON_AGG JSON_ARRAYAGG
    JSON_GROUP_ARRAY JSON_GROUP_OBJECT JSON_OBJECTAGG JSON_OBJECT_AGG KURTOSIS LISTAGG
    LOGICAL_AND LOGICAL_OR MAD MAX MAX_BY MEDIAN MIN MIN_BY MODE OBJECT_AGG PERCENTILE
    PERCENTILE_CONT PERCENTILE_DISC PRODUCT QUANTILE QUANTILE_CONT QUANTILE_DISC REGR_AVGX
    REGR_AVGY REGR_COUNT REGR_INTERCEPT REGR_R2 REGR_SLOPE SKEWNESS STDDEV STDDEV_POP
    STDDEV_SAMP STDEV STDEVP STD STRING_AGG SUM TOTAL VAR VARIANCE VARP VAR_POP VAR_SAMP
"""
_AGGREGATES = frozenset(_AGGREGATES_LISTED.split())
_AGGREGATES_OF_DUCKDB = frozenset(("FIRST", "LAST", "LIST"))
_WINDOW_ONLY_WORDS = """
    ROW_NUMBER RANK DENSE_RANK PERCENT_RANK CUME_DIST NTILE LAG LEAD FIRST_VALUE LAST_VALUE
    NTH_VALUE
"""
_WINDOW_ONLY = frozenset(_WINDOW_ONLY_WORDS.split())
DEFAULT_FRAME = "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW"


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of an aggregate or window function, with its DISTINCT and ORDER BY."""

    operands: tuple[Expression, ...]
    distinct: bool = False
    order: tuple[SortKey, ...] = ()
    nulls: str = ""
    """`` IGNORE NULLS`` if that is written inside of the brackets; it becomes part of the name."""


def is_aggregate(name: str, count: int, dialect: str) -> bool:
    """True if a function with ``count`` arguments and without OVER is an aggregate; MAX(a, b) is
    not."""
    if name in ("MIN", "MAX") and count > 1:
        return False
    return name in _AGGREGATES or (dialect == "duckdb" and name in _AGGREGATES_OF_DUCKDB)


def is_window_only(name: str) -> bool:
    """True if a function can only be used with OVER."""
    return name in _WINDOW_ONLY


# ---------------------------------------------------------------- aggregates
#
# While a SELECT is built, its aggregates and window functions are numbered, and expressions refer
# to them by negative column indexes (marks): -1, -3, … for aggregates, -2, -4, … for window
# functions. Their real indexes are known only when all of them are.


def aggregate_mark(number: int) -> int:
    """The negative column index that refers to aggregate ``number``."""
    return -(2 * number + 1)


def window_mark(number: int) -> int:
    """The negative column index that refers to window function ``number``."""
    return -(2 * number + 2)


def number_of(mark: int) -> int:
    """The number of the aggregate or window function that a negative column index refers to."""
    return (-mark - 1) // 2


def is_aggregate_mark(mark: int) -> bool:
    """True if a negative column index refers to an aggregate."""
    return mark % 2 == 1


def aggregate(
    name: str,
    nodes: Iterable[exp.Expr],
    scope: FromScope,
    *,
    filter_node: exp.Expr | None = None,
    order_node: exp.Expr | None = None,
) -> Expression:
    """Registers an aggregate with the query that it belongs to; returns a reference to it.

    It belongs to the nearest query of which it reads a column, or to its own if it reads none.

    Raises:
        NoTreeError: no aggregate is allowed at this place of that query, such as in WHERE.
    """
    allowed, scope.aggregates_allowed = scope.aggregates_allowed, False
    windows, scope.windows_allowed = scope.windows_allowed, False
    try:
        found = arguments(nodes, scope)
        order = found.order or (sort_keys(order_node, scope) if order_node else ())
        condition = scope.value(filter_node) if filter_node is not None else None
    finally:
        scope.aggregates_allowed, scope.windows_allowed = allowed, windows
    call = AggregateCall(name + found.nulls, found.operands, found.distinct, condition, order)
    level = _level(call)
    owner = next(s for s in scope.enclosing() if s.depth <= scope.depth - level)
    if not owner.aggregates_allowed:
        raise invalid(f"the aggregate {name} stands where there is no group")
    call = map_expressions(call, lambda e: _seen_further_out(e, level))
    if call not in owner.aggregates:
        owner.aggregates.append(call)
    mark = aggregate_mark(owner.aggregates.index(call))
    return Outer(level, mark) if level else Ref(mark)


def _level(call: AggregateCall) -> int:
    levels: set[int] = set()
    parts = [*call.operands, *(key.expression for key in call.order)]
    for part in [*parts, call.filter] if call.filter is not None else parts:
        levels.update(level for level, _ in references(part))
    return min(levels, default=0)


def _seen_further_out(expression: Expression, by: int) -> Expression:
    if by == 0:
        return expression
    return map_references(
        expression, lambda level, i: Ref(i) if level == by else Outer(level - by, i)
    )


def arguments(nodes: Iterable[exp.Expr], scope: FromScope) -> Arguments:
    """The operands of an aggregate or window function, with the DISTINCT and ORDER BY inside its
    brackets."""
    operands: list[Expression] = []
    distinct = False
    order: tuple[SortKey, ...] = ()
    nulls = ""
    for node in nodes:
        inner = node
        if isinstance(inner, exp.Order):
            order = sort_keys(inner, scope)
            inner = inner.this
        if isinstance(inner, exp.IgnoreNulls | exp.RespectNulls):
            nulls = " IGNORE NULLS" if isinstance(inner, exp.IgnoreNulls) else ""
            inner = inner.this
        if isinstance(inner, exp.Distinct):
            distinct = True
            operands += [scope.value(part) for part in inner.expressions]
        elif scope.dialect == "snowflake" and isinstance(inner.this, exp.Star):
            operands += _columns_of(identifier(inner.args.get("table")), scope)
        elif not isinstance(inner, exp.Star):
            operands.append(scope.value(inner))
    return Arguments(tuple(operands), distinct, order, nulls)


def _columns_of(table: str, scope: FromScope) -> list[Expression]:
    """Snowflake's ``table.*`` as arguments: COUNT counts the rows without NULL in any of them."""
    source = next((source for source in scope.sources if source.name == table), None)
    if source is None:
        raise NoTreeError(f"no table {table}", "unknown_name")
    return [Ref(source.start + i) for i in range(len(source.columns)) if i not in source.hidden]


def sort_keys(node: exp.Expr, scope: FromScope) -> tuple[SortKey, ...]:
    """The keys of an ORDER BY inside a call or a window, where a number is not a position."""
    return tuple(sort_key(ordered, scope.value(ordered.this)) for ordered in node.expressions)


def sort_key(ordered: exp.Expr, expression: Expression) -> SortKey:
    """The sort key with the direction and place of NULLs that are written, or the dialect's
    default."""
    if ordered.args.get("with_fill"):
        raise unsupported("WITH FILL")
    return SortKey(expression, bool(ordered.args.get("desc")), not ordered.args.get("nulls_first"))


# ---------------------------------------------------------------- windows


def window(
    node: exp.Window,
    name: str,
    nodes: Iterable[exp.Expr],
    scope: FromScope,
    *,
    filter_node: exp.Expr | None = None,
) -> Expression:
    """Registers a window function with its SELECT; returns a reference to it.

    Raises:
        NoTreeError: no window function is allowed here, or its window cannot be expressed.
    """
    if not scope.windows_allowed:
        raise invalid(f"the window function {name} stands where there is no window")
    if node.args.get("first") is False:
        raise unsupported("KEEP")
    scope.windows_allowed = False
    try:
        found = arguments(nodes, scope)
        over = _over(node, scope)
        call = WindowCall(
            name + found.nulls,
            found.operands,
            tuple(scope.value(part) for part in over.partition),
            found.order or (sort_keys(over.order, scope) if over.order else ()),
            _frame(over.spec),
            found.distinct,
            scope.value(filter_node) if filter_node is not None else None,
        )
    finally:
        scope.windows_allowed = True
    if call not in scope.windows:
        scope.windows.append(call)
    return Ref(window_mark(scope.windows.index(call)))


@dataclass(frozen=True, slots=True)
class _Over:
    partition: list[exp.Expr]
    order: exp.Expr | None
    spec: exp.Expr | None


def _over(node: exp.Window, scope: FromScope, seen: tuple[str, ...] = ()) -> _Over:
    """The partition, order and frame of an OVER clause, completed by the named window that it
    refers to."""
    own = _Over(node.args.get("partition_by") or [], node.args.get("order"), node.args.get("spec"))
    name = identifier(node.args.get("alias"))
    if not name:
        return own
    base = scope.named_windows.get(name)
    if base is None or name in seen:
        raise NoTreeError(f"no window {name}", "unknown_name")
    below = _over(base, scope, (*seen, name))
    return _Over(own.partition or below.partition, own.order or below.order, own.spec or below.spec)


def _frame(spec: exp.Expr | None) -> str:
    if spec is None:
        return ""
    start = _bound(spec, "start")
    end = _bound(spec, "end") or "CURRENT ROW"
    kind = str(spec.args.get("kind") or "RANGE").upper()
    exclude = spec.args.get("exclude")
    frame = f"{kind} BETWEEN {start} AND {end}"
    if exclude is not None:
        return f"{frame} EXCLUDE {exclude.name.upper()}"
    return "" if frame == DEFAULT_FRAME else frame


def _bound(spec: exp.Expr, which: str) -> str:
    value = spec.args.get(which)
    if value is None:
        return ""
    if isinstance(value, exp.Expr):
        if not isinstance(value, (exp.Literal, exp.Interval)):
            raise unsupported("a computed bound of a window")
        value = value.sql()
    return f"{value} {spec.args.get(f'{which}_side') or ''}".strip().upper()


# ---------------------------------------------------------------- grouping
#
# From the row of FROM to the row that the SELECT list reads: groups, then windows.
#
# While a SELECT is built, its expressions read the row of FROM, and refer to aggregates and window
# functions by negative indexes. When all are known, expressions are rewritten to read the row of
# the groups: an expression equal to a key becomes the key, an aggregate becomes its column, and any
# other column becomes ``BARE``, its value in an arbitrary row of the group.


@dataclass(frozen=True, slots=True)
class Settled:
    """The relation below the projection, and the output expressions over its row."""

    relation: Relation
    outputs: list[Expression]


@dataclass(slots=True)
class Grouping:
    """The GROUP BY keys of one SELECT; its aggregates and window functions are in ``scope``.

    ``sets`` has the keys of each grouping set: a single set but for ROLLUP, CUBE, GROUPING SETS.
    """

    keys: tuple[Expression, ...]
    sets: list[tuple[Expression, ...]]
    scope: FromScope

    def settle(
        self,
        relation: Relation,
        is_grouped: bool,
        outputs: list[Expression],
        having: Expression | None,
        qualify: Expression | None,
    ) -> Settled:
        """Adds grouping, HAVING, windows and QUALIFY to the relation of FROM and WHERE."""
        windows = self.scope.windows
        if is_grouped:
            outputs = [self.grouped(output) for output in outputs]
            having = self.grouped(having) if having is not None else None
            qualify = self.grouped(qualify) if qualify is not None else None
            windows = [map_expressions(call, self.grouped) for call in windows]
            relation = self._aggregated(relation)
        if having is not None:
            relation = Filter(relation, having)
        if windows:
            base = width(relation)
            relation = Window(relation, tuple(windows))
            outputs = [_windowed(output, base) for output in outputs]
            qualify = _windowed(qualify, base) if qualify is not None else None
        if qualify is not None:
            relation = Filter(relation, qualify)
        return Settled(relation, outputs)

    def _aggregated(self, relation: Relation) -> Relation:
        """The groups of all sets, with NULL for the keys that a set lacks."""
        calls = tuple(self.scope.aggregates)
        if len(self.sets) == 1:
            return Aggregate(relation, self.keys, calls)
        parts: list[Relation] = []
        for keys in (tuple(dict.fromkeys(found)) for found in self.sets):
            shown = [
                Ref(keys.index(key)) if key in keys else Literal(None, Type.NULL)
                for key in self.keys
            ]
            values = (Ref(len(keys) + i) for i in range(len(calls)))
            parts.append(Project(Aggregate(relation, keys, calls), (*shown, *values)))
        return SetOperation(SetKind.UNION, True, tuple(parts))

    def grouped(self, expression: Expression) -> Expression:
        """Rewrites an expression over the row of FROM to one over the row of the group."""
        for i, key in enumerate(self.keys):
            if key == expression:
                return Ref(i)
        match expression:
            case Call(name="GROUPING" | "GROUPING_ID"):
                raise unsupported("GROUPING")  # it says which grouping set a row is from
            case Ref():
                return Ref(self._position(expression.index))
            case Subquery():
                relation = map_outer_references(expression.relation, self._around)
                expression = replace(expression, relation=relation)
        return with_operands(expression, tuple(map(self.grouped, operands(expression))))

    def _around(self, level: int, index: int) -> Expression:
        return Outer(level, self._position(index) if level == 1 else index)

    def _position(self, index: int) -> int:
        """The index in the group's row of a column of FROM's row or of a mark.

        A column that is not a key is added as a ``BARE`` aggregate. Marks of window functions stay
        as they are.
        """
        if index < 0:
            is_aggregate = is_aggregate_mark(index)
            return len(self.keys) + number_of(index) if is_aggregate else index
        for i, key in enumerate(self.keys):
            if isinstance(key, Ref) and key.index == index:
                return i
        call = AggregateCall("BARE", (Ref(index),))
        if call not in self.scope.aggregates:
            self.scope.aggregates.append(call)
        return len(self.keys) + self.scope.aggregates.index(call)


def _windowed(expression: Expression, base: int) -> Expression:
    """Replaces marks of window functions by columns after the ``base`` columns of the row."""

    def column(level: int, index: int) -> Expression:
        if level == 0:
            return Ref(index if index >= 0 else base + number_of(index))
        return Outer(level, index)

    return map_references(expression, column)
