"""One object for equal nodes: trees of different queries share nodes and the facts cached on them.

A node is shared if all its fields are the same, display names included.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import Any, TypeVar, cast, get_args

from sqljury.trees.nodes import (
    AggregateCall,
    Expression,
    Literal,
    Outer,
    Ref,
    Relation,
    Scan,
    SortKey,
    Subquery,
    TreeNode,
    WindowCall,
    Working,
)
from sqljury.trees.walk import (
    inputs,
    map_expressions,
    operands,
    with_inputs,
    with_operands,
    with_relation,
)

_MOST = 50_000
"""The most nodes that are kept; then all are let go, and sharing starts again."""

Shared = TypeVar("Shared", bound=TreeNode)
_nodes: dict[tuple[Any, ...], TreeNode] = {}
_ids: set[int] = set()
"""The ids of the nodes in ``_nodes``, which keeps them alive."""


def shared(node: Shared) -> Shared:
    """The shared object for a relation or an expression, made of shared parts."""
    if id(node) in _ids:
        return node
    whole = _with_shared_parts(node)
    key = _KEYS[type(whole)](whole)
    found = _nodes.get(key)
    if found is None:
        if len(_nodes) >= _MOST:
            forget_shared()
        found = _nodes[key] = whole
        _ids.add(id(whole))
    return cast(Shared, found)


def forget_shared() -> None:
    """Lets all shared nodes go, for benchmarks and to limit memory."""
    _ids.clear()
    _nodes.clear()


def _with_shared_parts(node: TreeNode) -> TreeNode:
    kind = type(node)
    if kind in _LEAVES:
        return node
    if kind in _EXPRESSIONS:
        expression = cast(Expression, node)
        new = tuple([shared(part) for part in operands(expression)])
        expression = with_operands(expression, new)
        if isinstance(expression, Subquery):
            return with_relation(expression, shared(expression.relation))
        return expression
    relation = cast(Relation, node)
    below = tuple([shared(part) for part in inputs(relation)])
    return map_expressions(with_inputs(relation, below), shared)


def _ids_of(nodes: tuple[TreeNode, ...]) -> tuple[int, ...]:
    return tuple(map(id, nodes))


def _keys_of(nodes: tuple[TreeNode, ...]) -> tuple[Any, ...]:
    return tuple([_KEYS[type(node)](node) for node in nodes])


_OF_FIELD: dict[str, Callable[[Any], Any]] = {
    "Expression": id,
    "Expression | None": id,
    "Relation": id,
    "tuple[Expression, ...]": _ids_of,
    "tuple[Relation, ...]": _ids_of,
    "tuple[tuple[Expression, ...], ...]": lambda rows: tuple(map(_ids_of, rows)),
    "tuple[AggregateCall, ...]": _keys_of,
    "tuple[WindowCall, ...]": _keys_of,
    "tuple[SortKey, ...]": _keys_of,
}
"""What stands for a field's value in a key, by the field's declared type; else the value itself."""


def _key_of(kind: type[TreeNode]) -> Callable[[Any], tuple[Any, ...]]:
    """Generates a function that gives the key of a node of a class whose parts are shared."""
    known: dict[str, Any] = {"kind": kind, "id": id}
    parts = ["kind"]
    for place, each in enumerate(fields(kind)):  # type: ignore[arg-type]
        of = _OF_FIELD.get(str(each.type))
        known[f"of_{place}"] = of
        parts.append(f"node.{each.name}" if of is None else f"of_{place}(node.{each.name})")
    found: Callable[[Any], tuple[Any, ...]] = eval(f"lambda node: ({', '.join(parts)})", known)
    return found


_EXPRESSIONS = get_args(Expression)
_LEAVES = (Ref, Outer, Literal, Scan, Working)
_KEYS = {
    kind: _key_of(kind)
    for kind in (*_EXPRESSIONS, *get_args(Relation), AggregateCall, WindowCall, SortKey)
}
# By its spelling, as 0.0 equals -0.0 and NaN does not equal itself.
_KEYS[Literal] = lambda node: (Literal, type(node.value), repr(node.value), node.type)
