"""Values of the types that take texts of one form only, such as UUID, TIME and INET."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from sqljury.schema import Column

_ENUM: Final = re.compile(r"'((?:[^']|'')*)'")


class Typed(NamedTuple):
    """What a column of such a type holds.

    Args:
        values: some values of it, in the form in which its engine shows them.
        form: what each value looks like in full.
    """

    values: tuple[str | int, ...]
    form: re.Pattern[str]


def _uuid(last: int) -> str:
    return f"a0eebc99-9c0b-4ef8-bb6d-{last:012x}"


_HEX: Final = r"[0-9a-f]"
_TIMES: Final = ("10:00:00", "10:00:01", "09:30:00", "23:59:59")
_CLOCK: Final = r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d"
_FORMS: Final[tuple[tuple[str, tuple[str, ...], tuple[str | int, ...], str], ...]] = (
    # declared type, dialects that have it, values, their form
    (
        r"(UUID|UNIQUEIDENTIFIER)$",
        (),
        tuple(_uuid(n) for n in range(1, 9)),
        rf"{_HEX}{{8}}-({_HEX}{{4}}-){{3}}{_HEX}{{12}}",
    ),
    (r"INTERVAL\b", (), ("1 day", "2 days", "3 days", "10 days"), r"\d+ days?"),
    (r"INET$", (), ("10.0.0.1", "10.0.0.2", "10.0.0.3"), r"\d+\.\d+\.\d+\.\d+"),
    (r"CIDR$", (), ("10.0.0.0/24", "10.0.1.0/24", "10.0.2.0/24"), r"10\.0\.\d\.0/24"),
    (
        r"MACADDR$",
        (),
        ("08:00:2b:01:02:03", "08:00:2b:01:02:04"),
        rf"{_HEX}{{2}}(:{_HEX}{{2}}){{5}}",
    ),
    (r"JSONB?$", (), ('{"a": 1}', '{"a": 2}', "[]"), r'\{"a": \d\}|\[\]'),
    (r"XML$", (), ("<a/>", "<b/>"), r"<\w/>"),
    (r"BYTEA$", (), ("\\x61", "\\x62", "\\x"), rf"\\x({_HEX}{{2}})*"),
    (r"(VAR)?BINARY\b|(TINY|MEDIUM|LONG)?BLOB\b", (), ("a", "b", "A"), "[A-Za-z]?"),
    (r"TSVECTOR$", (), ("'a'", "'b'"), r"'\w'"),
    (r"(TIME|TIMETZ)\b(?!STAMP)", (), _TIMES, _CLOCK),
    (r"YEAR\b", ("mysql",), (2001, 2002, 1999, 2014, 2020), r"19[1-9]\d|20\d\d"),
)


@lru_cache(maxsize=1024)
def typed(column: Column, dialect: str) -> Typed | None:
    """What a column holds whose type takes few forms; None for every other type, and in SQLite.

    >>> typed(Column(name="a", type="time(0)"), "postgres").values[:2]
    ('10:00:00', '10:00:01')
    """
    declared = column.type.strip().upper()
    if dialect == "sqlite":
        return None
    if column.members:
        return _members(column.members, dialect)
    if declared.startswith(("ENUM", "SET(", "SET (")):
        labels = _ENUM.findall(column.type)
        return _members(tuple(label.replace("''", "'") for label in labels), dialect)
    if declared.endswith("]") or declared.startswith("ARRAY"):
        empty = "[]" if dialect == "duckdb" else "{}"
        return Typed((empty,), re.compile(re.escape(empty)))
    if declared.startswith(("BIT", "VARBIT")):
        return _bits(declared, dialect)
    for pattern, dialects, values, form in _FORMS:
        if re.match(pattern, declared) and (not dialects or dialect in dialects):
            return Typed(values, re.compile(form))
    return None


def _members(labels: tuple[str, ...], dialect: str) -> Typed:
    # MySQL's and SQL Server's texts are equal in spite of case.
    caseless = re.IGNORECASE if dialect in ("mysql", "tsql") else re.NOFLAG
    return Typed(labels, re.compile("|".join(map(re.escape, labels)), caseless))


def _bits(declared: str, dialect: str) -> Typed:
    length = re.search(r"\((\d+)\)", declared)
    many = int(length[1]) if length else 1
    if dialect == "mysql":
        return Typed((1, 0), re.compile("[01]"))
    texts = ("1", "0") if many == 1 else (f"1{'0' * (many - 1)}", "1" * many)
    return Typed(texts, re.compile(f"[01]{{{many}}}"))


def is_written_as_text(column: Column, dialect: str) -> bool:
    """Whether a value stands between quotes, whatever SQLite made of it."""
    found = typed(column, dialect)
    return found is not None and isinstance(found.values[0], str)
