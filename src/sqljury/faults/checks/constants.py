"""Constants of the query and of the question that do not meet."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.sites import ConstantComparison
from sqljury.trees.nodes import Limit, Literal

_FIRST = r"\b(?:top|first|last|bottom) (\d+|two|three|four|five|ten)\b"
_NAMED = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
_NO_VALUES = frozenset((0.0, 1.0))


@check("AU506", sees=Sees.TREE | Sees.QUESTION, read=(4, 4))
def number_unsaid(query: Query) -> Iterator[Finding]:
    """The query compares with a number that neither the question nor the hint says."""
    for one in query.comparisons:
        for constant in one.constants:
            number = _number(constant)
            if number is None or number in _NO_VALUES or _is_said(query, number):
                continue
            reason = f"neither question nor hint says the {number:g} of {one.column.name}."
            yield Finding(reason=reason, part=str(constant.value))


@check("AU507", sees=Sees.TREE | Sees.QUESTION, read=(3, 3))
def number_unused(query: Query) -> Iterator[Finding]:
    """The question says a number in digits that the query does not have."""
    hinted = bool(query.hint_conditions)
    for number in query.wording.digits:
        forms = (number, number - 1, number + 1, number * 100, number / 100)
        known = number in _NO_VALUES or _digits(number) in query.hint
        if not hinted and not known and not any(_digits(form) in query.sql for form in forms):
            reason = f"the question says {_digits(number)}, which the query does not have."
            yield Finding(reason=reason)


@check("AU508", sees=Sees.TREE | Sees.QUESTION, weak=True, read=(1, 4))
def text_unsaid(query: Query) -> Iterator[Finding]:
    """The query looks for a text of which neither the question nor the hint says a word."""
    for one in query.comparisons:
        for constant in one.constants if not one.negated else ():
            text = constant.value
            if isinstance(text, str) and _is_word(text) and not _says_part(query, one, text):
                reason = f"neither question nor hint says {text!r}."
                yield Finding(reason=reason, part=text)
                return


@check("AU509", sees=Sees.TREE | Sees.QUESTION, read=(4, 5))
def quoted_unused(query: Query) -> Iterator[Finding]:
    """The question quotes a text that the query does not have."""
    sql = query.sql.lower()
    for text in query.wording.quoted:
        words = re.findall(r"\w+", text.lower())
        is_there = all(word.rstrip("s") in sql for word in words)
        if not is_there and text.lower() not in query.hint.lower():
            yield Finding(reason=f"the question quotes {text!r}, which the query does not have.")


@check("AU510", sees=Sees.TREE | Sees.QUESTION)
def limit_differs(query: Query) -> Iterator[Finding]:
    """The question asks for the first or top so many, and LIMIT takes another number."""
    found = re.search(_FIRST, query.wording.lower)
    counts = [s.relation.count for s in query.sites if isinstance(s.relation, Limit)]
    limits = [c.value for c in counts if isinstance(c, Literal) and isinstance(c.value, int)]
    if found is None or len(limits) != 1 or "rank" in query.sql.lower():
        return
    wanted = _NAMED.get(found[1]) or int(found[1])
    if limits[0] != wanted:
        reason = f"the question asks for {wanted}, and LIMIT takes {limits[0]}."
        yield Finding(reason=reason, part=f"LIMIT {limits[0]}")


def _digits(number: float) -> str:
    """A number as people write it: without exponent, without a fraction of zero."""
    return f"{abs(number):.6f}".rstrip("0").rstrip(".")


def _number(constant: Literal) -> float | None:
    if isinstance(constant.value, bool) or not isinstance(constant.value, int | float | str):
        return None
    text = str(constant.value).strip()
    return float(text) if re.fullmatch(r"-?\d+(?:\.\d+)?", text) else None


def _is_said(query: Query, number: float) -> bool:
    said = query.said.numbers
    near = {number, -number, number - 1, number + 1, number * 100, number / 100}
    near |= {number / 1000, number / 1_000_000, number % 100, 2000 + number}
    decade = number % 10 in (0.0, 9.0) and any(abs(number - n) <= 10 for n in said)
    return bool(near & said) or decade


def _is_word(text: str) -> bool:
    is_flag = text.lower() in ("yes", "no", "true", "false")
    return len(re.findall(r"[A-Za-z]", text)) >= 3 and not is_flag


def _says_part(query: Query, one: ConstantComparison, text: str) -> bool:
    said = query.said
    if said.mentions_text(text):
        return True
    words = [word for word in re.findall(r"[a-z]+|\d+", text.lower()) if len(word) > 1]
    return any(said.mentions_text(word) for word in words) or said.names(one.column.name)
