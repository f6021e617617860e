"""BigQuery's own client against an HTTP server that speaks its protocol."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from warehouses.bigquery_server import BigQueryServer, bigquery_server

import sqljury as sj
from needs import needs
from sqljury.databases.warehouses import PaidResults, bill
from sqljury.errors import InfrastructureError
from sqljury.execution import Limits, Status

pytestmark = needs("google.cloud.bigquery")

LIMITS = Limits(seconds=10, rows=1000)
SCRIPT = """
CREATE TABLE boat (id BIGINT, name VARCHAR, tonnes DECIMAL(10, 2), built DATE);
INSERT INTO boat VALUES (1, '50% off', 1.5, '2024-01-02'), (2, NULL, NULL, NULL);
CREATE TABLE trip_20240101 (x BIGINT);
CREATE TABLE trip_20240102 (x BIGINT);
"""


@pytest.fixture
def server() -> Iterator[BigQueryServer]:
    with bigquery_server(SCRIPT) as found:
        yield found


@pytest.fixture
def database(server: BigQueryServer) -> Iterator[Any]:
    found = sj.open_databases(server.url).open("harbour")
    assert found is not None
    with closing(found):
        yield found


def test_a_query_and_its_price(database: Any, server: BigQueryServer) -> None:
    found = database.execute("SELECT * FROM boat # all\n;", LIMITS)
    assert found.table.columns == ("id", "name", "tonnes", "built")
    assert found.table.rows == [
        (1, "50% off", Decimal("1.50"), date(2024, 1, 2)),
        (2, None, None, None),
    ]
    assert found.bill.bytes == server.bytes_read
    assert found.bill.money == pytest.approx(server.bytes_read / 1024**4 * 6.25)
    assert server.dry == server.statements == ["SELECT * FROM boat"]
    (job,) = server.jobs.values()
    assert job["config"]["jobTimeoutMs"] == "10000"
    assert job["config"]["query"]["maximumBytesBilled"] == str(100 * 1024**3)
    assert not job["config"]["query"]["useLegacySql"]


def test_the_price_is_known_without_running(database: Any, server: BigQueryServer) -> None:
    assert database.price("SELECT * FROM boat", LIMITS).bytes == server.bytes_read
    assert database.price("SELECT nothing FROM boat", LIMITS).status is Status.ERROR
    assert server.statements == []


@pytest.mark.parametrize(
    ("sql", "status", "runs"),
    [
        ("SELECT nothing FROM boat", Status.ERROR, False),  # the dry run says so
        ("SELECT x FROM UNNEST(GENERATE_ARRAY(1, 2000)) AS x", Status.TOO_LARGE, True),
        ("SELECT name FROM boat LIMIT 0", Status.OK, True),
        ("DELETE FROM boat WHERE TRUE", Status.REFUSED, False),
        ("SELECT * FROM EXTERNAL_QUERY('c', 'x')", Status.REFUSED, False),
    ],
)
def test_statuses(
    database: Any, server: BigQueryServer, sql: str, status: Status, runs: bool
) -> None:
    assert database.execute(sql, LIMITS).status is status
    assert server.statements == ([sql] if runs else [])


def test_more_bytes_than_the_url_allows_are_not_read(server: BigQueryServer) -> None:
    database: Any = sj.open_databases(server.url + "&maximum_bytes_billed=10MiB").open("harbour")
    with closing(database):
        found = database.execute("SELECT * FROM boat", LIMITS)
    assert found.status is Status.TOO_LARGE
    assert server.statements == []


def test_a_statement_that_runs_too_long_is_cancelled(database: Any, server: BigQueryServer) -> None:
    found = database.execute("SELECT 'endless'", Limits(seconds=0.5))
    assert found.status is Status.TIMEOUT
    assert server.cancelled == list(server.jobs)
    assert database.execute("SELECT 1 AS one", LIMITS).ok


def test_closing_cancels(database: Any, server: BigQueryServer) -> None:
    thread = threading.Thread(
        target=database.execute, args=("SELECT 'endless'", Limits(seconds=60))
    )
    thread.start()
    server.wait_for_job()
    database.close()
    assert server.cancelled == list(server.jobs)
    server.end_jobs()
    thread.join()


def test_a_job_that_was_left_behind_is_taken_up(server: BigQueryServer, tmp_path: Any) -> None:
    """The first command dies after it has handed in the job, the second one finds it."""
    file = tmp_path / "paid.sqlite"

    class KilledError(BaseException):
        pass

    first: Any = sj.open_databases(server.url).open("harbour")
    with closing(PaidResults(file, "first")) as paid:
        bill(first, paid)
        start = first._start

        def dies(*arguments: Any) -> Any:
            start(*arguments)
            raise KilledError

        first._start, first._stop = dies, lambda: None
        with pytest.raises(KilledError):
            first.execute("SELECT 'slow' AS x", LIMITS)
    second: Any = sj.open_databases(server.url).open("harbour")
    with closing(second), closing(PaidResults(file, "second")) as paid:
        bill(second, paid)
        assert second.execute("SELECT 'slow' AS x", LIMITS).table.rows == [("slow",)]
    assert len(server.jobs) == 1


def test_several_commands_pay_for_a_statement_once(server: BigQueryServer, tmp_path: Any) -> None:
    def run() -> None:
        database: Any = sj.open_databases(server.url).open("harbour")
        with closing(database), closing(PaidResults(tmp_path / "paid.sqlite", "one")) as paid:
            bill(database, paid)
            assert database.execute("SELECT 'slow' AS x", LIMITS).ok

    threads = [threading.Thread(target=run) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(server.jobs) == 1


def test_the_limit_on_money_is_kept_before_a_statement_runs(
    server: BigQueryServer, tmp_path: Any
) -> None:
    server.bytes_read = 1024**3
    database: Any = sj.open_databases(server.url).open("harbour")
    with closing(database), closing(PaidResults(tmp_path / "p.sqlite", "x", 0.01)) as paid:
        bill(database, paid)
        assert database.execute("SELECT 1 AS x", LIMITS).ok
        with pytest.raises(InfrastructureError, match=r"SJ282 \$0.0061 of \$0.01 are spent"):
            database.execute("SELECT 2 AS x", LIMITS)
    assert server.statements == ["SELECT 1 AS x"]


def test_schema_lists_one_of_many_daily_tables(database: Any) -> None:
    boat, trip = database.schema().tables
    assert (boat.columns[0].name, boat.columns[0].type) == ("id", "INTEGER")
    assert (trip.name, trip.columns[0].description) == (
        "trip_20240102",
        "one of 2 tables trip_*",
    )


def test_names_of_datasets(server: BigQueryServer) -> None:
    assert sj.open_databases(server.url).ids() == ("harbour",)


def test_the_login_s_rights(database: Any, server: BigQueryServer) -> None:
    assert not any(tried.succeeded for tried in database.trials())
    server.permissions = ["bigquery.tables.updateData"]
    held = [tried.trial.does for tried in database.trials() if tried.succeeded]
    assert held == ["use bigquery.tables.updateData on boat, trip_20240101, trip_20240102"]
