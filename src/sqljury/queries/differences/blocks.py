"""The clauses of a query, gathered from its operator tree."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from sqljury.queries.matching.labelled import Node


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
class Block:
    """The parts of one query by clause, each as often as it occurs; queries put together are
    blocks of their own."""

    parts: list[tuple[Clause, Node]] = field(default_factory=list)
    inner: list[Block] = field(default_factory=list)

    def add(self, clause: Clause, *nodes: Node) -> None:
        """Note parts of a clause."""
        self.parts.extend((clause, node) for node in nodes)

    def of(self, clause: Clause) -> list[Node]:
        """The parts of a clause, in order."""
        return [node for where, node in self.parts if where is clause]


_COMPARISONS: Final = ("=", "IS")


def block_of(tree: Node, columns: tuple[Node, ...] = ()) -> Block:
    """The clauses of the query that an operator tree computes, and its output columns."""
    block = Block()
    block.add(Clause.COLUMN, *columns)
    _gather(tree, block, grouped=False)
    return block


def _gather(node: Node, block: Block, *, grouped: bool) -> None:
    """``grouped``: no aggregate stands above, so a filter here may be on groups."""
    word, _, rest = node.value.partition(" ")
    below = node.children
    match word:
        case "project":
            pass  # what the reader sees is said once, for the whole query
        case "filter":
            aggregated = not grouped and _has_aggregate(below[0])
            block.add(Clause.HAVING if aggregated else Clause.FILTER, *below[1:])
        case "aggregate":
            keys = [key.children[0] for key in below[1:] if key.value == "key"]
            block.add(Clause.GROUP, *keys)
            # What is an output column, too, is told once.
            shown = {id(node) for node in block.of(Clause.COLUMN)}
            calls = (node for node in below[1:] if node.value != "key" and id(node) not in shown)
            block.add(Clause.AGGREGATE, *calls)
            grouped = True
        case "distinct":
            block.add(Clause.DISTINCT, Node("DISTINCT"))
        case "sort":
            block.add(Clause.ORDER, *below[1].children)
        case "limit":
            block.add(Clause.LIMIT, *below[1:])
        case "scan":
            block.add(Clause.TABLE, Node(rest))
        case "join":
            _join(rest, node, block, grouped=grouped)
            return
        case "union" | "intersect" | "except":
            block.add(Clause.SET_OPERATION, Node(node.value.upper()))
            block.inner.extend(block_of(part) for part in below)
            return
        case _:
            block.add(Clause.OTHER, node)
            return
    if below:
        _gather(below[0], block, grouped=grouped)


def _join(kind: str, node: Node, block: Block, *, grouped: bool) -> None:
    if kind != "inner":
        block.add(Clause.JOIN, Node(f"{kind.upper()} JOIN"))
    for place, part in enumerate(node.children):
        if place < 2:
            side = part.children[0] if part.value in ("left", "right") else part
            _gather(side, block, grouped=grouped)
        else:
            joins = part.value in _COMPARISONS and all(_is_column(each) for each in part.children)
            block.add(Clause.JOIN_CONDITION if joins else Clause.FILTER, part)


def _is_column(node: Node) -> bool:
    return not node.children and "." in node.value and " " not in node.value.partition(".")[0]


def _has_aggregate(node: Node) -> bool:
    """Whether a filter reads groups: an aggregate is next below, through other filters only."""
    while node.value in ("filter", "sort", "distinct", "project"):
        node = node.children[0]
    return node.value == "aggregate"
