"""One value written in two ways: a date and its midnight, an instant in two zones, JSON."""

from __future__ import annotations

import json
import re
from datetime import UTC, date, datetime, time
from typing import Any

_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?(?:Z|[+-]\d\d(?::?\d\d)?)?)?"
)
_LONGEST_MOMENT = 40
_LONGEST_JSON = 100_000
"""Characters; longer texts are compared as texts."""


def plainest(value: Any) -> Any:
    """The value as all who mean it would write it; a text stays one, unless it is JSON.

    A day is a date, an instant is in UTC, JSON is what it holds.

    >>> plainest("2024-05-01 00:00:00"), plainest("2024-05-01T12:00:00+02:00")
    ('2024-05-01', '2024-05-01 10:00:00+00:00')
    >>> plainest('{"b": 1, "a": 2}') == plainest('{"a":2,"b":1}')
    True
    """
    if type(value) is datetime:
        return _day_or_moment(value)
    if type(value) is not str:
        return value
    if value[:1] in ("{", "["):
        return _json(value)
    if len(value) <= _LONGEST_MOMENT and _MOMENT.fullmatch(value):
        return _moment(value)
    return value


def _day_or_moment(value: datetime) -> date:
    return value.date() if value.tzinfo is None and value.time() == time() else value


def _moment(text: str) -> str:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:  # the 31st of February
        return text
    if found.tzinfo is not None:
        found = found.astimezone(UTC)
    return str(_day_or_moment(found))


def _json(text: str) -> Any:
    if len(text) > _LONGEST_JSON:
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
