"""Trees of texts: the common form of operator trees and syntax trees for matching."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from sqlglot import exp

from sqljury.sql.tokens import parse
from sqljury.trees.facts import fact
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
    TableFunction,
    Values,
    Window,
    WindowCall,
    Working,
)


@dataclass(frozen=True, slots=True)
class Node:
    """A value and its children.

    ``ordered`` is True if the order of the children matters (``a - b``), and False if it does not
    (``a + b``, the columns of a GROUP BY).
    """

    value: str
    children: tuple[Node, ...] = ()
    ordered: bool = False


def nodes(tree: Node) -> Iterator[Node]:
    """The node and all nodes below it, parents first."""
    yield tree
    for child in tree.children:
        yield from nodes(child)


@dataclass(slots=True)
class Numbering:
    """Gives equal trees equal numbers; a shared node is visited only once."""

    _known: dict[int, tuple[Node, int]] = field(default_factory=dict)
    _numbers: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)

    def __call__(self, node: Node) -> int:
        """The number of a tree; the order of children counts only in ordered nodes."""
        if id(node) not in self._known:
            below = tuple(self(child) for child in node.children)
            shape = (node.value, below if node.ordered else tuple(sorted(below)))
            number = self._numbers.setdefault(shape, len(self._numbers))
            # The node is kept as well, so that its id is not given to another object.
            self._known[id(node)] = (node, number)
        return self._known[id(node)][1]


def syntax_tree(sql: str, dialect: str) -> Node | None:
    """The syntax tree of a text, or None if it cannot be parsed.

    Differences in mere writing are left out: aliases, the table in front of a column, brackets,
    the case of names, quotes around literals, the nesting of AND and OR.
    """
    tree = parse(sql, dialect)
    return None if tree is None else _node(tree)


def _node(part: exp.Expr) -> Node:
    part = _bare(part)
    if isinstance(part, exp.Column):
        return Node(f"column {part.name.casefold()}")
    if isinstance(part, exp.Table):
        return Node(f"table {part.name.casefold()}", _nodes(part, skip=("this", "db", "catalog")))
    if isinstance(part, (exp.Identifier, exp.Var)):
        return Node(part.name.casefold())
    if isinstance(part, exp.Literal):
        return Node(repr(part.name))
    if isinstance(part, exp.Connector):
        return Node(part.key, tuple(map(_node, _flat(part, type(part)))))
    return Node(part.key + _flags(part), _nodes(part), ordered=_is_ordered(part))


def _bare(part: exp.Expr) -> exp.Expr:
    """The part inside of brackets and alias."""
    while isinstance(part, (exp.Paren, exp.Alias, exp.Subquery)) and part.this is not None:
        part = part.this
    return part


def _flat(part: exp.Expr, kind: type[exp.Expr]) -> Iterator[exp.Expr]:
    """The operands of directly nested ANDs (or ORs)."""
    part = _bare(part)
    if type(part) is kind:
        yield from _flat(part.this, kind)
        yield from _flat(part.args["expression"], kind)
    else:
        yield part


def _nodes(part: exp.Expr, skip: tuple[str, ...] = ()) -> tuple[Node, ...]:
    values = [value for key, value in part.args.items() if key not in skip]
    parts: chain[Any] = chain.from_iterable(v if isinstance(v, list) else [v] for v in values)
    return tuple(
        _node(one)
        for one in parts
        if isinstance(one, exp.Expr) and not isinstance(one, exp.TableAlias)
    )


def _flags(part: exp.Expr) -> str:
    """The words of an operator, such as DESC, LEFT or the name of an unknown function."""
    said = [
        f" {key}" if value is True else f" {value.casefold()}"
        for key, value in sorted(part.args.items())
        if value is True or (isinstance(value, str) and value)
    ]
    return "".join(said)


def _is_ordered(part: exp.Expr) -> bool:
    swappable = (exp.EQ, exp.NEQ, exp.Add, exp.Mul, exp.Union, exp.Intersect)
    return isinstance(part, (exp.Binary, exp.SetOperation)) and not isinstance(part, swappable)


SWAPPABLE = frozenset(("=", "<>", "IS", "AND", "OR", "+", "*", "IN"))

Rows = tuple[tuple[Node, ...], ...]
"""The nodes for the columns of the current row, then for those of the enclosing queries' rows."""


@fact
def operator_tree(relation: Relation) -> Node:
    """The operator tree with references to columns resolved.

    A reference to a table's column is the leaf ``table.column``. A reference to a computed column
    is the tree of its computation, so that two queries with the same computation at different
    places have it in common. The order of output columns is not part of the tree.
    """
    return Node("query", (with_columns(relation)[0],))


def with_columns(relation: Relation) -> tuple[Node, tuple[Node, ...]]:
    """The tree of a relation, and the tree of each output column; they share nodes."""
    return _relation(relation, ())


def _relation(relation: Relation, outer: Rows) -> tuple[Node, tuple[Node, ...]]:
    """The node of a relation, and the nodes of its output columns."""
    match relation:
        case Scan():
            table = relation.table.casefold()
            columns = tuple(Node(f"{table}.{name.casefold()}") for name in relation.columns)
            return Node(f"scan {table}"), columns
        case TableFunction():
            name = f"function {relation.name.casefold()}"
            below = tuple(_expression(e, ((), *outer)) for e in relation.operands)
            columns = tuple(Node(f"{name}.{column.casefold()}") for column in relation.columns)
            return Node(name, below, ordered=True), columns
        case Values():
            rows = [tuple(_expression(e, ((), *outer)) for e in row) for row in relation.rows]
            first = rows[0] if rows else tuple(Node("value") for _ in relation.names)
            return Node("values", tuple(Node("row", row, True) for row in rows)), first
        case Working():
            columns = tuple(Node(f"found.{i}") for i in range(relation.width))
            return Node("found"), columns
        case Join():
            return _join(relation, outer)
        case SetOperation():
            parts = [_relation(below, outer) for below in relation.inputs]
            kind = f"{relation.kind}{' all' if relation.all else ''}"
            ordered = relation.kind is SetKind.EXCEPT
            return Node(kind, tuple(node for node, _ in parts), ordered), parts[0][1]
        case Recursive():
            seed, columns = _relation(relation.seed, outer)
            step, _ = _relation(relation.step, outer)
            return Node(
                "recursive all" if relation.all else "recursive", (seed, step), True
            ), columns
        case _:
            return _unary(relation, outer)


def _join(join: Join, outer: Rows) -> tuple[Node, tuple[Node, ...]]:
    left, left_row = _relation(join.left, outer)
    right, right_row = _relation(join.right, (left_row, *outer) if join.lateral else outer)
    row = left_row + right_row
    condition = _conjuncts(join.condition, (row, *outer))
    symmetric = join.kind in (JoinKind.INNER, JoinKind.FULL)
    sides = (left, right) if symmetric else (Node("left", (left,)), Node("right", (right,)))
    semi = join.kind in (JoinKind.SEMI, JoinKind.ANTI)
    return Node(f"join {join.kind}", (*sides, *condition)), left_row if semi else row


def _unary(
    relation: Filter | Project | Aggregate | Distinct | Window | Sort | Limit, outer: Rows
) -> tuple[Node, tuple[Node, ...]]:
    below, row = _relation(relation.input, outer)
    rows = (row, *outer)
    match relation:
        case Filter():
            return Node("filter", (below, *_conjuncts(relation.condition, rows))), row
        case Project():
            columns = tuple(_expression(e, rows) for e in relation.expressions)
            return Node("project", (below, *columns)), columns
        case Aggregate():
            keys = tuple(_expression(e, rows) for e in relation.keys)
            calls = tuple(_aggregate(call, rows) for call in relation.calls)
            grouped = tuple(Node("key", (key,)) for key in keys)
            return Node("aggregate", (below, *grouped, *calls)), keys + calls
        case Distinct():
            return Node("distinct", (below,)), row
        case Window():
            windows = tuple(_window(call, rows) for call in relation.calls)
            return Node("window", (below, *windows)), row + windows
        case Sort():
            return Node("sort", (below, Node("keys", _keys(relation.keys, rows), True))), row
        case Limit():
            parts = [("count", relation.count), ("offset", relation.offset)]
            said = [Node(name, (_expression(e, rows),)) for name, e in parts if e is not None]
            return Node("limit", (below, *said)), row


def _conjuncts(condition: Expression, rows: Rows) -> tuple[Node, ...]:
    """The operands of an AND as separate nodes; none for TRUE."""
    if isinstance(condition, Call) and condition.name == "AND":
        return tuple(node for part in condition.operands for node in _conjuncts(part, rows))
    if isinstance(condition, Literal) and condition.value is True:
        return ()
    return (_expression(condition, rows),)


def _expression(expression: Expression, rows: Rows) -> Node:
    match expression:
        case Ref():
            return _column(rows, 0, expression.index)
        case Outer():
            return Node("outer", (_column(rows, expression.level, expression.index),))
        case Literal():
            return Node(f"{expression.type} {expression.value!r}")
        case Cast():
            return Node(f"cast {expression.type_name}", (_expression(expression.operand, rows),))
        case Call():
            below = tuple(_expression(part, rows) for part in expression.operands)
            return Node(expression.name, below, expression.name not in SWAPPABLE)
        case Subquery():
            inner, _ = _relation(expression.relation, rows)
            below = tuple(_expression(part, rows) for part in expression.operands)
            operator = f" {expression.operator}" if expression.kind in ("any", "all") else ""
            return Node(f"{expression.kind}{operator}", (*below, inner))


def _column(rows: Rows, level: int, index: int) -> Node:
    # In recursive queries, or in trees built by hand, the column may not be known.
    known = level < len(rows) and index < len(rows[level])
    return rows[level][index] if known else Node(f"column {level}.{index}")


def _aggregate(call: AggregateCall, rows: Rows) -> Node:
    below = [_expression(part, rows) for part in call.operands]
    if call.filter is not None:
        below.append(Node("filter", _conjuncts(call.filter, rows)))
    below.extend(_keys(call.order, rows))
    return Node(f"{call.name}{' distinct' if call.distinct else ''}", tuple(below))


def _window(call: WindowCall, rows: Rows) -> Node:
    below = [_expression(part, rows) for part in call.operands]
    below.append(Node("partition", tuple(_expression(part, rows) for part in call.partition)))
    below.append(Node("keys", _keys(call.order, rows), True))
    return Node(f"window {call.name} {call.frame}".strip(), tuple(below))


def _keys(keys: tuple[SortKey, ...], rows: Rows) -> tuple[Node, ...]:
    return tuple(
        Node("descending" if key.descending else "ascending", (_expression(key.expression, rows),))
        for key in keys
    )
