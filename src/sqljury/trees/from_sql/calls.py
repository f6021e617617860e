"""Functions: of one row, of a group, over a window."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sqlglot import exp

from sqljury.trees.from_sql.names import identifier
from sqljury.trees.from_sql.scopes import FromScope, NoTreeError, invalid, unsupported
from sqljury.trees.from_sql.work import Work
from sqljury.trees.nodes import (
    AggregateCall,
    Expression,
    Outer,
    Ref,
    SortKey,
    WindowCall,
)
from sqljury.trees.walk import map_aggregate, map_references, references

OfNode = Callable[[Work, "exp.Expr", FromScope], Expression]

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
    """What stands between the brackets of a call."""

    operands: tuple[Expression, ...]
    distinct: bool = False
    order: tuple[SortKey, ...] = ()


def is_aggregate(name: str, count: int, dialect: str) -> bool:
    """Whether a function without OVER is an aggregate; MAX(a, b) is not."""
    if name in ("MIN", "MAX") and count > 1:
        return False
    return name in _AGGREGATES or (dialect == "duckdb" and name in _AGGREGATES_OF_DUCKDB)


def is_window_only(name: str) -> bool:
    """Whether a function needs OVER."""
    return name in _WINDOW_ONLY


# ---------------------------------------------------------------- aggregates
#
# While a SELECT is built, its aggregates and windows are numbered, and stand in expressions as
# references to columns left of the row: -1, -3, … and -2, -4, …. What the row below them looks
# like is only known when all of them are.


def aggregate_mark(number: int) -> int:
    """The column that stands for an aggregate."""
    return -(2 * number + 1)


def window_mark(number: int) -> int:
    """The column that stands for a window function."""
    return -(2 * number + 2)


def number_of(mark: int) -> int:
    """Which aggregate or window function a column left of the row stands for."""
    return (-mark - 1) // 2


def is_aggregate_mark(mark: int) -> bool:
    """Whether a column left of the row stands for an aggregate."""
    return mark % 2 == 1


def aggregate(
    work: Work,
    name: str,
    nodes: Iterable[exp.Expr],
    scope: FromScope,
    of: OfNode,
    *,
    filter_node: exp.Expr | None = None,
    order_node: exp.Expr | None = None,
) -> Expression:
    """An aggregate, as the column that stands for it in the query that it belongs to.

    It belongs to the nearest query of which it reads a column, or to its own if it reads none.

    Raises:
        NoTreeError: that query has no place for aggregates, as in WHERE.
    """
    allowed, scope.aggregates_allowed = scope.aggregates_allowed, False
    windows, scope.windows_allowed = scope.windows_allowed, False
    try:
        found = arguments(work, nodes, scope, of)
        order = found.order or (sort_keys(work, order_node, scope, of) if order_node else ())
        condition = of(work, filter_node, scope) if filter_node is not None else None
    finally:
        scope.aggregates_allowed, scope.windows_allowed = allowed, windows
    call = AggregateCall(name, found.operands, found.distinct, condition, order)
    level = _level(call)
    owner = next(s for s in scope.enclosing() if s.depth <= scope.depth - level)
    if not owner.aggregates_allowed:
        raise invalid(f"the aggregate {name} stands where there is no group")
    call = map_aggregate(call, lambda e: _seen_further_out(e, level))
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


def arguments(work: Work, nodes: Iterable[exp.Expr], scope: FromScope, of: OfNode) -> Arguments:
    """The operands of an aggregate or a window function, DISTINCT and ORDER BY among them."""
    operands: list[Expression] = []
    distinct = False
    order: tuple[SortKey, ...] = ()
    for node in nodes:
        inner = node
        if isinstance(inner, exp.Order):
            order = sort_keys(work, inner, scope, of)
            inner = inner.this
        if isinstance(inner, exp.Distinct):
            distinct = True
            operands += [of(work, part, scope) for part in inner.expressions]
        elif not isinstance(inner, exp.Star):
            operands.append(of(work, inner, scope))
    return Arguments(tuple(operands), distinct, order)


def sort_keys(work: Work, node: exp.Expr, scope: FromScope, of: OfNode) -> tuple[SortKey, ...]:
    """The keys of an ORDER BY inside a call or a window, where numbers are just numbers."""
    return tuple(sort_key(ordered, of(work, ordered.this, scope)) for ordered in node.expressions)


def sort_key(ordered: exp.Expr, expression: Expression) -> SortKey:
    """The key, with the direction that is written or the dialect's default."""
    if ordered.args.get("with_fill"):
        raise unsupported("WITH FILL")
    return SortKey(expression, bool(ordered.args.get("desc")), not ordered.args.get("nulls_first"))


# ---------------------------------------------------------------- windows


def window(
    work: Work,
    node: exp.Window,
    name: str,
    nodes: Iterable[exp.Expr],
    scope: FromScope,
    of: OfNode,
    *,
    filter_node: exp.Expr | None = None,
) -> Expression:
    """A function over a window, as the column that stands for it."""
    if not scope.windows_allowed:
        raise invalid(f"the window function {name} stands where there is no window")
    if node.args.get("first") is False:
        raise unsupported("KEEP")
    scope.windows_allowed = False
    try:
        found = arguments(work, nodes, scope, of)
        over = _over(node, scope)
        call = WindowCall(
            name,
            found.operands,
            tuple(of(work, part, scope) for part in over.partition),
            found.order or (sort_keys(work, over.order, scope, of) if over.order else ()),
            _frame(over.spec),
            found.distinct,
            of(work, filter_node, scope) if filter_node is not None else None,
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
    """What OVER says, put together with the named window that it builds on."""
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
