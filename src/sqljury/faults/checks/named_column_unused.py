"""A column that the question names, and the query does not read."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqljury.faults.check import Finding, Sees, check
from sqljury.faults.query import Query
from sqljury.faults.wording import name_stems, stem


@check("AU523", sees=Sees.TREE | Sees.QUESTION, weak=True, read=(1, 4))
def named_column_unused(query: Query) -> Iterator[Finding]:
    """The question says the whole name of a column, of two words or more, that is not read."""
    assert query.schema is not None, "there is a tree"
    text = f" {' '.join(stem(word) for word in query.wording.words)} "
    explained = f" {' '.join(stem(word) for word in query.said.words[len(query.wording.words) :])} "
    read = [name_stems(name) for name in query.names_read]
    seen: set[str] = set()
    for table in query.schema.tables:
        for column in table.columns:
            stems = name_stems(column.name)
            name = column.name.casefold()
            if len(stems) < 2 or name in query.columns_read or name in seen:
                continue
            phrase = f" {' '.join(stems)} "
            if phrase not in text or phrase in explained or any(_says(one, stems) for one in read):
                continue
            if _is_read_in_part(query, name) or _is_table(query, "".join(stems)):
                continue
            seen.add(name)
            reason = f"the question says {column.name}, which the query does not read."
            yield Finding(reason=reason, evidence={"column": f"{table.name}.{column.name}"})


def _says(read: list[str], stems: list[str]) -> bool:
    """Whether a column that is read says as much: all of the words, or all but "name"."""
    return set(stems) <= set(read) or [one for one in stems if one != "name"] == read


def _is_read_in_part(query: Query, name: str) -> bool:
    """Whether a column is read whose name has this one in it, or ends this one: an owner's id."""
    letters = _letters(name)
    read = [_letters(one) for one in query.columns_read]
    ends = any(letters.endswith(one) and len(one) > 4 for one in read)
    tables = {stem(part) for table in query.tables for part in name_stems(table.name)}
    own_id = letters.endswith("id") and "id" in read and stem(letters[:-2]) in tables
    return ends or own_id or any(letters in one for one in read)


def _letters(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())


def _is_table(query: Query, joined: str) -> bool:
    assert query.schema is not None
    return any("".join(name_stems(t.name)) == joined for t in query.schema.tables)


@check("AU524", sees=Sees.TREE | Sees.HINT, weak=True, read=(0, 1))
def hint_table_unused(query: Query) -> Iterator[Finding]:
    """The hint names a column with its table, and the query does not read that table."""
    assert query.schema is not None, "there is a tree"
    read = {table.name.casefold() for table in query.tables}
    for table in query.schema.tables:
        found = re.search(
            rf"(?<![\w.]){re.escape(table.name)}\.[`\"]?(\w+)", query.hint, re.IGNORECASE
        )
        if found and table.column(found[1]) and table.name.casefold() not in read:
            reason = f"the hint says {found[0]}, and the query does not read {table.name}."
            yield Finding(reason=reason, evidence={"hint": found[0]})


@check("AU525", sees=Sees.TREE | Sees.HINT)
def hint_number_unused(query: Query) -> Iterator[Finding]:
    """The hint has a number of six digits or more that the query has no part of."""
    for number in re.findall(r"(?<![\w./-])\d{6,}(?![\w/-]|\.\d)", query.hint):
        if number[:4] not in query.sql:
            yield Finding(reason=f"the hint says {number}, which the query does not have.")


@check("AU526", sees=Sees.TREE | Sees.HINT)
def hint_null_missing(query: Query) -> Iterator[Finding]:
    """The hint tests a column for NULL, and the query does not."""
    assert query.schema is not None, "there is a tree"
    names = {column.name for table in query.schema.tables for column in table.columns}
    for name in sorted(names) if "null" in query.hint.lower() else ():
        found = re.search(
            rf"(?<![\w]){re.escape(name)}[`\"]? (?:is|=) (?:not )?null", query.hint, re.IGNORECASE
        )
        tested = re.search(
            rf"{re.escape(name)}[`\"]?\)? (?:is|=|<>)|(?:not|count\() ?{re.escape(name)}",
            query.sql,
            re.IGNORECASE,
        )
        if found and not tested:
            yield Finding(reason=f"the hint says {found[0]}, and the query does not test it.")
