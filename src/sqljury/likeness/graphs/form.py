"""From a query's text to its graph, in one of three forms."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Literal, get_args

from sqljury.equivalence.canonical import canonical
from sqljury.likeness.graphs.build import query_graph, syntax_graph
from sqljury.likeness.graphs.pair import QueryGraph
from sqljury.schema import Schema
from sqljury.trees import build_tree
from sqljury.trees.context import ALL_ASSUMPTIONS, DECLARED_ASSUMPTIONS, Context
from sqljury.trees.facts import InContext
from sqljury.trees.nodes import Relation, Unreadable

GraphForm = Literal["canonical", "plausible", "faithful", "syntax"]
"""Of the operator tree after all rewrites that the schema's declarations allow, after those that
ordinary data allows, too (no NULLs, no ties, no empty tables), as the query is written; or of its
syntax tree."""
GRAPH_FORMS: tuple[GraphForm, ...] = get_args(GraphForm)
_UNPARSED = Unreadable("it cannot be parsed", "syntax")


def graph_of(
    sql: str,
    schema: Schema,
    dialect: str = "",
    *,
    form: GraphForm = "canonical",
    flows: bool = True,
) -> QueryGraph | Unreadable:
    """The graph of a query's text, or why there is none.

    Args:
        schema: the tables that it reads.
        dialect: the query's, by sqlglot's name; the schema's if empty.
        form: of what the graph is.
        flows: with logic and data edges; a syntax tree has none.

    >>> from sqljury.schema import Column, Table
    >>> pet = Table(name="pet", columns=(Column(name="id", type="INTEGER"),))
    >>> graph_of("SELECT p.id FROM pet AS p", Schema(dialect="sqlite", tables=(pet,))).labels
    ('query', 'scan', 'pet', 'pet.id')
    """
    found = graphs_of(sql, schema, dialect, forms=(form,), flows=flows)
    return found if isinstance(found, Unreadable) else found[0]


def graphs_of(
    sql: str,
    schema: Schema,
    dialect: str = "",
    *,
    forms: Sequence[GraphForm],
    flows: bool = True,
) -> tuple[QueryGraph, ...] | Unreadable:
    """The graphs of a query's text in several forms, or why there are none."""
    dialect = dialect or schema.dialect
    if tuple(forms) == ("syntax",):
        return (found,) if (found := syntax_graph(sql, dialect)) else _UNPARSED
    tree = build_tree(sql, schema, dialect)
    if isinstance(tree, Unreadable):
        return tree
    graphs = {}
    # What may assume most comes first: it is found for the others, too, if it assumes no more.
    for form in sorted(forms, key=lambda form: form != "plausible"):
        assuming = ALL_ASSUMPTIONS if form == "plausible" else DECLARED_ASSUMPTIONS
        context = Context(schema, dialect, assuming)
        rewritten = tree if form == "faithful" else canonical(tree, context).relation
        graphs[form] = _GRAPHS[flows].of(rewritten, context, "")
    return tuple(graphs[form] for form in forms)


_GRAPHS: dict[bool, InContext[Relation, QueryGraph]] = {
    flows: InContext(partial(query_graph, flows=flows)) for flows in (False, True)
}
"""With and without flows: the graph of a tree is found once."""
