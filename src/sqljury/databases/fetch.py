"""Read a result to its last row, or to the limit that it breaks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from sys import getsizeof
from typing import Any, Final, Protocol

from sqljury.execution import Limits, ResultTable

_CHUNK: Final = 1000
_ROW_BYTES: Final = 64  # an empty tuple and its place in the list
_FIXED_BYTES: Final = 32
_FIXED = frozenset({int, float, bool, type(None)})
_NESTED = frozenset({list, tuple, dict})


class FetchesMany(Protocol):
    """The part of a DB-API cursor that is needed here."""

    def fetchmany(self, size: int, /) -> Sequence[tuple[Any, ...]]:
        """Up to ``size`` further rows."""


def fetch_limited(
    cursor: FetchesMany,
    columns: tuple[str, ...],
    limits: Limits,
    *,
    largest_cell: int | None = None,
) -> ResultTable | str:
    """All rows, or the words that say which limit they break.

    Args:
        largest_cell: bytes that no cell can exceed, where the engine guarantees it: chunks
            are then so small that none breaks the byte limit before it is measured, and the
            first needs no measuring at all.
    """
    chunk, unmeasured = _CHUNK, False
    if largest_cell is not None:
        row = (largest_cell + _ROW_BYTES) * max(1, len(columns))
        chunk, unmeasured = max(1, min(_CHUNK, limits.bytes // row)), row <= limits.bytes
    chunk = min(chunk, limits.rows + 1)
    rows = list(cursor.fetchmany(chunk))
    if len(rows) > limits.rows:
        return _too_many(limits)
    if len(rows) < chunk and unmeasured:
        return ResultTable(columns, rows)
    used = estimated_bytes(rows)
    while used <= limits.bytes:
        more = cursor.fetchmany(chunk)
        if not more:
            return ResultTable(columns, rows)
        rows += more
        if len(rows) > limits.rows:
            return _too_many(limits)
        used += estimated_bytes(more)
    return f"more than {limits.bytes} bytes, the limit"


def _too_many(limits: Limits) -> str:
    return f"more than {limits.rows} rows, the limit"


def estimated_bytes(rows: Sequence[tuple[Any, ...]]) -> int:
    """What the rows take in this process: the size of every cell and a share for the row."""
    return len(rows) * _ROW_BYTES + sum(map(_column_bytes, zip(*rows, strict=True)))


def _column_bytes(column: tuple[Any, ...]) -> int:
    kinds = set(map(type, column))
    if kinds <= _FIXED:
        return len(column) * _FIXED_BYTES  # no need to look at each
    return sum(map(_deep_size if kinds & _NESTED else getsizeof, column))


def _deep_size(value: object) -> int:
    parts: Iterable[object] = ()
    if isinstance(value, dict):
        parts = chain(value.keys(), value.values())
    elif isinstance(value, list | tuple):
        parts = value
    return getsizeof(value) + sum(map(_deep_size, parts))
