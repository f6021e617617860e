"""A total order of expressions and relations, to bring operands of AND and the like into one
canonical order."""

from __future__ import annotations

from typing import Any

from sqljury.trees.facts import fact
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Distinct,
    Expression,
    Filter,
    Join,
    Limit,
    Literal,
    Outer,
    Project,
    Recursive,
    Ref,
    Relation,
    Scan,
    SetOperation,
    Sort,
    SortKey,
    Subquery,
    TableFunction,
    Values,
    Window,
    WindowCall,
    Working,
)

Key = tuple[Any, ...]
"""A tuple that can be compared with every other key: equal leading numbers mean equal shapes."""


@fact
def sort_key(node: Expression | Relation) -> Key:
    """A sort key that is equal only for equal trees, and the same in every process.

    Columns sort before calls, constants after other expressions; numbers sort by value. Names of
    output columns are ignored.
    """
    key: Key = _KEYS[type(node)](node)
    return key


def call_key(call: AggregateCall | WindowCall) -> Key:
    """A key to sort the calls of an Aggregate or of a Window by."""
    partition, frame = (call.partition, call.frame) if isinstance(call, WindowCall) else ((), "")
    return (
        call.name,
        call.distinct,
        frame,
        _many(call.operands),
        _maybe(call.filter),
        _many(partition),
        _order(call.order),
    )


def _many(nodes: tuple[Expression, ...] | tuple[Relation, ...]) -> Key:
    return (len(nodes), *[sort_key(node) for node in nodes])


def _maybe(node: Expression | None) -> Key:
    return () if node is None else sort_key(node)


def _order(keys: tuple[SortKey, ...]) -> Key:
    return tuple((sort_key(k.expression), k.descending, k.nulls_last) for k in keys)


def _literal(node: Literal) -> Key:
    value = node.value
    if value is None:
        return (9, node.type.value, "", 0)
    # NaN cannot be compared: its place in the key is the text "nan".
    if value != value:
        return (9, node.type.value, "nan", 0)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (9, "", "", value, node.type.value)
    return (9, node.type.value, type(value).__name__, value)


def _subquery(node: Subquery) -> Key:
    return (4, node.kind.value, node.operator, _many(node.operands), sort_key(node.relation))


def _join(node: Join) -> Key:
    return (
        16,
        node.kind.value,
        node.lateral,
        sort_key(node.left),
        sort_key(node.right),
        sort_key(node.condition),
    )


def _aggregate(node: Aggregate) -> Key:
    calls = tuple(call_key(call) for call in node.calls)
    return (17, len(node.keys), len(calls), _many(node.keys), calls, sort_key(node.input))


def _window(node: Window) -> Key:
    return (19, len(node.calls), tuple(map(call_key, node.calls)), sort_key(node.input))


def _set_operation(node: SetOperation) -> Key:
    return (22, node.kind.value, node.all, _many(node.inputs))


_KEYS: dict[type, Any] = {
    Ref: lambda n: (0, n.index),
    Outer: lambda n: (1, n.level, n.index),
    Call: lambda n: (2, n.name, _many(n.operands)),
    Cast: lambda n: (3, n.type_name, sort_key(n.operand)),
    Subquery: _subquery,
    Literal: _literal,
    Scan: lambda n: (11, n.table, n.columns),
    Values: lambda n: (12, len(n.rows), tuple(map(_many, n.rows))),
    TableFunction: lambda n: (13, n.name, n.columns, _many(n.operands)),
    Filter: lambda n: (14, sort_key(n.input), sort_key(n.condition)),
    Project: lambda n: (15, _many(n.expressions), sort_key(n.input)),
    Join: _join,
    Aggregate: _aggregate,
    Distinct: lambda n: (18, sort_key(n.input)),
    Window: _window,
    Sort: lambda n: (20, _order(n.keys), sort_key(n.input)),
    Limit: lambda n: (21, _maybe(n.count), _maybe(n.offset), sort_key(n.input)),
    SetOperation: _set_operation,
    Recursive: lambda n: (23, n.all, sort_key(n.seed), sort_key(n.step)),
    Working: lambda n: (24, n.depth, n.width),
}
