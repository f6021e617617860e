"""Queries as graphs for a graph network: operators, expressions and content; three kinds of
edges. Pure functions."""

from sqljury.likeness.graphs.build import (
    GRAPH_FORMS,
    GraphForm,
    graph_of,
    graphs_of,
    query_graph,
    syntax_graph,
)
from sqljury.likeness.graphs.pair import (
    EdgeKind,
    PairGraph,
    QueryGraph,
    only_in,
    pair_graph,
    shared_nodes,
)

__all__ = [
    "GRAPH_FORMS",
    "EdgeKind",
    "GraphForm",
    "PairGraph",
    "QueryGraph",
    "graph_of",
    "graphs_of",
    "only_in",
    "pair_graph",
    "query_graph",
    "shared_nodes",
    "syntax_graph",
]
