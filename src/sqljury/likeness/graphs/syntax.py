"""The graph of a query's syntax tree: what is left of a graph where queries are not understood."""

from __future__ import annotations

from sqljury.likeness.graphs.nodes import Edge, EdgeKind, QueryGraph
from sqljury.likeness.matching.labelled import Node
from sqljury.likeness.matching.syntax import syntax_tree

_CONTENT = ("column ", "table ")


def syntax_graph(sql: str, dialect: str) -> QueryGraph | None:
    """The syntax tree as a graph of tree edges, or None where the text cannot be parsed.

    Names of tables and columns and constants are content, all else computes; types are not known.

    Source: Zhan et al. 2024 (FuncEvalGMN), section 5.3, experiment (0).
    """
    tree = syntax_tree(sql, dialect)
    if tree is None:
        return None
    found: list[tuple[str, bool, bool]] = []
    edges: list[Edge] = []
    waiting: list[tuple[Node, int]] = [(tree, -1)]
    while waiting:
        node, parent = waiting.pop()
        number = len(found)
        found.append((*_said(node), node.ordered))
        if parent >= 0:
            edges.append((parent, number, EdgeKind.TREE))
        waiting += [(child, number) for child in reversed(node.children)]
    labels, computing, ordered = zip(*found, strict=True)
    return QueryGraph(labels, computing, ("",) * len(found), tuple(edges), (0,), ordered)


def _said(node: Node) -> tuple[str, bool]:
    """A node's label, and whether it computes."""
    for kind in _CONTENT:
        if node.value.startswith(kind):
            return node.value.removeprefix(kind), False
    if node.value[:1] in ("'", '"'):
        return node.value[1:-1], False
    return node.value, True
