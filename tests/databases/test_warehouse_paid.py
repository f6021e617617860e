"""Results that were paid for come back as they were."""

from __future__ import annotations

import math
from contextlib import closing
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from sqljury.databases.warehouses import PaidResults
from sqljury.errors import InputError
from sqljury.execution import Bill, Execution, ResultTable, Status

ROW = (
    *(None, True, 1, 2**70, 1.5, -0.0, math.inf, Decimal("1.50"), "a\ud800ß", b"\x00\xff"),
    *(date(2024, 1, 2), datetime(2024, 1, 2, 3, 4, 5, 6), datetime(2024, 1, 2, tzinfo=UTC)),
    *(time(1, 2, 3), timedelta(days=-1, microseconds=3), [1, [Decimal(2)]], {"a": {"b": None}}),
)


def executed(file: Path, run: Execution, most: Bill | Execution | None = None) -> Execution:
    with closing(PaidResults(file, "command")) as paid:
        bill = Bill(money=0.0) if most is None else most
        return paid.execute("k", "SELECT 1", lambda: bill, lambda _: run, job="j", patience=0.0)


def test_values_come_back_with_their_types(tmp_path: Path) -> None:
    table = ResultTable(tuple(map(str, range(len(ROW)))), [ROW])
    first = Execution(Status.OK, table, "", 0.5, Bill(7, 0.25, 0.5))
    assert executed(tmp_path / "p", first) == first
    again = executed(tmp_path / "p", Execution(Status.ERROR))
    assert again == first
    assert again.table is not None
    assert [type(cell) for cell in again.table.rows[0]] == [type(cell) for cell in ROW]


@pytest.mark.parametrize("status", [Status.ERROR, Status.TIMEOUT, Status.TOO_LARGE])
def test_failures_that_cost_are_kept_too(tmp_path: Path, status: Status) -> None:
    found = Execution(status, None, "why", 1.0, Bill(money=0.5))
    assert (
        executed(tmp_path / "p", found) == executed(tmp_path / "p", Execution(Status.OK)) == found
    )


def test_what_was_not_run_is_not_kept(tmp_path: Path) -> None:
    refused = Execution(Status.REFUSED, None, "no")
    assert executed(tmp_path / "p", Execution(Status.OK), refused) == refused
    assert executed(tmp_path / "p", Execution(Status.UNAVAILABLE)).status is Status.UNAVAILABLE
    found = Execution(Status.OK, ResultTable(("x",), [(1,)]), "", 0.0, Bill(money=0.0))
    assert executed(tmp_path / "p", found) == found


def test_a_price_must_be_known_where_money_is_limited(tmp_path: Path) -> None:
    with (
        closing(PaidResults(tmp_path / "p", "command", 1.0)) as paid,
        pytest.raises(InputError, match="SJ283"),
    ):
        paid.execute("k", "x", Bill, lambda _: Execution(Status.OK), job="j", patience=0.0)


def test_another_file_is_not_written_to(tmp_path: Path) -> None:
    file = tmp_path / "p"
    file.write_text("hello, this is no database" * 100)
    with pytest.raises(InputError, match="SJ281"):
        PaidResults(file, "command")
    assert file.read_text().startswith("hello")
