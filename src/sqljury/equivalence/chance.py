"""Tests if ties can change a query's rows: by the rows a LIMIT keeps or a bare column comes from.

An engine may choose among tied rows as it likes, so two queries with the same tree may still return
different rows. They return the same rows if there are no ties.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from sqljury.trees.context import Context
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Expression,
    Limit,
    Literal,
    Ref,
    Relation,
    Sort,
    SortKey,
    SubqueryKind,
    Window,
    WindowCall,
)
from sqljury.trees.properties import properties
from sqljury.trees.types import has_one_row
from sqljury.trees.walk import columns_read, relations, subqueries, width

IN_ANY_ORDER: Final = frozenset(
    ("COUNT", "SUM", "AVG", "TOTAL", "MIN", "MAX", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "EVERY")
) | {
    *("VARIANCE", "VAR_POP", "VAR_SAMP", "VARIANCE_POP", "MEDIAN", "BOOL_AND", "BOOL_OR", "CORR"),
    *("BIT_AND", "BIT_OR", "BIT_XOR", "COUNT_IF", "COUNTIF", "APPROX_COUNT_DISTINCT", "QUANTILE"),
    *("COVAR_POP", "COVAR_SAMP", "PERCENTILE_CONT", "PERCENTILE_DISC", "LOGICAL_AND", "LOGICAL_OR"),
}
"""Aggregates whose result does not depend on the order of the rows."""
_OF_PEERS: Final = frozenset(("RANK", "DENSE_RANK", "PERCENT_RANK", "CUME_DIST"))
"""Window functions with the same value for all tied rows."""
WHOLE: Final = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


def left_to_chance(relation: Relation, context: Context) -> bool:
    """True if an engine's choice among tied rows may change the result; keys may rule that out."""
    return any(_by_chance(below, context) for below in relations(relation))


def _by_chance(relation: Relation, context: Context) -> bool:
    if any(
        sub.kind is SubqueryKind.SCALAR and _first_of_several(sub.relation, context)
        for sub in subqueries(relation)
    ):
        return True
    match relation:
        case Limit():
            return _cuts_ties(relation, context)
        case Aggregate():
            return any(_of_any_row(call, relation, context) for call in relation.calls)
        case Window():
            return any(_numbers_ties(call, relation.input, context) for call in relation.calls)
        case _:
            return False


def _first_of_several(relation: Relation, context: Context) -> bool:
    """True if a scalar subquery may have several different rows, of which SQLite takes the first;
    other dialects raise an error."""
    if context.dialect != "sqlite" or has_one_row(relation):
        return False
    known = properties(relation, context)
    return not known.unique(()) and 0 not in known.closure(())


def _cuts_ties(limit: Limit, context: Context) -> bool:
    if isinstance(limit.count, Literal) and limit.count.value == 0:
        return False
    if isinstance(limit.input, Sort):
        return not _determined(limit.input.input, limit.input.keys, (), context)
    return not _determined(limit.input, (), (), context)


def _determined(
    rows: Relation, keys: Iterable[SortKey], others: Sequence[Expression], context: Context
) -> bool:
    """True if rows with equal keys and equal ``others`` are equal in all columns."""
    values = [*(key.expression for key in keys), *others]
    columns = {value.index for value in values if isinstance(value, Ref)}
    whole = width(rows)
    return len(properties(rows, context).determined(columns, whole)) == whole


def _of_any_row(call: AggregateCall, aggregate: Aggregate, context: Context) -> bool:
    if call.name in IN_ANY_ORDER or not call.operands:
        return False
    keys = [key.index for key in aggregate.keys if isinstance(key, Ref)]
    keys += [key.expression.index for key in call.order if isinstance(key.expression, Ref)]
    if call.name == "BARE" and context.dialect == "sqlite":
        keys += _of_extreme(aggregate)
    known = properties(aggregate.input, context).determined(keys, width(aggregate.input))
    read = frozenset[int]().union(*(columns_read(operand) for operand in call.operands))
    if read <= known:
        return False if call.name == "BARE" or call.order else not _single(aggregate, context)
    return True


def _of_extreme(aggregate: Aggregate) -> list[int]:
    """The column of the only MIN or MAX; empty if there is not exactly one.

    SQLite takes bare columns from the row with that minimum or maximum.
    """
    found = [call for call in aggregate.calls if call.name in ("MIN", "MAX")]
    if len(found) != 1 or found[0].filter is not None:
        return []
    return [operand.index for operand in found[0].operands if isinstance(operand, Ref)]


def _single(aggregate: Aggregate, context: Context) -> bool:
    """True if every group has exactly one row."""
    keys = [key.index for key in aggregate.keys if isinstance(key, Ref)]
    return properties(aggregate.input, context).unique(keys)


def _numbers_ties(call: WindowCall, rows: Relation, context: Context) -> bool:
    if call.name in _OF_PEERS:
        return False
    if call.name in IN_ANY_ORDER and (not call.frame.startswith("ROWS") or call.frame == WHOLE):
        return False
    return not _determined(rows, call.order, call.partition, context)
