"""Fetching stops at the row and byte limits, exactly, whatever the size of the chunks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.databases.limits import estimated_bytes, fetch_limited
from sqljury.execution import Limits, ResultTable


class Cursor:
    """Gives rows and remembers how they were asked for."""

    def __init__(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self.rows = list(rows)
        self.asked: list[int] = []

    def fetchmany(self, size: int, /) -> list[tuple[Any, ...]]:
        self.asked.append(size)
        chunk, self.rows = self.rows[:size], self.rows[size:]
        return chunk


@given(
    total=st.integers(0, 3000),
    limit=st.integers(0, 3000),
    cell=st.sampled_from([None, 8, 100_000, 10_000_000]),
)
def test_all_rows_or_too_many(total: int, limit: int, cell: int | None) -> None:
    rows = [(i, "x") for i in range(total)]
    result = fetch_limited(Cursor(rows), ("a", "b"), Limits(rows=limit), largest_cell=cell)
    if total <= limit:
        assert result == ResultTable(("a", "b"), rows)
    else:
        assert result == f"more than {limit} rows, the limit"


@pytest.mark.parametrize("cell", [None, 1000])
def test_bytes(cell: int | None) -> None:
    rows = [("x" * 900,)] * 5000
    needed = estimated_bytes(rows)
    enough = fetch_limited(Cursor(rows), ("a",), Limits(bytes=needed), largest_cell=cell)
    assert isinstance(enough, ResultTable)
    short = fetch_limited(Cursor(rows), ("a",), Limits(bytes=needed - 1), largest_cell=cell)
    assert short == f"more than {needed - 1} bytes, the limit"


def test_a_small_result_takes_one_call_and_no_measuring() -> None:
    cursor = Cursor([(1, 2)] * 50)
    fetch_limited(cursor, ("a", "b"), Limits(), largest_cell=1024 * 1024)
    assert len(cursor.asked) == 1


def test_large_cells_are_fetched_one_row_at_a_time() -> None:
    cursor = Cursor([("x" * 10_000,)] * 100)
    limits = Limits(bytes=50_000)
    assert isinstance(fetch_limited(cursor, ("a",), limits, largest_cell=50_000), str)
    assert set(cursor.asked) == {1}
    assert len(cursor.asked) == 5


def test_one_row_larger_than_the_limit() -> None:
    for cell in (None, 1_000_000):
        cursor = Cursor([("x" * 1_000_000,)])
        assert isinstance(fetch_limited(cursor, ("a",), Limits(bytes=1000), largest_cell=cell), str)


def test_nested_values_are_measured_to_the_bottom() -> None:
    flat = estimated_bytes([("x" * 1000,)])
    assert estimated_bytes([({"k": ["x" * 1000]},)]) > flat
    assert estimated_bytes([([["x" * 1000] * 3],)]) > 3 * 1000
    assert estimated_bytes([]) == 0
