"""Cells for people and for JSON."""

from __future__ import annotations

import json
import math
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from sqljury.writing import encodable

MAX_TEXT = 300
"""Characters of a cell that reports and stores keep."""
_MAX_SHOWN = 60
"""Characters of a cell in a sentence."""
_JSON_INTEGER = 2**53


def render_cell(value: Any, max_text: int = MAX_TEXT) -> str | float | bool | None:
    """A cell as a JSON value: '1' and 1, NULL and '' stay apart, long texts are cut with a mark.

    >>> render_cell("1"), render_cell(1), render_cell(None), render_cell(b"\\x00a")
    ('1', 1, None, "x'0061'")
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        if len(value) <= max_text and value.isascii():
            return value
        return _cut(encodable(value), max_text)
    if isinstance(value, int):
        return int(value) if abs(value) <= _JSON_INTEGER else _cut(_integer_text(value), max_text)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(value)
    if isinstance(value, Decimal):
        return _decimal(value, max_text)
    return _cut(encodable(_text(value, max_text)), max_text)


def _decimal(value: Decimal, max_text: int) -> str | float:
    """The float that prints the same number, or the text where there is none."""
    if value.is_finite():
        number = float(value)
        if math.isfinite(number) and Decimal(repr(number)) == value:
            return number
    return _cut(str(value), max_text)


def _integer_text(value: int) -> str:
    try:
        return str(value)
    except ValueError:  # more digits than Python prints
        return hex(value)


def _text(value: Any, max_text: int) -> str:
    if isinstance(value, bytes | bytearray | memoryview):
        data = bytes(value)
        mark = f"… ({len(data)} bytes)" if 2 * len(data) > max_text else ""
        return f"x'{data[: max_text // 2].hex()}'{mark}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, default=str, ensure_ascii=False, skipkeys=True)
    return str(value)


def _cut(text: str, max_text: int) -> str:
    # Rendered bytes say their length themselves.
    if len(text) <= max_text or text.endswith(" bytes)"):
        return text
    return f"{text[:max_text]}… ({len(text)} characters)"


def shown(value: Any, *, typed: bool = False) -> str:
    """A cell as it stands in a sentence: NULL, 'text', 3.5; with its type if asked for."""
    if value is None:
        return "NULL"
    rendered = render_cell(value, _MAX_SHOWN)
    text = f"'{rendered}'" if isinstance(value, str) else str(rendered)
    return f"{text} ({_type_name(value)})" if typed else text


def shown_row(row: tuple[Any, ...]) -> str:
    """A row as it stands in a sentence."""
    cells = [shown(cell) for cell in row[:6]]
    if len(row) > 6:
        cells.append(f"… {len(row) - 6} more")
    return f"({', '.join(cells)})"


_TYPE_NAMES = {
    bool: "boolean",
    int: "integer",
    float: "float",
    Decimal: "decimal",
    str: "text",
    bytes: "bytes",
    datetime: "timestamp",
    date: "date",
}


def _type_name(value: Any) -> str:
    return _TYPE_NAMES.get(type(value), type(value).__name__)
