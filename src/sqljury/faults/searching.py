"""Where a value that is looked for is, if it is not where the query looks."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from sqljury.faults.sites import ConstantComparison
from sqljury.trees.nodes import Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqljury.faults.query import Query

SPELLED_NULLS = frozenset(("null", "none", "nan", "n/a", "nil"))
"""Texts that stand for a missing value."""
_MOST_COLUMNS = 80
_ALIKE = 0.84


def sought_texts(query: Query) -> Iterator[tuple[ConstantComparison, str]]:
    """The texts that the query looks for in a column, where they are not."""
    for one in query.comparisons:
        if not one.is_search or one.folded:
            continue
        absent = [c.value for c in one.constants if _is_absent(query, one, c)]
        # A list of spellings of which some are there is a way of writing "any of them".
        if one.operator == "IN" and len(absent) < len(one.constants):
            continue
        yield from ((one, text) for text in absent if isinstance(text, str))


def _is_absent(query: Query, one: ConstantComparison, constant: Literal) -> bool:
    if not isinstance(constant.value, str) or not constant.value.strip():
        return False
    return not is_in(query, one.table, one.column.name, constant.value)


def is_in(query: Query, table: str, column: str, value: str) -> bool:
    """Whether a column has a value; True where that cannot be found out."""
    found = query.rows(
        f"SELECT 1 FROM {query.source(table)} WHERE {query.quoted(column)} = {_text(value)} LIMIT 1"
    )
    return found is None or bool(found)


def is_empty(query: Query, table: str) -> bool:
    """Whether a table has no rows: nothing can be said of its values."""
    return query.rows(f"SELECT 1 FROM {query.source(table)} LIMIT 1") == []


def spelled_alike(query: Query, table: str, column: str, value: str) -> str | None:
    """The column's value that is the same but for case, space or a letter or two; else None."""
    values = [str(one) for one in query.values(table, column) or ()]
    return _same_letters(values, value) or _close(values, value)


def _same_letters(values: list[str], value: str) -> str | None:
    wanted = _letters(value)
    return next((one for one in values if wanted and _letters(one) == wanted), None)


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalnum())


def _close(values: list[str], value: str) -> str | None:
    if len(value) < 5 or any(c.isdigit() for c in value):
        return None
    low = {one.lower(): one for one in values}
    found = difflib.get_close_matches(value.lower(), list(low), n=1, cutoff=_ALIKE)
    return low[found[0]] if found else None


def other_column(query: Query, one: ConstantComparison, value: str) -> tuple[str, str] | None:
    """Another column of the tables of the query, else of any table, that has the value."""
    assert query.schema is not None, "there is a tree"
    own = [table for table in query.tables if table.name == one.table]
    read = [table for table in query.tables if table.name != one.table]
    rest = [table for table in query.schema.tables if table not in query.tables]
    looked_at = 0
    for table in (*own, *read, *rest):
        for column in table.columns:
            same = (table.name, column.name) == (one.table, one.column.name)
            if same or not query.is_text(column):
                continue
            looked_at += 1
            if looked_at > _MOST_COLUMNS:
                return None
            if not is_empty(query, table.name) and is_in(query, table.name, column.name, value):
                return table.name, column.name
    return None


def some_of(values: list[Any] | None, most: int = 5) -> list[Any]:
    """A few values of a column, as evidence."""
    return [v if isinstance(v, int | float) else str(v)[:80] for v in (values or [])[:most]]


def _text(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"
