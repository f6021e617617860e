"""Which part of one query stands for which part of the other, by what it costs to change it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Final

from sqljury.likeness.differences.blocks import Clause, is_column
from sqljury.likeness.differences.kinds import DifferenceKind, constant
from sqljury.likeness.matching.trees import Node, nodes
from sqljury.sql.comparisons import COMPARISONS

AGGREGATES: Final = ("COUNT", "SUM", "AVG", "MIN", "MAX", "TOTAL", "GROUP_CONCAT")
_DIRECTIONS: Final = frozenset(("ascending", "descending"))
_COMPARISONS: Final = COMPARISONS | {"LIKE", "IS", "IN"}
_ONE_FOR_ONE: Final = (
    Clause.LIMIT,
    Clause.SET_OPERATION,
    Clause.JOIN,
    Clause.COLUMN,
    Clause.ORDER,
    Clause.GROUP,
    Clause.HAVING,
    Clause.AGGREGATE,
)
"""Clauses in which one part in place of another is one difference and not two."""
_ALIKE: Final = 0.75
"""Parts that cost more to change than this are two differences."""


_TRIED: Final = 60
"""Of more parts in a clause, only so many are tried in pairs."""


@dataclass(frozen=True, slots=True)
class PartPair:
    """Two parts that are about the same."""

    reference: Node
    prediction: Node
    kind: DifferenceKind


def pairs(clause: Clause, missing: list[Node], extra: list[Node]) -> Iterator[PartPair]:
    """The cheapest pairs first; what is paired is taken out of both lists."""
    costs = sorted(
        (cost(one, other), m, e)
        for m, one in enumerate(missing[:_TRIED])
        for e, other in enumerate(extra[:_TRIED])
    )
    one_for_one = clause in _ONE_FOR_ONE and len(missing) == len(extra)
    most = inf if one_for_one or clause is Clause.COLUMN else _ALIKE
    found: dict[int, int] = {}
    for least, m, e in costs:
        if least <= most and m not in found and e not in found.values():
            found[m] = e
    wanted, told = [missing[m] for m in found], [extra[e] for e in found.values()]
    missing[:] = [node for m, node in enumerate(missing) if m not in found]
    extra[:] = [node for e, node in enumerate(extra) if e not in found.values()]
    for one, other in zip(wanted, told, strict=True):
        yield PartPair(one, other, _kind(one, other))


def cost(one: Node, other: Node) -> float:
    """From 0 (the same) to about 1 (nothing in common)."""
    if one == other:
        return 0.0
    if is_column(one) and is_column(other):
        return _other_column(one, other)
    if constant(one) is not None and constant(other) is not None:
        return 0.1 if _same_text(one, other) else 0.3
    below, other_below = one.children, other.children
    own = 0.0 if one.value == other.value else _other_operator(one.value, other.value)
    if len(below) != len(other_below) or not below:
        return own + 0.4 + 0.4 * (not _share_columns(one, other))
    straight = sum(map(cost, below, other_below))
    if _swappable(one, other):
        straight = min(straight, sum(map(cost, below, reversed(other_below))))
    return min(1.0, own + straight)


def _swappable(one: Node, other: Node) -> bool:
    """Comparisons only: trying both ways at every + and * below each other takes too long."""
    equal = {one.value, other.value} & {"=", "<>", "IS"}
    return bool(equal) and not (one.ordered and other.ordered) and len(one.children) == 2


def _other_column(one: Node, other: Node) -> float:
    (table, _, name), (other_table, _, other_name) = (
        node.value.partition(".") for node in (one, other)
    )
    return 0.4 if name == other_name else 0.5 if table == other_table else 0.7


def _other_operator(one: str, other: str) -> float:
    if {one, other} <= _DIRECTIONS:
        return 0.2
    if {one, other} <= _COMPARISONS:
        return 0.3
    return 0.4 if _aggregates(one) and _aggregates(other) else 0.8


def _aggregates(value: str) -> bool:
    return value.partition(" ")[0] in AGGREGATES


def _share_columns(one: Node, other: Node) -> bool:
    return bool(_columns(one) & _columns(other)) or not (_columns(one) and _columns(other))


def _columns(node: Node) -> set[str]:
    return {each.value for each in nodes(node) if is_column(each)}


def _same_text(one: Node, other: Node) -> bool:
    texts = [constant(node) or "" for node in (one, other)]
    return texts[0].casefold() == texts[1].casefold()


def _kind(one: Node, other: Node) -> DifferenceKind:
    """How two parts that are about the same differ."""
    changed = list(_changes(one, other))
    if len(changed) != 1:
        return DifferenceKind.CHANGED
    (wanted, found), *_ = changed
    if {wanted.value, found.value} == _DIRECTIONS:
        return DifferenceKind.DIRECTION
    if is_column(wanted) and is_column(found):
        return DifferenceKind.CHANGED if wanted is one else DifferenceKind.COLUMN
    if constant(wanted) is not None and constant(found) is not None:
        return DifferenceKind.LITERAL_CASE if _same_text(wanted, found) else DifferenceKind.CONSTANT
    if _aggregates(wanted.value) and _aggregates(found.value):
        return DifferenceKind.AGGREGATE
    if {wanted.value, found.value} <= _COMPARISONS:
        return DifferenceKind.COMPARISON
    return DifferenceKind.CHANGED


def _changes(one: Node, other: Node) -> Iterator[tuple[Node, Node]]:
    """The innermost nodes that differ, at the same places."""
    if one == other:
        return
    below, other_below = one.children, other.children
    if one.value != other.value or len(below) != len(other_below):
        yield one, other
        if below and len(below) == len(other_below):
            yield from _below(below, other_below)
        return
    if _swappable(one, other) and cost(below[0], other_below[1]) < cost(below[0], other_below[0]):
        other_below = other_below[::-1]
    yield from _below(below, other_below)


def _below(one: tuple[Node, ...], other: tuple[Node, ...]) -> Iterator[tuple[Node, Node]]:
    for each, its in zip(one, other, strict=True):
        yield from _changes(each, its)
