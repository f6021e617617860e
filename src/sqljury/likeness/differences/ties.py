"""The highest, by ORDER BY and LIMIT or by comparison with MAX: which rows of a tie are given."""

from __future__ import annotations

from typing import Final

from sqljury.likeness.differences.blocks import Clause, QueryBlock
from sqljury.likeness.differences.kinds import Difference, DifferenceKind, one_sided
from sqljury.likeness.differences.subqueries import subquery
from sqljury.likeness.differences.words import words
from sqljury.likeness.matching.labelled import Node

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
