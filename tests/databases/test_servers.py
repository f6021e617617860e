"""What databases on PostgreSQL and on MySQL or MariaDB do alike: connections, locks, finding."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest
from servers import Server, while_it_runs

from sqljury.databases import Database, open_databases
from sqljury.execution import Limits, Status

LIMITS = Limits()


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(name, marks=getattr(pytest.mark, name)) for name in ("postgresql", "mysql")
    ],
)
def server(request: pytest.FixtureRequest) -> Server:
    found: Server = request.getfixturevalue(request.param)
    return found


@pytest.fixture(scope="module")
def name(server: Server) -> str:
    return server.create("CREATE TABLE t (x int)", "INSERT INTO t VALUES (1), (2)")


@pytest.fixture
def database(server: Server, name: str) -> Iterator[Database]:
    database = open_databases(server.url + "{db_id}").open(name)
    assert database is not None
    yield database
    database.close()


def test_a_lock_of_somebody_else_is_not_the_querys_fault(
    server: Server, name: str, database: Database
) -> None:
    with server.locked(name, "t"):
        execution = database.execute("SELECT * FROM t", Limits(seconds=1.5))
    assert execution.status is Status.UNAVAILABLE, execution
    assert "lock" in execution.message.lower()


def test_a_lost_connection_is_made_again(server: Server, name: str, database: Database) -> None:
    server.end_sessions(name)
    execution = database.execute("SELECT count(*) FROM t", LIMITS)
    assert execution.table is not None, execution
    assert execution.table.rows == [(2,)]
    overdue = database.execute(f"SELECT {server.sleep}(9)", Limits(seconds=0.2))
    assert overdue.status is Status.TIMEOUT


def test_a_connection_lost_in_the_middle(server: Server, name: str, database: Database) -> None:
    for seconds, limits, status in (
        (0.5, LIMITS, Status.OK),
        (9, Limits(seconds=1.5), Status.UNAVAILABLE),
    ):
        words = f"lost_{seconds:g}_{name}".replace(".", "_")
        killer = while_it_runs(server, words, lambda: server.end_sessions(name))
        execution = database.execute(f"SELECT {server.sleep}({seconds}) AS {words}", limits)
        killer.join()
        assert execution.status is status, execution


def test_a_server_that_went_down(server: Server, name: str, database: Database) -> None:
    database._server = replace(database._server, port=1)  # type: ignore[attr-defined]
    server.end_sessions(name)
    execution = database.execute("SELECT 1", LIMITS)
    assert execution.status is Status.UNAVAILABLE
    assert execution.message


def test_close_cancels(server: Server, database: Database) -> None:
    timer = threading.Timer(0.3, database.close)
    timer.start()
    start = time.monotonic()
    execution = database.execute(f"SELECT {server.sleep}(30)", Limits())
    timer.join()
    assert execution.status is Status.UNAVAILABLE
    assert time.monotonic() - start < 15
    assert database.execute("SELECT 1", LIMITS).status is Status.UNAVAILABLE


def test_ids(server: Server, name: str) -> None:
    databases = open_databases(server.url + "{db_id}")
    ids = databases.ids() or ()
    assert name in ids
    assert "mysql" not in ids
    assert databases.open("there_is_no_such") is None
    assert open_databases(server.url + "there_is_no_such").open("there_is_no_such") is None
    prefix, _, rest = name.rpartition("_")
    assert rest in (open_databases(f"{server.url}{prefix}_{{db_id}}").ids() or ())


def test_fingerprint(server: Server) -> None:
    name = server.create("CREATE TABLE t (x int)", "INSERT INTO t VALUES (1), (2)")
    database = open_databases(server.url + name).open(name)
    assert database is not None
    with closing(database):
        before = database.fingerprint()
        assert database.fingerprint() == before
        for change in (
            "UPDATE t SET x = 3 WHERE x = 2",
            "INSERT INTO t VALUES (4)",
            "DELETE FROM t",
        ):
            server.run(change, database=name)
            after = database.fingerprint()
            assert after != before
            before = after
