"""Builds the graph of a query from its text, its operator tree, or its syntax tree."""

from __future__ import annotations

import typing
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Final, get_args

from sqljury.equivalence.canonical import canonical, partly_canonical
from sqljury.likeness.graphs.pair import Edge, EdgeKind, QueryGraph
from sqljury.likeness.matching.trees import SWAPPABLE, Node, syntax_tree
from sqljury.schema import Schema, Table
from sqljury.trees import build_tree
from sqljury.trees.conditions import conjuncts
from sqljury.trees.context import ALL_ASSUMPTIONS, DECLARED_ASSUMPTIONS, Context
from sqljury.trees.facts import InContext
from sqljury.trees.nodes import (
    Aggregate,
    AggregateCall,
    Call,
    Cast,
    Distinct,
    Expression,
    Filter,
    Join,
    JoinKind,
    Limit,
    Literal,
    Outer,
    Project,
    Recursive,
    Ref,
    Relation,
    Scan,
    SetKind,
    SetOperation,
    Sort,
    SortKey,
    Subquery,
    SubqueryKind,
    TableFunction,
    Type,
    Unreadable,
    Values,
    Window,
    WindowCall,
    Working,
)
from sqljury.trees.types import column_type, fields

_CONTENT = ("column ", "table ")


def syntax_graph(sql: str, dialect: str) -> QueryGraph | None:
    """The syntax tree as a graph with tree edges only, or None if the text cannot be parsed.

    Tables, columns and constants are content, all other nodes compute; types are left empty.

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
    """The label of a node, and True if the node computes."""
    for kind in _CONTENT:
        if node.value.startswith(kind):
            return node.value.removeprefix(kind), False
    if node.value[:1] in ("'", '"'):
        return node.value[1:-1], False
    return node.value, True


_TYPES: Final = {
    **dict.fromkeys((Type.REAL, Type.SINGLE, Type.DECIMAL), "real"),
    **dict.fromkeys((Type.DATE, Type.TIME, Type.TIMESTAMP, Type.INSTANT), "date"),
    Type.INTEGER: "integer",
    Type.TEXT: "text",
    Type.BOOLEAN: "boolean",
}


def _keys(table: Table | None) -> dict[str, str]:
    """By column, `` key`` if its values are unique, `` foreign`` if it refers to another table."""
    if table is None:
        return {}
    foreign = {key.columns[0].casefold() for key in table.foreign_keys if len(key.columns) == 1}
    unique = {
        key[0].casefold() for key in (table.primary_key, *table.unique) if key and len(key) == 1
    }
    return {**dict.fromkeys(foreign, " foreign"), **dict.fromkeys(unique, " key")}


_EITHER_WAY: Final = (JoinKind.INNER, JoinKind.FULL)


@dataclass(slots=True)
class _ColumnNode:
    """A column of a row: the nodes that its values come from.

    The column of a table gets a node when it is first read; columns that the query does not read
    are not in the graph.
    """

    nodes: list[int] = field(default_factory=list)
    label: str = ""
    type: str = ""
    table: int = -1
    parts: tuple[_ColumnNode, ...] = ()
    """For a column of a set operation, the columns of its inputs."""


_Row = list[_ColumnNode]


def query_graph(tree: Relation, context: Context, *, flows: bool = True) -> QueryGraph:
    """The graph of a query: its operators, their expressions, and the flow of rows and columns.

    The root's parts are the operators of the query, each with its expressions below it. Logic
    edges lead from an operator to the one that reads its rows. Below a scan are only the columns
    that the query reads. Each use of a column is a node of its own, with a data edge from the node
    where the column was computed; data edges from the output columns lead to the root. The order
    of output columns is not part of the graph.

    Args:
        tree: the operator tree as written, or a canonical one.
        context: the schema that the tree was built with.
        flows: add logic and data edges; without them only trees of expressions are left.

    Source: Zhan et al. 2024 (FuncEvalGMN), figure 3 and section 4. The order of operands, the
    columns' types and the columns of computed values are ours.
    """
    building = _Building(context)
    building.query(tree, None, ())
    return building.graph(flows)


@dataclass(slots=True)
class _Building:
    context: Context
    labels: list[str] = field(default_factory=list)
    computing: list[bool] = field(default_factory=list)
    types: list[str] = field(default_factory=list)
    ordered: list[bool] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    roots: list[int] = field(default_factory=list)
    found: list[_Row] = field(default_factory=list)
    """The columns of the enclosing recursive queries, the innermost last."""

    def graph(self, flows: bool) -> QueryGraph:
        kept = (edge for edge in self.edges if flows or edge[2] == EdgeKind.TREE)
        return QueryGraph(
            tuple(self.labels),
            tuple(self.computing),
            tuple(self.types),
            tuple(kept),
            tuple(self.roots),
            tuple(self.ordered),
        )

    # ------------------------------------------------------------ nodes and edges

    def compute(self, label: str, parent: int | None, *, ordered: bool = False) -> int:
        return self._add(label, True, "", parent, ordered)

    def content(self, label: str, parent: int, type_: str = "") -> int:
        return self._add(label, False, type_, parent, False)

    def _add(
        self, label: str, computing: bool, type_: str, parent: int | None, ordered: bool
    ) -> int:
        node = len(self.labels)
        self.labels.append(label)
        self.computing.append(computing)
        self.types.append(type_)
        self.ordered.append(ordered)
        if parent is not None:
            self.edges.append((parent, node, EdgeKind.TREE))
        return node

    def chain(self, nodes: Sequence[int]) -> None:
        """Adds logic edges from each node to the next."""
        self.edges += [(a, b, EdgeKind.LOGIC) for a, b in pairwise(nodes)]

    # ------------------------------------------------------------ relations

    def query(self, tree: Relation, parent: int | None, outer: tuple[_Row, ...]) -> int:
        """Adds a query with all its operators, and returns its root."""
        root = self.compute("query", parent, ordered=True)
        self.roots.append(root)
        _, row = self.relation(tree, root, outer)
        outputs = dict.fromkeys(node for column in row for node in self.sources(column))
        self.edges += [(node, root, EdgeKind.DATA) for node in outputs]
        return root

    def relation(self, relation: Relation, root: int, outer: tuple[_Row, ...]) -> tuple[int, _Row]:
        """Adds an operator with its inputs, and returns its node and its output columns."""
        match relation:
            case Scan():
                return self.scan(relation, root)
            case Join():
                return self.join(relation, root, outer)
            case SetOperation():
                return self.set_operation(relation, root, outer)
            case Recursive():
                return self.recursive(relation, root, outer)
            case Values() | TableFunction() | Working():
                return self.leaf(relation, root, outer)
            case _:
                below, row = self.relation(relation.input, root, outer)
                node, row = self.unary(relation, root, (row, *outer))
                self.edges.append((below, node, EdgeKind.LOGIC))
                return node, row

    def scan(self, scan: Scan, root: int) -> tuple[int, _Row]:
        node = self.compute("scan", root)
        table = scan.table.casefold()
        self.content(table, node)
        keys = _keys(self.context.schema.table(scan.table))
        return node, [
            _ColumnNode(
                [],
                f"{table}.{known.name.casefold()}",
                f"{_TYPES.get(known.type, '')}{keys.get(known.name.casefold(), '')}".strip(),
                node,
            )
            for known in fields(scan, self.context)
        ]

    def leaf(
        self, relation: Values | TableFunction | Working, root: int, outer: tuple[_Row, ...]
    ) -> tuple[int, _Row]:
        around = ([], *outer)
        match relation:
            case Values():
                node = self.compute("values", root)
                rows = [
                    self.parts(self.compute("row", node, ordered=True), row, around)
                    for row in relation.rows
                ]
                columns = rows[0] if rows else []
                return node, [_ColumnNode([column]) for column in columns] or [
                    _ColumnNode([node]) for _ in relation.names
                ]
            case TableFunction():
                node = self.compute("function", root, ordered=True)
                name = relation.name.casefold()
                self.content(name, node)
                self.parts(node, relation.operands, around)
                columns_ = (f"{name}.{column.casefold()}" for column in relation.columns)
                return node, [_ColumnNode([], label, "", node) for label in columns_]
            case Working():
                node = self.compute("found", root)
                if relation.depth < len(self.found):
                    return node, self.found[-1 - relation.depth]
                return node, [_ColumnNode([node])] * relation.width

    def join(self, join: Join, root: int, outer: tuple[_Row, ...]) -> tuple[int, _Row]:
        left, left_row = self.relation(join.left, root, outer)
        around = (left_row, *outer) if join.lateral else outer
        right, right_row = self.relation(join.right, root, around)
        node = self.compute(f"join {join.kind}", root)
        self.enter((left, right), node, ordered=join.kind not in _EITHER_WAY)
        row = left_row + right_row
        self.parts(node, conjuncts(join.condition), (row, *outer))
        return node, left_row if join.kind in (JoinKind.SEMI, JoinKind.ANTI) else row

    def set_operation(
        self, operation: SetOperation, root: int, outer: tuple[_Row, ...]
    ) -> tuple[int, _Row]:
        below = [self.relation(part, root, outer) for part in operation.inputs]
        node = self.compute(f"{operation.kind}{' all' if operation.all else ''}", root)
        self.enter([n for n, _ in below], node, ordered=operation.kind is SetKind.EXCEPT)
        rows = zip(*(row for _, row in below), strict=False)
        return node, [_ColumnNode(parts=parts) for parts in rows]

    def recursive(
        self, relation: Recursive, root: int, outer: tuple[_Row, ...]
    ) -> tuple[int, _Row]:
        seed, row = self.relation(relation.seed, root, outer)
        self.found.append(row)
        step, _ = self.relation(relation.step, root, outer)
        self.found.pop()
        node = self.compute("recursive all" if relation.all else "recursive", root)
        self.enter((seed, step), node, ordered=True)
        return node, row

    def enter(self, below: Iterable[int], node: int, *, ordered: bool) -> None:
        """Adds logic edges from the inputs to their operator, and between them if ordered."""
        below = list(below)
        self.edges += [(one, node, EdgeKind.LOGIC) for one in below]
        if ordered:
            self.chain(below)

    def unary(
        self,
        relation: Filter | Project | Aggregate | Distinct | Window | Sort | Limit,
        root: int,
        rows: tuple[_Row, ...],
    ) -> tuple[int, _Row]:
        """Adds an operator with one input below the query's node ``root``.

        The edge from its input is not added. Returns its node and its output columns.
        """
        node = self.compute(type(relation).__name__.lower(), root)
        row = rows[0]
        match relation:
            case Filter():
                self.parts(node, conjuncts(relation.condition), rows)
            case Project():
                columns = self.parts(node, relation.expressions, rows)
                row = [_ColumnNode([column]) for column in columns]
            case Aggregate():
                keys = [
                    self.expression(key, self.compute("key", node), rows) for key in relation.keys
                ]
                calls = [self.aggregate(call, node, rows) for call in relation.calls]
                row = [_ColumnNode([column]) for column in keys + calls]
            case Window():
                row = row + [
                    _ColumnNode([self.window(call, node, rows)]) for call in relation.calls
                ]
            case Sort():
                self.ordered[node] = True
                self.keys(node, relation.keys, rows)
            case Limit():
                for label, said in (("count", relation.count), ("offset", relation.offset)):
                    if said is not None:
                        self.expression(said, self.compute(label, node), rows)
            case Distinct():
                pass
        return node, row

    # ------------------------------------------------------------ expressions

    def parts(self, parent: int, parts: Iterable[Expression], rows: tuple[_Row, ...]) -> list[int]:
        """Adds several expressions, with logic edges if the parent is ordered, and returns their
        nodes."""
        nodes = [self.expression(part, parent, rows) for part in parts]
        if self.ordered[parent]:
            self.chain(nodes)
        return nodes

    def expression(self, expression: Expression, parent: int, rows: tuple[_Row, ...]) -> int:
        match expression:
            case Ref():
                return self.column(rows, 0, expression.index, parent)
            case Outer():
                around = self.compute("outer", parent)
                return self.column(rows, expression.level, expression.index, around)
            case Literal():
                return self.literal(expression, parent)
            case Cast():
                type_ = column_type(expression.type_name, self.context.dialect)
                node = self.compute(f"cast {type_}", parent)
                self.expression(expression.operand, node, rows)
                return node
            case Call():
                ordered = expression.name not in SWAPPABLE
                node = self.compute(expression.name, parent, ordered=ordered)
                self.parts(node, expression.operands, rows)
                return node
            case Subquery():
                return self.subquery(expression, parent, rows)

    def subquery(self, subquery: Subquery, parent: int, rows: tuple[_Row, ...]) -> int:
        compared = subquery.kind in (SubqueryKind.ANY, SubqueryKind.ALL)
        operator = f" {subquery.operator}" if compared else ""
        node = self.compute(f"{subquery.kind}{operator}", parent, ordered=True)
        operands = self.parts(node, subquery.operands, rows)
        root = self.query(subquery.relation, node, rows)
        self.chain([*operands[-1:], root])
        return node

    def literal(self, literal: Literal, parent: int) -> int:
        if literal.value is None:
            return self.compute("NULL", parent)
        return self.content(str(literal.value), parent, _TYPES.get(literal.type, ""))

    def column(self, rows: tuple[_Row, ...], level: int, index: int, parent: int) -> int:
        """Adds a use of a column: a node with the label of its source and data edges from there."""
        # A tree that was built by hand can refer to columns that do not exist.
        if level >= len(rows) or index >= len(rows[level]):
            return self.content(f"column {level}.{index}", parent)
        sources = self.sources(rows[level][index])
        first = sources[0]
        node = self._add(
            self.labels[first], self.computing[first], self.types[first], parent, False
        )
        self.edges += [(source, node, EdgeKind.DATA) for source in sources]
        return node

    def sources(self, column: _ColumnNode) -> list[int]:
        if column.parts:
            return [node for part in column.parts for node in self.sources(part)]
        if not column.nodes:
            column.nodes.append(self.content(column.label, column.table, column.type))
        return column.nodes

    def aggregate(self, call: AggregateCall, parent: int, rows: tuple[_Row, ...]) -> int:
        label = f"{call.name}{' distinct' if call.distinct else ''}"
        node = self.compute(label, parent, ordered=len(call.operands) > 1)
        self.parts(node, call.operands, rows)
        self.filter(call.filter, node, rows)
        self.keys(node, call.order, rows)
        return node

    def window(self, call: WindowCall, parent: int, rows: tuple[_Row, ...]) -> int:
        label = f"{call.name}{' distinct' if call.distinct else ''} over"
        node = self.compute(label, parent, ordered=True)
        self.parts(node, call.operands, rows)
        self.filter(call.filter, node, rows)
        for part in call.partition:
            self.expression(part, self.compute("partition", node), rows)
        self.keys(node, call.order, rows)
        if call.frame:
            self.content(call.frame, node)
        return node

    def filter(self, condition: Expression | None, parent: int, rows: tuple[_Row, ...]) -> None:
        if condition is not None:
            self.parts(self.compute("filter", parent), conjuncts(condition), rows)

    def keys(self, parent: int, keys: Iterable[SortKey], rows: tuple[_Row, ...]) -> None:
        """Adds sort keys, with logic edges in their order."""
        nodes = []
        for key in keys:
            nodes.append(self.compute("descending" if key.descending else "ascending", parent))
            self.expression(key.expression, nodes[-1], rows)
        self.chain(nodes)


# ------------------------------------------------------------
# From a query's text to its graph, in one of three forms.

GraphForm = typing.Literal["canonical", "plausible", "faithful", "syntax"]
"""The tree that a graph is made from.

``canonical``: the operator tree after all rewrites that the schema's declarations allow.
``plausible``: after further rewrites that hold for ordinary data (no NULLs, no ties, no empty
tables). ``faithful``: the operator tree as the query is written. ``syntax``: the syntax tree."""
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
        dialect: sqlglot's name of the query's dialect; the schema's if empty.
        form: the tree that the graph is made from.
        flows: add logic and data edges; a syntax tree has none.

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
    without: frozenset[str] = frozenset(),
) -> tuple[QueryGraph, ...] | Unreadable:
    """The graphs of a query's text in several forms, or why there are none.

    Args:
        without: names of rewrite rules that are left out, as if they were not known.
    """
    dialect = dialect or schema.dialect
    if tuple(forms) == ("syntax",):
        return (found,) if (found := syntax_graph(sql, dialect)) else _UNPARSED
    tree = build_tree(sql, schema, dialect)
    if isinstance(tree, Unreadable):
        return tree
    graphs: dict[GraphForm, QueryGraph] = {}
    # "plausible" comes first: if its rewrites used no more than what the schema declares, its
    # result is reused for "canonical".
    for form in sorted(forms, key=lambda form: form != "plausible"):
        assuming = ALL_ASSUMPTIONS if form == "plausible" else DECLARED_ASSUMPTIONS
        context = Context(schema, dialect, assuming)
        if form == "faithful":
            rewritten = tree
        elif without:
            rewritten = partly_canonical(tree, context, without)
        else:
            rewritten = canonical(tree, context).relation
        graphs[form] = _GRAPHS[flows].of(rewritten, context, "")
    return tuple(graphs[form] for form in forms)


_GRAPHS: dict[bool, InContext[Relation, QueryGraph]] = {
    flows: InContext(partial(query_graph, flows=flows)) for flows in (False, True)
}
"""Cached versions of :func:`query_graph`, with flows and without."""
