"""Constants: texts and bounds that the columns, the question or the hint do not have so."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query, with_text_replaced
from sqljury.faults.searching import (
    SPELLED_NULLS,
    is_empty,
    is_in,
    other_column,
    some_of,
    sought_texts,
    spelled_alike,
)
from sqljury.faults.sites import ConstantComparison, calls
from sqljury.trees.nodes import Call, Limit, Literal

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


@check("AU102", sees=Sees.TREE | Sees.ROWS, read=(4, 4))
def value_in_other_column(query: Query) -> Iterator[Finding]:
    """A text is compared with a column that never has it, and another column has it."""
    for one, text in sought_texts(query):
        name = one.column.name
        if is_empty(query, one.table) or spelled_alike(query, one.table, name, text):
            continue
        place = other_column(query, one, text)
        if place is not None:
            values = some_of(query.values(one.table, name, 5))
            yield Finding(
                reason=f"{one.table}.{name} is never {text!r}; {'.'.join(place)} is.",
                part=text,
                evidence={"sought": text, "column_holds": values, "found_in": list(place)},
            )


@check("AU103", sees=Sees.TREE | Sees.ROWS, read=(4, 5))
def value_nowhere(query: Query) -> Iterator[Finding]:
    """A text is compared with a column that never has it, nor has any other column."""
    for one, text in sought_texts(query):
        name = one.column.name
        if text.lower() in SPELLED_NULLS or is_empty(query, one.table):
            continue
        if spelled_alike(query, one.table, name, text):
            continue
        if other_column(query, one, text) is None:
            values = some_of(query.values(one.table, name, 5))
            yield Finding(
                reason=f"{one.table}.{name} is never {text!r}, and no other column is.",
                part=text,
                evidence={"sought": text, "column_holds": values},
            )


@check("AU101", sees=Sees.TREE | Sees.ROWS, read=(9, 9))
def value_spelled_otherwise(query: Query) -> Iterator[Finding]:
    """A text is compared with a column that has it in another case or spelling only."""
    for one, text in sought_texts(query):
        stored = spelled_alike(query, one.table, one.column.name, text)
        if stored is not None and stored != text:
            yield Finding(
                reason=f"{one.table}.{one.column.name} is never {text!r}; it holds {stored!r}.",
                part=text,
                evidence={"sought": text, "stored": stored},
                proposal=with_text_replaced(query.sql, text, stored, query.dialect),
            )


@check("AU108", sees=Sees.TREE | Sees.ROWS)
def null_spelled_as_text(query: Query) -> Iterator[Finding]:
    """A column is compared with the text 'null' or the like, which it never has; it has NULLs."""
    for one in query.comparisons:
        for constant in one.constants:
            text = constant.value
            # NULL is not found unequal to a text either: <> 'null' drops the rows that were meant.
            spelled = isinstance(text, str) and text.lower() in SPELLED_NULLS
            if not isinstance(text, str) or not spelled or not one.is_search:
                continue
            name = one.column.name
            if not is_in(query, one.table, name, text) and _has_null(query, one.table, name):
                reason = f"{one.table}.{name} is never the text {text!r}, but it is NULL in rows."
                yield Finding(reason=reason, part=text)


def _has_null(query: Query, table: str, column: str) -> bool:
    source, name = query.source(table), query.quoted(column)
    return bool(query.rows(f"SELECT 1 FROM {source} WHERE {name} IS NULL LIMIT 1"))


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
            if (number := _bound(literal)) is not None:
                yield number, operator
        return
    left, right = (_bound(one) for one in call.operands)
    if right is not None:
        yield right, call.name
    elif left is not None:
        yield left, _FLIPPED[call.name]


def _bound(expression: object) -> float | None:
    if not isinstance(expression, Literal):
        return None
    try:
        return float(str(expression.value))
    except ValueError:
        return None
