"""Cells of CSV files: how result tables are written as text, and how texts get types again.

A CSV file says nothing about types, so a table from a database and one from a file can only be
compared after both are in the file's notation. Texts get types in two ways: :func:`typed` is ours;
:func:`as_pandas_reads` is that of ``pandas.read_csv``, because the scripts of Spider 2.0 compare
what pandas read.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import Any, Literal

Column = Sequence[Any]

# ---------------------------------------------------------------- writing


def written(rows: Sequence[Sequence[Any]]) -> list[list[str]]:
    """The cells column by column as ``DataFrame.to_csv`` writes them; NULL is an empty text."""
    return [_written(column) for column in zip(*rows, strict=True)]


def _written(column: Column) -> list[str]:
    moments = [cell for cell in column if cell is not None]
    if moments and all(type(cell) is datetime and cell.tzinfo is None for cell in moments):
        # One notation for the whole column: the shortest that loses nothing.
        if all(cell.time() == time() for cell in moments):
            return ["" if cell is None else f"{cell:%Y-%m-%d}" for cell in column]
        exact = any(cell.microsecond for cell in moments)
        spec = "microseconds" if exact else "seconds"
        return ["" if cell is None else cell.isoformat(" ", spec) for cell in column]
    return [_text(cell) for cell in column]


def _text(cell: Any) -> str:
    if cell is None or cell != cell:
        return ""
    if isinstance(cell, timedelta):
        rest = timedelta(seconds=cell.seconds, microseconds=cell.microseconds)
        return f"{cell.days} days {str(rest).zfill(8)}"
    return str(cell)


def plain(cell: Any) -> Any:
    """A cell in JSON's types: dates as ISO texts, decimals as numbers."""
    if cell is None or isinstance(cell, bool | int | float | str):
        return cell
    if isinstance(cell, Decimal):
        return int(cell) if cell == cell.to_integral_value() else float(cell)
    if isinstance(cell, datetime):
        return cell.isoformat(" ")
    return cell.isoformat() if isinstance(cell, date | time) else str(cell)


# ---------------------------------------------------------------- typed

_INTEGER = re.compile(r"-?(0|[1-9]\d*)")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)?(\.\d*)?([eE][+-]?\d+)?|-?inf")
_TRUTH = {"true": True, "false": False}
_MOST_DIGITS = 4000
"""Python refuses to read integers with more digits."""


def typed(column: Sequence[str]) -> list[Any]:
    """A column of texts as values: truth values, integers or numbers if all texts are such, else
    texts. An empty text is NULL.

    A number that does not look like one stays a text, so that leading zeros count.

    >>> typed(["1", "", "2.50"]), typed(["007", "8"])
    ([1.0, None, 2.5], ['007', '8'])
    """
    texts = {text for text in column if text}
    read: Callable[[str], Any] = str
    if texts and all(_INTEGER.fullmatch(text) and len(text) < _MOST_DIGITS for text in texts):
        read = int
    elif texts and all(_NUMBER.fullmatch(text) and any(map(str.isdigit, text)) for text in texts):
        read = float
    elif texts and all(text.lower() in _TRUTH for text in texts):
        read = lambda text: _TRUTH[text.lower()]  # noqa: E731
    return [read(text) if text else None for text in column]


# ---------------------------------------------------------------- pandas

Kind = Literal["int", "uint", "float", "bool", "object"]

_MISSING = frozenset(
    [
        *("", "NULL", "null", "None", "NaN", "nan", "-NaN", "-nan", "NA", "N/A", "n/a", "<NA>"),
        *("#NA", "#N/A", "#N/A N/A", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
    ]
)
"""The texts that pandas takes for missing cells."""
_PANDAS_INTEGER = re.compile(r"[ \t-\r]*[+-]?\d+[ \t-\r]*", re.ASCII)
_PANDAS_NUMBER = re.compile(r"[ \t-\r]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[ \t-\r]*", re.ASCII)
_INFINITE = {
    **dict.fromkeys(("inf", "+inf", "infinity", "+infinity"), math.inf),
    **dict.fromkeys(("-inf", "-infinity"), -math.inf),
}
_PANDAS_TRUTH = {
    **dict.fromkeys(("True", "TRUE", "true"), True),
    **dict.fromkeys(("False", "FALSE", "false"), False),
}
_NAN = math.nan


class _NotThisKindError(Exception):
    pass


def as_pandas_reads(columns: Sequence[Sequence[str]]) -> list[list[Any]]:
    """The cells as ``read_csv(…).transpose().values.tolist()`` gives them, missing ones as NaN.

    The table becomes one array, so the types of all columns decide: beside a column of floats,
    integers are floats; beside a column of texts, all keep their types.
    """
    found = [_inferred(column, width=len(columns)) for column in columns]
    kinds = {kind for kind, _ in found}
    if len(kinds) > 1 and kinds <= {"int", "uint", "float"}:
        return [list(map(float, column)) for _, column in found]
    return [column for _, column in found]


def _inferred(column: Sequence[str], width: int) -> tuple[Kind, list[Any]]:
    """The type and the cells of a column; pandas finds types of a large file part by part."""
    size = 1
    while size * 2 < 2**20 // width:
        size *= 2
    parts = [_of_part(column[at : at + size]) for at in range(0, len(column), size)]
    kinds = {kind for kind, _ in parts}
    cells = [cell for _, part in parts for cell in part]
    if len(kinds) == 1:
        return kinds.pop(), cells
    if kinds and kinds <= {"int", "uint", "float"}:
        return "float", list(map(float, cells))
    return "object", cells


def _of_part(texts: Sequence[str]) -> tuple[Kind, list[Any]]:
    for kind, read in _READERS:
        try:
            cells = read(texts)
        except _NotThisKindError:
            continue
        if type(cells[0]) is str:
            return "object", cells
        missing = any(map(_is_nan, cells))
        if kind == "int" and (large := [c for c in cells if not -(2**63) <= c < 2**63 and c == c]):
            return ("uint" if min(large) > 0 and max(large) < 2**64 else "object"), cells
        if kind == "int" and missing:
            return "float", list(map(float, cells))
        return ("object" if kind == "bool" and missing else kind), cells
    return "object", [_NAN if text in _MISSING else text for text in texts]


def _is_nan(cell: Any) -> bool:
    return bool(cell != cell)


def _integers(texts: Sequence[str]) -> list[Any]:
    """Integers of 64 bits with a sign.

    A larger one makes a column of integers without a sign, or of texts; a text that is no integer
    ends the attempt only if it stands before the larger one.
    """
    cells: list[Any] = []
    for text in texts:
        cells.append(_NAN if text in _MISSING else _integer(text))
        if abs(cells[-1]) >= 2**63 and cells[-1] != -(2**63):
            return _unsigned(texts)
    return cells


def _unsigned(texts: Sequence[str]) -> list[Any]:
    """Integers of 64 bits without a sign; beside a missing or a negative one all stay texts, and
    pandas does not even look for missing ones. Still larger ones are integers of Python."""
    cells: list[Any] = []
    is_signed = False
    for text in texts:
        if text in _MISSING or text.lstrip().startswith("-"):
            is_signed = True
            continue
        cells.append(_integer(text))
        if cells[-1] >= 2**63 and text[-1].isspace():
            raise _NotThisKindError
        if cells[-1] >= 2**64:
            return _unbounded(texts)
    if is_signed:
        return list(texts) if any(cell >= 2**63 for cell in cells) else _unbounded(texts)
    return cells


def _unbounded(texts: Sequence[str]) -> list[Any]:
    try:
        return [_NAN if text in _MISSING else int(text) for text in texts]
    except ValueError:
        return list(texts)


def _integer(text: str) -> int:
    if _PANDAS_INTEGER.fullmatch(text) and len(text) < _MOST_DIGITS:
        return int(text)
    raise _NotThisKindError


def _numbers(texts: Sequence[str]) -> list[Any]:
    return [_NAN if text in _MISSING else _number(text) for text in texts]


def _number(text: str) -> float:
    if _PANDAS_NUMBER.fullmatch(text):
        return float(text)
    if text.lower() in _INFINITE:
        return _INFINITE[text.lower()]
    raise _NotThisKindError


def _truths(texts: Sequence[str]) -> list[Any]:
    found = [_NAN if text in _MISSING else _PANDAS_TRUTH.get(text) for text in texts]
    if None in found:
        raise _NotThisKindError
    return found


_READERS: Sequence[tuple[Kind, Callable[[Sequence[str]], list[Any]]]] = (
    ("int", _integers),
    ("float", _numbers),
    ("bool", _truths),
)


def columns_of(rows: Sequence[Sequence[Any]], width: int) -> Iterator[Column]:
    """The columns of rows; without rows, that many empty ones."""
    return iter(zip(*rows, strict=True)) if rows else iter([()] * width)
