"""Conditions with subqueries, ties, and columns that conditions make equal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from sqljury.likeness.differences.blocks import Clause, QueryBlock, block_of, columns_of, is_column
from sqljury.likeness.differences.kinds import Difference, DifferenceKind, one_sided, words
from sqljury.likeness.matching.trees import Node


def representatives(block: QueryBlock, common: Iterable[str]) -> Callable[[Node], Node]:
    """Puts one column for all that the block's join conditions make equal.

    Args:
        common: the tables that both queries read; their columns are preferred.

    A table that is read twice has no part in it: which of its rows a column is of is not said.
    """
    often = Counter(block.tables())
    once = {table for table, count in often.items() if count == 1}
    shared = set(common)
    classes: dict[str, set[str]] = {}
    for condition in block.of(Clause.JOIN_CONDITION):
        names = [_name(side) for side in condition.children]
        if all(name is not None and name.partition(".")[0] in once for name in names):
            members = set().union(*(classes.get(n, {n}) for n in names if n is not None))
            classes.update(dict.fromkeys(members, members))
    chosen = {
        name: min(members, key=lambda n: (n.partition(".")[0] not in shared, n))
        for name, members in classes.items()
    }
    return lambda node: renamed(node, lambda name: chosen.get(name, name))


def renamed(node: Node, name: Callable[[str], str]) -> Node:
    """An expression with other columns."""
    if is_column(node):
        return Node(name(node.value))
    return Node(node.value, tuple(renamed(c, name) for c in node.children), node.ordered)


def _name(node: Node) -> str | None:
    inner = node.children[0] if node.value == "outer" else node
    return inner.value if is_column(inner) else None


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


Parts = dict[Clause, list[Node]]

_ENDS: Final = {"MAX": ("highest", "descending"), "MIN": ("lowest", "ascending")}
_ONE: Final = Node("count", (Node("integer 1"),))


def ties(
    missing: Parts, extra: Parts, prediction: QueryBlock, reference: QueryBlock
) -> list[Difference]:
    """``x = (SELECT MAX(x) …)`` on one side, ``ORDER BY x DESC LIMIT 1`` on the other.

    Both are taken out of the parts. What the subquery leaves out of the other's filters is told:
    it seeks the highest among other rows.
    """
    for keeping, cutting, block, kept in (
        (missing, extra, prediction, True),
        (extra, missing, reference, False),
    ):
        for condition in list(keeping[Clause.FILTER]):
            found = _pair(condition, cutting)
            if found is None:
                continue
            key, end = found
            keeping[Clause.FILTER].remove(condition)
            cutting[Clause.ORDER].remove(key)
            cutting[Clause.LIMIT].remove(_ONE)
            value = f"the {end} {words(key.children[0])}"
            every, one = f"all rows with {value}", f"only one row with {value}"
            # What comes second refers to what comes first, the prediction.
            told = ("all of them", one) if kept else ("only one of them", every)
            first = Difference(Clause.LIMIT, DifferenceKind.TIES, *told)
            alike = [n for n in block.of(Clause.FILTER) if n not in cutting[Clause.FILTER]]
            return [first, *_among(condition, alike, value, kept=kept)]
    return []


def _pair(condition: Node, cutting: Parts) -> tuple[Node, str] | None:
    block = subquery(condition) if condition.value == "=" else None
    shown = block.of(Clause.COLUMN) if block is not None else []
    if len(shown) != 1 or shown[0].value not in _ENDS or _ONE not in cutting[Clause.LIMIT]:
        return None
    end, direction = _ENDS[shown[0].value]
    key = Node(direction, shown[0].children)
    return (key, end) if cutting[Clause.ORDER] == [key] else None


def _among(condition: Node, filters: list[Node], value: str, *, kept: bool) -> list[Difference]:
    inner = subquery(condition)
    assert inner is not None
    left_out = [n for n in filters if n not in inner.of(Clause.FILTER)]
    kind = DifferenceKind.EXTRA if kept else DifferenceKind.MISSING
    return [one_sided(Clause.FILTER, kind, words(n), value) for n in left_out]


def shown_ends(missing: Parts, extra: Parts) -> list[Difference]:
    """``MAX(x)`` on one side, ``x … ORDER BY x DESC LIMIT 1`` on the other: the same value."""
    for calling, cutting, called in ((missing, extra, True), (extra, missing, False)):
        for call in list(calling[Clause.COLUMN]):
            end = _ENDS.get(call.value)
            key = Node(end[1], call.children) if end is not None else None
            column = call.children[0] if len(call.children) == 1 else None
            if cutting[Clause.ORDER] != [key] or _ONE not in cutting[Clause.LIMIT]:
                continue
            if calling[Clause.GROUP]:
                continue  # a value for each group
            if column not in cutting[Clause.COLUMN]:
                continue
            calling[Clause.COLUMN].remove(call)
            cutting[Clause.COLUMN].remove(column)
            cutting[Clause.ORDER].clear()
            calling[Clause.AGGREGATE] = [n for n in calling[Clause.AGGREGATE] if n != call]
            cutting[Clause.LIMIT].remove(_ONE)
            told = ("NULL", "nothing") if called else ("nothing", "NULL")
            note = f"{words(call)} is the first by {words(column)}"
            return [Difference(Clause.LIMIT, DifferenceKind.EMPTY, *told, note=note)]
    return []
