"""The clauses of a query, gathered from its operator tree."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from hashlib import sha256
from typing import Final

from sqljury.likeness.matching.trees import Node

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


class Clause(StrEnum):
    """Where in a query a part belongs."""

    TABLE = "table"
    JOIN = "join"
    JOIN_CONDITION = "join condition"
    FILTER = "filter"
    GROUP = "grouping key"
    AGGREGATE = "aggregate"
    HAVING = "condition on groups"
    COLUMN = "output column"
    DISTINCT = "distinct"
    ORDER = "sort key"
    LIMIT = "limit"
    SET_OPERATION = "set operation"
    OTHER = "operator"


@dataclass(slots=True)
class QueryBlock:
    """The parts of one query by clause, each as often as it occurs; queries put together are
    blocks of their own."""

    parts: list[tuple[Clause, Node]] = field(default_factory=list)
    inner: list[QueryBlock] = field(default_factory=list)
    asked: set[str] = field(default_factory=set)
    """Tables of which only the existence of a row is asked (EXISTS, IN)."""

    def add(self, clause: Clause, *nodes: Node) -> None:
        """Note parts of a clause."""
        self.parts.extend((clause, shortened(node)) for node in nodes)

    def of(self, clause: Clause) -> list[Node]:
        """The parts of a clause, in order."""
        return [node for where, node in self.parts if where is clause]

    def tables(self) -> list[str]:
        """The tables that are read, each as often as it is."""
        return [node.value for node in self.of(Clause.TABLE)]


_COMPARISONS: Final = ("=", "IS")


def block_of(tree: Node, columns: tuple[Node, ...] = ()) -> QueryBlock:
    """The clauses of the query that an operator tree computes, and its output columns.

    EXISTS (…) and IN (…) that must hold count as a join: the tables, join conditions and filters
    are the same, and only how often a row comes is not.
    """
    block = QueryBlock()
    block.add(Clause.COLUMN, *map(_bare, columns))
    _gather(tree, block, grouped=False)
    return block


def columns_of(tree: Node) -> tuple[Node, ...]:
    """The output columns of a subquery; none where its tree does not say."""
    word = tree.value.partition(" ")[0]
    if word == "project":
        return tree.children[1:]
    if word == "aggregate":
        return tuple(c.children[0] if c.value == "key" else c for c in tree.children[1:])
    passing = word in ("filter", "sort", "limit", "distinct", "union", "intersect", "except")
    return columns_of(tree.children[0]) if passing else ()


def is_column(node: Node) -> bool:
    """Whether it is a column of a table, here or in a query around."""
    return not node.children and "." in node.value and " " not in node.value.partition(".")[0]


def _gather(node: Node, block: QueryBlock, *, grouped: bool) -> None:
    """``grouped``: no aggregate stands above, so a filter here may be on groups."""
    word, _, rest = node.value.partition(" ")
    below = node.children
    match word:
        case "project" | "window":
            pass  # what the reader sees is said once, for the whole query
        case "filter":
            aggregated = not grouped and _has_aggregate(below[0])
            _conditions(below[1:], Clause.HAVING if aggregated else Clause.FILTER, block)
        case "aggregate":
            block.add(Clause.GROUP, *(key.children[0] for key in below[1:] if key.value == "key"))
            block.add(Clause.AGGREGATE, *(c for c in below[1:] if c.value not in ("key", "BARE")))
            grouped = True
        case "distinct":
            block.add(Clause.DISTINCT, Node("DISTINCT"))
        case "sort":
            block.add(Clause.ORDER, *map(_bare, below[1].children))
        case "limit":
            block.add(Clause.LIMIT, *below[1:])
        case "scan":
            block.add(Clause.TABLE, Node(rest))
        case "join":
            _join(rest, node, block, grouped=grouped)
            return
        case "union" | "intersect" | "except":
            block.add(Clause.SET_OPERATION, Node(node.value.upper()))
            block.inner.extend(block_of(part, columns_of(part)) for part in below)
            return
        case "values" if all(not row.children for row in below):
            return  # the row without columns that SELECT 1 reads
        case _:
            block.add(Clause.OTHER, node)
            return
    if below:
        _gather(below[0], block, grouped=grouped)


def _conditions(conditions: tuple[Node, ...], clause: Clause, block: QueryBlock) -> None:
    for each in conditions:
        if each.value in ("exists", "in") and _is_plain(each.children[-1]):
            _ask(each, block)
        elif _joins(each):
            block.add(Clause.JOIN_CONDITION, each)
        else:
            block.add(clause, each)


def _ask(condition: Node, block: QueryBlock) -> None:
    """Note a subquery as what it asks of the rows."""
    *operands, tree = condition.children
    inner = QueryBlock()
    _gather(tree, inner, grouped=False)
    asked = [part for part in inner.parts if part[0] not in (Clause.DISTINCT, Clause.ORDER)]
    block.asked |= {*inner.tables(), *inner.asked}
    block.parts.extend((clause, _here(part)) for clause, part in asked)
    pairs = zip(operands, columns_of(tree), strict=False)
    equal = tuple(Node("=", (_here(one), _here(other))) for one, other in pairs)
    _conditions(equal, Clause.FILTER, block)


def _here(node: Node) -> Node:
    """An expression of a subquery as the query around it would say it."""
    if node.value == "outer":
        return node.children[0]
    return Node(node.value, tuple(map(_here, node.children)), node.ordered)


def _is_plain(tree: Node) -> bool:
    word = tree.value.partition(" ")[0]
    if word == "scan":
        return True
    if word == "aggregate":
        # With keys it gives a row for each group, as a GROUP BY around would.
        return any(child.value == "key" for child in tree.children) and _is_plain(tree.children[0])
    if word not in ("project", "filter", "distinct", "sort", "join"):
        return False
    inner = tree.value in ("join inner", "join semi") or word != "join"
    relations = tree.children[: 2 if word == "join" else 1]
    return inner and all(_is_plain(_side(each)) for each in relations)


def _side(node: Node) -> Node:
    return node.children[0] if node.value in ("left", "right") else node


def _join(kind: str, node: Node, block: QueryBlock, *, grouped: bool) -> None:
    left, right, *conditions = node.children
    if kind == "semi":
        _gather(_side(left), block, grouped=grouped)
        _ask(Node("exists", (Node("filter", (_side(right), *conditions)),)), block)
        return
    if kind == "anti":
        _gather(_side(left), block, grouped=grouped)
        asked = Node("exists", (Node("filter", (_side(right), *conditions)),))
        block.add(Clause.FILTER, Node("NOT", (asked,)))
        return
    if kind != "inner":
        block.add(Clause.JOIN, Node(f"{kind.upper()} JOIN"))
    for side in (left, right):
        _gather(_side(side), block, grouped=grouped)
    _conditions(tuple(conditions), Clause.FILTER, block)


def _joins(node: Node) -> bool:
    """Whether a condition compares columns of two tables."""
    return node.value in _COMPARISONS and all(map(_is_column_around, node.children))


def _is_column_around(node: Node) -> bool:
    return is_column(node.children[0] if node.value == "outer" else node)


def _bare(node: Node) -> Node:
    """A column beside GROUP BY is told as the column; that it is not grouped by is told there."""
    if node.value == "BARE" and len(node.children) == 1:
        return node.children[0]
    if node.value in ("ascending", "descending"):
        return Node(node.value, tuple(map(_bare, node.children)), node.ordered)
    return node


def _has_aggregate(node: Node) -> bool:
    """Whether a filter reads groups: an aggregate is next below, through other filters only."""
    while node.value in ("filter", "sort", "distinct", "project"):
        node = node.children[0]
    return node.value == "aggregate"


def mentioned(node: Node) -> Iterator[str]:
    """The tables whose columns an expression reads, those of its subqueries aside."""
    if is_column(node):
        yield node.value.partition(".")[0]
    for child in node.children:
        if not child.value.startswith(("scan ", "project", "filter", "join", "aggregate")):
            yield from mentioned(child)
