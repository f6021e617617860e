"""Expressions too large to be told part by part are compared as a whole."""

from __future__ import annotations

from hashlib import sha256
from typing import Final

from sqljury.likeness.matching.labelled import Node

_MOST: Final = 200
"""Nodes of an expression, those that stand in several places counted in each. Nested queries that
use a column twice double it with every level."""

_Known = dict[int, tuple[Node, int, str]]


def shortened(node: Node) -> Node:
    """The expression, or one leaf in its place that is equal for equal expressions."""
    _, size, digest = _measured(node, {})
    return node if size <= _MOST else Node(f"{node.value}(… {digest[:8]})")


def _measured(node: Node, known: _Known) -> tuple[Node, int, str]:
    """The node, its size and its digest; each node is looked at once however often it is shared."""
    if id(node) not in known:
        below = [_measured(child, known)[1:] for child in node.children]
        digests = [digest for _, digest in below]
        text = "\0".join([node.value, *(digests if node.ordered else sorted(digests))])
        size = 1 + sum(size for size, _ in below)
        known[id(node)] = (node, size, sha256(text.encode()).hexdigest())
    return known[id(node)]
