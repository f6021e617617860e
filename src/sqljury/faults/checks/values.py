"""Checks of constants against the values of columns, the question and the hint."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from typing import Any

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.expressions import ConstantComparison
from sqljury.faults.query import Query, with_text_replaced
from sqljury.sql.comparisons import MIRRORED
from sqljury.trees.nodes import Call, Limit, Literal

_FIRST = r"\b(?:top|first|last|bottom) (\d+|two|three|four|five|ten)\b"
_NAMED = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
_NO_VALUES = frozenset((0.0, 1.0))


@check("AU506", sees=Sees.TREE | Sees.QUESTION, read=(4, 4))
def number_unsaid(query: Query) -> Iterator[Finding]:
    """The query compares with a number that neither the question nor the hint has."""
    said = query.said.numbers
    for one, constant in query.constants:
        if isinstance(constant.value, bool) or not isinstance(constant.value, int | float | str):
            continue
        text = str(constant.value).strip()
        if not re.fullmatch(r"-?\d+(?:\.\d+)?", text):
            continue
        number = float(text)
        near = {number, -number, number - 1, number + 1, number * 100, number / 100}
        near |= {number / 1000, number / 1_000_000, number % 100, 2000 + number}
        decade = number % 10 in (0.0, 9.0) and any(abs(number - n) <= 10 for n in said)
        if number not in _NO_VALUES and not near & said and not decade:
            reason = f"neither question nor hint says the {number:g} of {one.column.name}."
            yield Finding(reason=reason, part=str(constant.value))


@check("AU507", sees=Sees.TREE | Sees.QUESTION, read=(3, 3))
def number_unused(query: Query) -> Iterator[Finding]:
    """The question has a number in digits that the query does not have."""
    hinted = bool(query.hint_conditions)
    for number in query.wording.digits:
        forms = (number, number - 1, number + 1, number * 100, number / 100)
        known = number in _NO_VALUES or _digits(number) in query.hint
        if not hinted and not known and not any(_digits(form) in query.sql for form in forms):
            reason = f"the question says {_digits(number)}, which the query does not have."
            yield Finding(reason=reason)


@check("AU508", sees=Sees.TREE | Sees.QUESTION, weak=True, read=(1, 4))
def text_unsaid(query: Query) -> Iterator[Finding]:
    """The query searches for a text of which neither the question nor the hint has a word."""
    for one, constant in query.constants:
        text = constant.value
        if one.negated or not isinstance(text, str) or len(re.findall(r"[A-Za-z]", text)) < 3:
            continue
        words = [word for word in re.findall(r"[a-z]+|\d+", text.lower()) if len(word) > 1]
        is_flag = text.lower() in ("yes", "no", "true", "false")
        said = any(map(query.said.mentions_text, (text, *words)))
        if not is_flag and not said and not query.said.names(one.column.name):
            yield Finding(reason=f"neither question nor hint says {text!r}.", part=text)
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
    counts = [s.relation.count for s in query.expressions if isinstance(s.relation, Limit)]
    limits = [c.value for c in counts if isinstance(c, Literal) and isinstance(c.value, int)]
    if found is None or len(limits) != 1 or "rank" in query.sql.lower():
        return
    wanted = _NAMED.get(found[1]) or int(found[1])
    if limits[0] != wanted:
        reason = f"the question asks for {wanted}, and LIMIT takes {limits[0]}."
        yield Finding(reason=reason, part=f"LIMIT {limits[0]}")


def _digits(number: float) -> str:
    """A number without sign, exponent and superfluous zeros."""
    return f"{abs(number):.6f}".rstrip("0").rstrip(".")


@check("AU102", sees=Sees.TREE | Sees.ROWS, read=(4, 4))
def value_in_other_column(query: Query) -> Iterator[Finding]:
    """A text is compared with a column that never has it, and another column has it."""
    for one, text, place in _in_no_spelling(query):
        if place is not None:
            yield Finding(
                reason=f"{one.table}.{one.column.name} is never {text!r}; {'.'.join(place)} is.",
                part=text,
                evidence={
                    "sought": text,
                    "column_holds": _some_values(query, one),
                    "found_in": list(place),
                },
            )


@check("AU103", sees=Sees.TREE | Sees.ROWS, read=(4, 5))
def value_nowhere(query: Query) -> Iterator[Finding]:
    """A text is compared with a column that never has it, and no other column has it either."""
    for one, text, place in _in_no_spelling(query):
        if place is None and text.lower() not in _SPELLED_NULLS:
            yield Finding(
                reason=f"{one.table}.{one.column.name} is never {text!r}, and no other column "
                "holds it.",
                part=text,
                evidence={"sought": text, "column_holds": _some_values(query, one)},
            )


@check("AU101", sees=Sees.TREE | Sees.ROWS, read=(9, 9))
def value_spelled_otherwise(query: Query) -> Iterator[Finding]:
    """A text is compared with a column that has it in another case or spelling only."""
    for one, text in _absent_texts(query):
        stored = _spelled_alike(query, one, text)
        if stored is not None and stored != text:
            yield Finding(
                reason=f"{one.table}.{one.column.name} is never {text!r}; it holds {stored!r}.",
                part=text,
                evidence={"sought": text, "stored": stored},
                proposal=with_text_replaced(query.sql, text, stored, query.dialect),
            )


_SPELLED_NULLS = frozenset(("null", "none", "nan", "n/a", "nil"))
"""Texts that are used for a missing value."""
_MOST_COLUMNS = 80
_ALIKE = 0.84


def _absent_texts(query: Query) -> Iterator[tuple[ConstantComparison, str]]:
    """The texts that the query searches for in a column that does not have them."""
    for one in query.comparisons:
        if one.operator not in ("=", "IN") or one.negated or one.folded:
            continue
        texts = [c.value for c in one.constants if isinstance(c.value, str) and c.value.strip()]
        absent = [x for x in texts if not query.may_hold(one.table, one.column.name, x)]
        # A list with some existing values may be meant to cover several spellings.
        if one.operator == "=" or len(absent) == len(one.constants):
            yield from ((one, text) for text in absent)


def _spelled_alike(query: Query, one: ConstantComparison, value: str) -> str | None:
    """The column's value that differs only in case, spaces or a letter or two; None without one."""
    values = [str(found) for found in query.values(one.table, one.column.name) or ()]
    wanted = _letters(value)
    same = next((found for found in values if wanted and _letters(found) == wanted), None)
    if same or len(value) < 5 or any(c.isdigit() for c in value):
        return same
    low = {found.lower(): found for found in values}
    close = difflib.get_close_matches(value.lower(), list(low), n=1, cutoff=_ALIKE)
    return low[close[0]] if close else None


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _in_no_spelling(
    query: Query,
) -> Iterator[tuple[ConstantComparison, str, tuple[str, str] | None]]:
    """The texts that a column does not have in any spelling, each with another column that has it.

    None instead of the other table and column if there is none."""
    for one, text in _absent_texts(query):
        if not query.is_empty(one.table) and not _spelled_alike(query, one, text):
            yield one, text, _other_column(query, one, text)


def _other_column(query: Query, one: ConstantComparison, value: str) -> tuple[str, str] | None:
    """Another column that has the value, first in tables of the query; None without one."""
    own = [table for table in query.tables if table.name == one.table]
    read = [table for table in query.tables if table.name != one.table]
    rest = [table for table in query.all_tables if table not in query.tables]
    places = [
        (table.name, column.name)
        for table in (*own, *read, *rest)
        for column in table.columns
        if (table.name, column.name) != (one.table, one.column.name) and query.is_text(column)
    ]
    for table, column in places[:_MOST_COLUMNS]:
        if not query.is_empty(table) and query.may_hold(table, column, value):
            return table, column
    return None


def _some_values(query: Query, one: ConstantComparison) -> list[Any]:
    """A few values of a column, as evidence."""
    values = query.values(one.table, one.column.name, 5) or []
    return [value if isinstance(value, int | float) else str(value)[:80] for value in values]


@check("AU108", sees=Sees.TREE | Sees.ROWS)
def null_spelled_as_text(query: Query) -> Iterator[Finding]:
    """A column is compared with the text 'null' or the like, which it never has; it has NULLs."""
    for one, constant in query.constants:
        text, name = constant.value, one.column.name
        # Only searches: <> 'null' drops NULLs as well, as was probably meant.
        sought = one.operator in ("=", "IN") and not one.negated
        if not sought or not isinstance(text, str) or text.lower() not in _SPELLED_NULLS:
            continue
        nulls = f"{query.quoted(name)} IS NULL"
        if not query.may_hold(one.table, name, text) and query.some_rows(one.table, nulls):
            reason = f"{one.table}.{name} is never the text {text!r}, but it is NULL in rows."
            yield Finding(reason=reason, part=text)


@check("AU110", sees=Sees.TREE | Sees.QUESTION)
def quoted_name(query: Query) -> Iterator[Finding]:
    """A text in double quotes is the name of a column, so two columns are compared."""
    from sqlglot import exp

    if query.syntax is None:
        return
    names = {column.name.lower() for table in query.tables for column in table.columns}
    for node in query.syntax.find_all(exp.EQ, exp.NEQ, exp.Like):
        right = node.expression
        if not isinstance(right, exp.Column) or right.table or not right.this.args.get("quoted"):
            continue
        written = f'"{right.name}"' in query.sql
        if written and right.name.lower() in names and isinstance(node.this, exp.Column):
            reason = f'"{right.name}" is a column here, not a text: two columns are compared.'
            yield Finding(reason=reason, part=f'"{right.name}"')


_WORDS = (
    (r"(?:more|greater|higher|larger|older|later|bigger|longer|heavier|taller) than", ">"),
    (r"(?:over|above|exceeding|exceeds?|after)", ">"),
    (r"(?:less|fewer|lower|smaller|younger|earlier|shorter|lighter|cheaper|slower) than", "<"),
    (r"(?:under|below|before)", "<"),
    (r"(?:at least|no less than|no fewer than|not less than|a minimum of|minimum of)", ">="),
    (r"(?:at most|no more than|not more than|up to|a maximum of|maximum of)", "<="),
)
_AMOUNT = r"\$?(\d[\d,]*(?:\.\d+)?)\b(?!%? (?:and|to|or) )"


@check("AU511", sees=Sees.TREE | Sees.QUESTION, read=(4, 5))
def bounds(query: Query) -> Iterator[Finding]:
    """The question's "more than" or "at least" is another comparison in the query."""
    compared: dict[float, list[str]] = {}
    for call in query.calls("<", "<=", ">", ">=", "BETWEEN"):
        for number, operator in _bounds(call):
            compared.setdefault(number, []).append(operator)
    text = query.wording.lower
    for pattern, operator in _WORDS:
        for found in re.finditer(rf"\b({pattern}) {_AMOUNT}", text):
            before = text[: found.start()]
            if re.search(r"\b(?:not?|or|is|equal to or) $", before) and not before.endswith("is "):
                continue
            number = float(found[2].replace(",", ""))
            ours, *others = compared.get(number, [operator])
            # A number that is compared twice may be both bounds of a range.
            if ours != operator and not others:
                yield Finding(
                    reason=f"the question says {found[0]!r}, and the query has {ours} {number:g}.",
                    part=f"{ours} {number:g}",
                )


def _bounds(call: Call) -> Iterator[tuple[float, str]]:
    """The numbers that a comparison has, each with the operator for the number on the right."""
    first, *rest = call.operands
    pairs = list(zip(rest, (">=", "<=") if call.name == "BETWEEN" else (call.name,), strict=False))
    if call.name != "BETWEEN" and _bound(rest[0]) is None:
        pairs = [(first, MIRRORED[call.name])]
    yield from ((found, how) for one, how in pairs if (found := _bound(one)) is not None)


def _bound(expression: object) -> float | None:
    try:
        return float(str(expression.value)) if isinstance(expression, Literal) else None
    except ValueError:
        return None
