"""A query as a graph, and a pair of them: what a graph network looks at. Plain values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class EdgeKind(IntEnum):
    """What an edge says."""

    TREE = 0
    """From what is computed to its parts: a query's operators, an operator's expressions."""
    LOGIC = 1
    """From what comes first to what comes next: an operator to the one that reads its rows, an
    operand to the next one where their order counts."""
    DATA = 2
    """From where a column's values come from to where they are read."""


Edge = tuple[int, int, int]
"""From a node, to a node, and the :class:`EdgeKind`."""


@dataclass(frozen=True, slots=True)
class QueryGraph:
    """The graph of one query; nodes are known by their number, from 0.

    Args:
        labels: what each node says: the name of an operator or a function, or a content's text.
        computing: whether a node computes (its labels are few), or is content: a table, a column,
            a constant.
        types: of a column or a constant ``integer``, ``real``, ``text``, ``date`` or ``boolean``,
            empty where it is none of them or not known.
        edges: of all kinds.
        roots: the nodes that stand for whole queries; the first for the query itself, the others
            for those inside its expressions.
        ordered: whether the order of a node's parts counts.
    """

    labels: tuple[str, ...]
    computing: tuple[bool, ...]
    types: tuple[str, ...]
    edges: tuple[Edge, ...]
    roots: tuple[int, ...]
    ordered: tuple[bool, ...]


@dataclass(frozen=True, slots=True)
class PairGraph:
    """Two graphs, and the pairs of nodes (left, right) at which they are put together."""

    left: QueryGraph
    right: QueryGraph
    joins: tuple[tuple[int, int], ...]
    """The roots, then the tops of the largest parts that both queries have."""
