"""What the hint says of columns and values, and the query does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.hint import HintCondition
from sqljury.faults.query import Query
from sqljury.faults.sites import ConstantComparison


@check("AU502", sees=Sees.TREE | Sees.HINT, weak=True, read=(2, 5))
def hint_value_differs(query: Query) -> Iterator[Finding]:
    """The hint compares a column with a value, and the query compares it with others only."""
    equal = _equalities(query)
    for said in {one.column: one for one in reversed(equal)}.values():
        ours = _on_column(query, said)
        constants = {_plain(c.value) for one in ours for c in one.constants}
        others = (one.value for one in equal if one.column == said.column)
        if any(_is_among(_plain(value), constants) for value in others):
            continue
        if ours and not _is_among(_plain(said.value), constants) and not _is_pattern(ours):
            yield Finding(
                reason=f"the hint says {said.text}, and the query has {_spelled(ours)}.",
                part=said.column,
                evidence={"hint": said.text},
            )


@check("AU503", sees=Sees.TREE | Sees.HINT, read=(3, 4))
def hint_condition_missing(query: Query) -> Iterator[Finding]:
    """The hint has a condition on a column that the query does not look at."""
    used = query.columns_read
    for said in query.hint_conditions:
        if said.column.casefold() not in used and not _has_value(query, said):
            yield Finding(
                reason=f"the hint says {said.text}, and the query does not look at {said.column}.",
                part="WHERE",
                evidence={"hint": said.text},
            )


def _is_among(value: str, constants: set[str]) -> bool:
    """Whether a value is there, in whatever way a date is written, or cut at an apostrophe."""
    digits = re.sub(r"\D|(?<!\d)0+", "", value)
    dates = {re.sub(r"\D|(?<!\d)0+", "", one) for one in constants} if len(digits) > 4 else set()
    return value in constants or digits in dates or any(one.startswith(value) for one in constants)


def _equalities(query: Query) -> list[HintCondition]:
    return [one for one in query.hint_conditions if one.operator == "="]


def _on_column(query: Query, said: HintCondition) -> list[ConstantComparison]:
    name = said.column.casefold()
    return [one for one in query.comparisons if one.column.name.casefold() == name]


def _has_value(query: Query, said: HintCondition) -> bool:
    """Whether some other column is compared with the value: two columns may hold the same."""
    wanted = _plain(said.value)
    return any(
        _plain(constant.value) == wanted and said.is_text
        for one in query.comparisons
        for constant in one.constants
    )


def _is_pattern(ours: list[ConstantComparison]) -> bool:
    return any(one.operator not in ("=", "IN", "<>", "IS") for one in ours)


def _spelled(ours: list[ConstantComparison]) -> str:
    return ", ".join(
        f"{one.column.name} {one.operator} {', '.join(repr(c.value) for c in one.constants)}"
        for one in ours
    )


def _plain(value: object) -> str:
    text = str(value).strip().casefold()
    try:
        return str(float(text))
    except ValueError:
        return text
