"""From a query's text to its graph, in one of three forms."""

from __future__ import annotations

from typing import Literal, get_args

from sqljury.queries.canonical import canonical
from sqljury.queries.graphs.build import query_graph
from sqljury.queries.graphs.nodes import QueryGraph
from sqljury.queries.graphs.syntax import syntax_graph
from sqljury.queries.trees import build_tree
from sqljury.queries.trees.context import DECLARED_ASSUMPTIONS, Context
from sqljury.queries.trees.nodes import Unreadable
from sqljury.schema import Schema

GraphForm = Literal["canonical", "faithful", "syntax"]
"""Of the operator tree after all rewrites that the schema's declarations allow, of the operator
tree as the query is written, or of its syntax tree."""
GRAPH_FORMS: tuple[GraphForm, ...] = get_args(GraphForm)


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
    dialect = dialect or schema.dialect
    if form == "syntax":
        return syntax_graph(sql, dialect) or Unreadable("it cannot be parsed", "syntax")
    tree = build_tree(sql, schema, dialect)
    if isinstance(tree, Unreadable):
        return tree
    context = Context(schema, dialect, DECLARED_ASSUMPTIONS)
    if form == "canonical":
        tree = canonical(tree, context).relation
    return query_graph(tree, context, flows=flows)
