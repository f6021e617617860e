"""Queries as graphs for a graph network: operators, expressions and content; three kinds of
edges. Pure functions."""

from sqljury.likeness.graphs.build import query_graph
from sqljury.likeness.graphs.form import GRAPH_FORMS, GraphForm, graph_of, graphs_of
from sqljury.likeness.graphs.nodes import EdgeKind, PairGraph, QueryGraph
from sqljury.likeness.graphs.pair import only_in, pair_graph, shared_nodes
from sqljury.likeness.graphs.syntax import syntax_graph

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
