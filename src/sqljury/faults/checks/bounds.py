"""Bounds that count in or out what the question does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.sites import calls
from sqljury.trees.nodes import Call, Literal

_WORDS = (
    (
        r"(?:more|greater|higher|larger|older|later|bigger|longer|heavier|taller) than",
        ">",
    ),
    (r"(?:over|above|exceeding|exceeds?|after)", ">"),
    (r"(?:less|fewer|lower|smaller|younger|earlier|shorter|lighter|cheaper|slower) than", "<"),
    (r"(?:under|below|before)", "<"),
    (r"(?:at least|no less than|no fewer than|not less than|a minimum of|minimum of)", ">="),
    (r"(?:at most|no more than|not more than|up to|a maximum of|maximum of)", "<="),
)
_AMOUNT = r"\$?(\d[\d,]*(?:\.\d+)?)\b(?!%? (?:and|to|or) )"
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@check("AU511", sees=Sees.TREE | Sees.QUESTION, read=(4, 5))
def bounds(query: Query) -> Iterator[Finding]:
    """The question's "more than" or "at least" is another comparison in the query."""
    written = dict(_written(query))
    for operator, number, words in _asked(query.wording.lower):
        if number not in written:
            continue
        ours = written[number]
        if ours != operator and _FLIPPED.get(ours) is not None:
            yield Finding(
                reason=f"the question says {words!r}, and the query has {ours} {number:g}.",
                part=f"{ours} {number:g}",
            )


def _asked(text: str) -> Iterator[tuple[str, float, str]]:
    for pattern, operator in _WORDS:
        for found in re.finditer(rf"\b({pattern}) {_AMOUNT}", text):
            before = text[: found.start()]
            if re.search(r"\b(?:not?|or|is|equal to or) $", before) and not before.endswith("is "):
                continue
            yield operator, float(found[2].replace(",", "")), found[0]


def _written(query: Query) -> Iterator[tuple[float, str]]:
    """The comparisons with numbers, under each number that is compared once."""
    found: dict[float, list[str]] = {}
    for site in query.sites:
        for call in calls(site, "<", "<=", ">", ">=", "BETWEEN"):
            for number, operator in _sides(call):
                found.setdefault(number, []).append(operator)
    yield from ((number, ops[0]) for number, ops in found.items() if len(ops) == 1)


def _sides(call: Call) -> Iterator[tuple[float, str]]:
    if call.name == "BETWEEN":
        for literal, operator in zip(call.operands[1:], (">=", "<="), strict=False):
            if (number := _number(literal)) is not None:
                yield number, operator
        return
    left, right = (_number(one) for one in call.operands)
    if right is not None:
        yield right, call.name
    elif left is not None:
        yield left, _FLIPPED[call.name]


def _number(expression: object) -> float | None:
    if not isinstance(expression, Literal):
        return None
    try:
        return float(str(expression.value))
    except ValueError:
        return None
