"""Conditions that ask a query."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.likeness.differences.blocks import Clause, QueryBlock, block_of, columns_of
from sqljury.likeness.differences.words import words
from sqljury.likeness.matching.labelled import Node

_ASKING = ("exists", "in", "scalar")


def subquery(condition: Node) -> QueryBlock | None:
    """The clauses of the only query that a condition asks; None where it asks none or several."""
    found = list(_asked(condition))
    if len(found) != 1:
        return None
    *operands, tree = found[0].children
    shown = () if found[0].value == "exists" else columns_of(tree)
    if found[0].value == "scalar":
        return block_of(tree, shown)
    block = block_of(tree)
    equal = zip(operands, shown, strict=False)
    block.add(Clause.JOIN_CONDITION, *(Node("=", (other, one)) for one, other in equal))
    return block


def _asked(node: Node) -> Iterator[Node]:
    if node.value in _ASKING:
        yield node
        return
    for child in node.children:
        yield from _asked(child)


def used_alike(one: Node, other: Node) -> bool:
    """Whether two conditions say the same but for a query that reads a table in common."""
    blocks = [block for block in (subquery(one), subquery(other)) if block is not None]
    if len(blocks) != 2 or _around(one) != _around(other):
        return False
    tables = [{table for each in _all(block) for table in each.tables()} for block in blocks]
    return bool(tables[0] & tables[1])


def _all(block: QueryBlock) -> Iterator[QueryBlock]:
    yield block
    for inner in block.inner:
        yield from _all(inner)


def _around(node: Node) -> Node:
    if node.value in _ASKING:
        # IN and EXISTS ask the same; what IN compares stands in the block.
        return Node("scalar" if node.value == "scalar" else "exists")
    return Node(node.value, tuple(map(_around, node.children)), node.ordered)


def described(condition: Node) -> str:
    """The tables that a condition asks, and with what."""
    block = subquery(condition)
    if block is None:
        return words(condition)
    tables = ", ".join(dict.fromkeys(block.tables()))
    filters = " and ".join(map(words, block.of(Clause.FILTER)))
    return f"{tables} with {filters}" if filters else tables
