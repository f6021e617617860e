"""Pairs of graphs: joined at their roots and at what both have, which is what RelPM finds whole."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from checks.public_queries import corpora
from sqljury.likeness.graphs import EdgeKind, QueryGraph, pair_graph, query_graph
from sqljury.likeness.matching.partial import Weights, partial_match
from sqljury.likeness.matching.trees import Node
from sqljury.schema import Column, Schema, Table
from sqljury.trees import build_tree
from sqljury.trees.context import Context
from sqljury.trees.nodes import Unreadable

SCHEMA = Schema(
    dialect="sqlite",
    tables=(
        Table(name="t", columns=(Column(name="a", type="INTEGER"), Column(name="b", type="TEXT"))),
    ),
)


def graph(sql: str, schema: Schema = SCHEMA) -> QueryGraph | None:
    tree = build_tree(sql, schema, schema.dialect)
    return (
        None if isinstance(tree, Unreadable) else query_graph(tree, Context(schema, schema.dialect))
    )


def tops(left: str, right: str) -> list[str]:
    """The labels of the joins below the roots; a label stands for both sides."""
    one, other = graph(left), graph(right)
    assert one is not None
    assert other is not None
    pair = pair_graph(one, other)
    assert pair.joins[0] == (0, 0)
    assert all(one.labels[a] == other.labels[b] for a, b in pair.joins)
    return sorted(one.labels[a] for a, _ in pair.joins[1:])


JOINED = [
    # The filter is another one; of it the operator's parts are joined.
    ("SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t WHERE b = 'y'", ["project", "scan", "t.b"]),
    # The larger part is taken, and nothing in it again.
    (
        "SELECT a FROM t WHERE b = 'x' AND a > 2",
        "SELECT a FROM t WHERE a > 2",
        [">", "project", "t", "t.a"],
    ),
    # Operands in the other order: each for itself.
    ("SELECT a - 2 FROM t", "SELECT 2 - a FROM t", ["2", "scan", "t.a"]),
    ("SELECT a + 2 FROM t", "SELECT 2 + a FROM t", ["project", "scan"]),
    # A computed column counts as what computes it.
    (
        "SELECT b FROM t GROUP BY b ORDER BY MAX(a)",
        "SELECT b FROM t GROUP BY b ORDER BY MIN(a)",
        ["key", "project", "scan", "t.a", "t.b"],
    ),
    # Each node has one partner at most.
    ("SELECT a FROM t WHERE a = a", "SELECT b FROM t", ["t"]),
]


@pytest.mark.parametrize(("left", "right", "joined"), JOINED)
def test_seeds_by_hand(left: str, right: str, joined: list[str]) -> None:
    assert tops(left, right) == joined
    assert tops(right, left) == joined


def test_seeds_of_real_pairs(data_dir: Path) -> None:
    """RelPM is 1 below each join, no node is in two seeds; sides may be exchanged; a query is joined
    to itself node by node, and nothing is left over."""
    seen = 0
    found = corpora(data_dir)
    sides = zip(found["Spider, reference"], found["Spider, prediction"], strict=True)
    for (left, schema), (right, _) in islice(sides, 0, None, 8):
        one, other = graph(left, schema), graph(right, schema)
        if one is None or other is None:
            continue
        pair = pair_graph(one, other)
        trees = tree_of(one), tree_of(other)
        covered: tuple[list[int], list[int]] = ([], [])
        for a, b in pair.joins[1:]:
            assert partial_match(trees[0][a], trees[1][b], Weights()).f == pytest.approx(1)
            covered[0].extend(below(one, a))
            covered[1].extend(below(other, b))
        assert all(len(nodes) == len(set(nodes)) for nodes in covered)
        same = pair_graph(one, one).joins
        assert all(a == b for a, b in same)
        flipped = pair_graph(other, one).joins
        assert {(b, a) for a, b in flipped} == set(pair.joins)
        assert sum(len(below(one, a)) for a, _ in same[1:]) == len(one.labels) - 1
        seen += 1
    assert seen > 150


def below(graph: QueryGraph, node: int) -> list[int]:
    """The node and what is below it by tree edges."""
    found = [node]
    for start, end, kind in sorted(graph.edges):
        if kind == EdgeKind.TREE and start == node:
            found += below(graph, end)
    return found


def tree_of(graph: QueryGraph) -> dict[int, Node]:
    """The tree below each node as partial matching takes it."""
    parts: dict[int, list[int]] = {}
    sources: dict[int, int] = {}
    for start, end, kind in graph.edges:
        if kind == EdgeKind.TREE:
            parts.setdefault(start, []).append(end)
        if kind == EdgeKind.DATA and end not in graph.roots:
            sources.setdefault(end, start)
    made: dict[int, Node] = {}

    def make(node: int) -> Node:
        if node in sources:
            return make(sources[node])
        if node not in made:
            children = tuple(make(part) for part in parts.get(node, ()))
            value = f"{graph.types[node]} {graph.labels[node]} {graph.computing[node]}"
            made[node] = Node(value, children, graph.ordered[node])
        return made[node]

    return {node: make(node) for node in range(len(graph.labels))}
