"""Which stretches of a question are values that the database has, and in which columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqljury.execution import Execution
from sqljury.judges.verifier_features.question import QuestionWords
from sqljury.schema import Schema
from sqljury.sql import some_values

_MOST = 3000
"""Values of a column that are read."""
_LONGEST = 6
"""Words of a value that is looked for in a question."""
_WORDY = ("CHAR", "TEXT", "CLOB", "BOOL", "BIT")

Index = dict[str, set[str]]
"""A value in lower case to the columns that have it, as ``table.column``."""


def index_values(schema: Schema, dialect: str, run: Callable[[str], Execution]) -> Index:
    """The texts of a database, a bounded number of each column."""
    index: Index = {}
    for table in schema.tables:
        for column in table.columns:
            if column.type and not any(one in column.type.upper() for one in _WORDY):
                continue
            found = run(some_values(table.name, column.name, dialect, _MOST)).table
            name = f"{table.name}.{column.name}".lower()
            for (value,) in found.rows if found is not None else ():
                if isinstance(value, str) and value and len(value) < 80:
                    index.setdefault(" ".join(value.lower().split()), set()).add(name)
    return index


def values_in(question: QuestionWords, index: Index) -> dict[str, list[str]]:
    """By column, the stretches of a question that are values of it; the longest ones only.

    A single word counts where it is quoted, has a capital letter or is no everyday word: many
    tables have a value ``name``.
    """
    found: dict[str, list[str]] = {}
    taken: set[int] = set()
    for quoted in question.quoted:
        for column in sorted(index.get(" ".join(quoted.lower().split()), ())):
            found.setdefault(column, []).append(quoted)
    written = question.text.lower().replace("?", " ").replace(",", " , ").replace("'s ", " ")
    tokens = [one.strip("\"'.;:!()“”‘’") for one in written.split()]
    for n in range(min(_LONGEST, len(tokens)), 0, -1):
        for at in range(len(tokens) - n + 1):
            places = set(range(at, at + n))
            text = " ".join(tokens[at : at + n])
            if places & taken or text not in index or (n == 1 and _is_everyday(text)):
                continue
            taken |= places
            for column in sorted(index[text]):
                if text not in found.get(column, ()):
                    found.setdefault(column, []).append(text)
    return found


_EVERYDAY_TEXT = """
a all an and any are as at average be by can count do does each first for from has have how id
in is it last least less list many max min more most name names no not number of on one or order
other out show than that the their them there these this those to total type up was were what
when where which who whose with year
"""
_EVERYDAY = frozenset(_EVERYDAY_TEXT.split())


def _is_everyday(text: str) -> bool:
    return text in _EVERYDAY or text.isdigit() or len(text) < 2


def said(value: str, texts: Iterable[str]) -> bool:
    """Whether a value stands in one of some texts, but for case and punctuation."""
    wanted = _loose(value)
    return bool(wanted) and any(wanted in _loose(text) for text in texts)


def _loose(text: str) -> str:
    return " ".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
