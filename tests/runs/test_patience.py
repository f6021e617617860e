"""A database that does not answer for a while: attempts, and when they end."""

from __future__ import annotations

import secrets
import socket
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from shop import make_cases, make_database

import sqljury as sj
from sqljury.case import Case
from sqljury.errors import InfrastructureError
from sqljury.runs.patience import Lost, Patience
from sqljury.verdict import Outcome, Verdict

YES = Verdict.correct()


def _after(failures: int) -> Callable[[], Verdict | Lost]:
    left = [failures]

    def attempt() -> Verdict | Lost:
        left[0] -= 1
        return Lost("the connection was lost") if left[0] >= 0 else YES

    return attempt


def test_a_moment_is_waited_for() -> None:
    slept: list[float] = []
    patience = Patience("postgresql://localhost/{db_id}", slept.append)
    assert patience.found(_after(3), "shop") == YES
    assert slept == sorted(slept)
    assert len(slept) == 3


def test_a_file_that_is_broken_for_good_costs_one_wait() -> None:
    slept: list[float] = []
    patience = Patience("folder", slept.append)
    for _ in range(100):
        assert patience.found(_after(99), "broken").outcome is Outcome.JUDGE_UNAVAILABLE
    assert sum(slept) < 1
    assert patience.found(_after(0), "broken") == YES
    assert patience.found(_after(1), "broken") == YES, "it answers again"


def test_a_broken_file_among_others_costs_its_own_cases_alone(tmp_path: Path) -> None:
    databases = make_database(tmp_path / "databases")
    (databases / "broken").mkdir()
    (databases / "broken" / "broken.sqlite").write_bytes(b"SQLite format 3\0" + bytes(5000))
    cases = [
        Case(id=db_id, db_id=db_id, predicted_sql="SELECT 1", reference_sqls=("SELECT 1",))
        for db_id in ("broken", "shop")
    ]
    with sj.evaluate(cases, ["execution"], databases, workers=1) as found:
        outcomes = [record.verdict.outcome for record in found.records()]
        reasons = [record.verdict.reason for record in found.records()]
    assert outcomes == [Outcome.JUDGE_UNAVAILABLE, Outcome.CORRECT]
    assert "SJ211" in reasons[0] and "not a database" in reasons[0]


def test_a_server_that_is_gone_ends_the_run() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]  # nobody listens
        patience = Patience(f"postgresql://127.0.0.1:{port}/{{db_id}}", lambda _: None)
        with pytest.raises(InfrastructureError, match=r"SJ421 .*connection was lost.*same command"):
            patience.found(_after(99), "shop")


def test_a_database_that_is_locked_for_a_moment_is_judged(tmp_path: Path) -> None:
    databases = make_database(tmp_path / "databases")
    locking = sqlite3.connect(
        databases / "shop" / "shop.sqlite", isolation_level=None, check_same_thread=False
    )
    locked = threading.Event()

    def on_progress(done: int, total: int) -> None:
        if total and not locked.is_set():
            locking.execute("BEGIN EXCLUSIVE")
            locked.set()
            threading.Timer(0.3, locking.execute, ["ROLLBACK"]).start()

    with sj.evaluate(
        make_cases(10),
        ["execution"],
        databases,
        run=tmp_path / "r",
        workers=1,
        on_progress=on_progress,
    ) as found:
        outcomes = dict(found.summary.judges[0].outcomes)
    assert locked.is_set()
    assert "judge_unavailable" not in outcomes


def _proxy(target: tuple[str, int], port: int = 0) -> tuple[int, Callable[[], None]]:
    """A port that leads to a server, until it is cut."""
    listener = socket.create_server(("127.0.0.1", port))
    open_: list[socket.socket] = []

    def pump(source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, sink):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def serve() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(target)
            open_.extend((client, server))
            threading.Thread(target=pump, args=(client, server), daemon=True).start()
            threading.Thread(target=pump, args=(server, client), daemon=True).start()

    def cut() -> None:
        try:
            listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        listener.close()
        for end in open_:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    threading.Thread(target=serve, daemon=True).start()
    return listener.getsockname()[1], cut


@pytest.fixture
def shop_on_server() -> Iterator[str]:
    """The name of a database on the server, up to its last word; others run tests there too."""
    psycopg = pytest.importorskip("psycopg")
    url = "postgresql://postgres@127.0.0.1:5432/"
    try:
        admin = psycopg.connect(url + "postgres", autocommit=True)
    except psycopg.OperationalError:
        pytest.skip("no PostgreSQL server here")
    prefix = f"sqljury_test_{secrets.token_hex(6)}"
    admin.execute(f"CREATE DATABASE {prefix}_shop")
    with psycopg.connect(f"{url}{prefix}_shop") as connection:
        connection.execute("CREATE TABLE item (id INT PRIMARY KEY, name TEXT, price REAL)")
        connection.execute("INSERT INTO item VALUES (1, 'pen', 1.5), (2, 'ink', 4)")
    yield prefix
    admin.execute(f"DROP DATABASE {prefix}_shop WITH (FORCE)")
    admin.close()


def _once(then: Callable[[], object]) -> Callable[[int, int], None]:
    """Do something after the first verdict."""
    begun = threading.Event()

    def on_progress(done: int, _total: int) -> None:
        if done and not begun.is_set():
            begun.set()
            then()

    return on_progress


def _all_different(count: int) -> list[Case]:
    """Cases whose predictions are texts of their own: what a worker remembers needs no server."""
    return [
        replace(case, predicted_sql=f"{case.predicted_sql} AND price < 99{case.id}")
        for case in make_cases(count)
    ]


def _through(port: int, prefix: str) -> str:
    return f"postgresql://postgres@127.0.0.1:{port}/{prefix}_{{db_id}}"


@pytest.mark.slow
@pytest.mark.postgresql
def test_a_server_that_is_away_for_two_seconds_costs_no_verdict(
    shop_on_server: str, tmp_path: Path
) -> None:
    port, cut = _proxy(("127.0.0.1", 5432))

    def away() -> None:
        cut()
        threading.Timer(2.0, _proxy, [("127.0.0.1", 5432), port]).start()

    with sj.evaluate(
        _all_different(1000), ["execution"], _through(port, shop_on_server), run=tmp_path / "r", workers=2,
        on_progress=_once(away),
    ) as found:  # fmt: skip
        outcomes = dict(found.summary.judges[0].outcomes)
    assert sum(outcomes.values()) == 1000
    assert "judge_unavailable" not in outcomes


@pytest.mark.slow
@pytest.mark.postgresql
def test_a_server_that_dies_ends_the_run_soon_and_it_goes_on(
    shop_on_server: str, tmp_path: Path
) -> None:
    port, cut = _proxy(("127.0.0.1", 5432))
    start = time.monotonic()
    with pytest.raises(InfrastructureError, match="SJ421"):
        sj.evaluate(
            _all_different(3000), ["execution"], _through(port, shop_on_server), run=tmp_path / "r", workers=2,
            on_progress=_once(cut),
        )  # fmt: skip
    assert time.monotonic() - start < 60
    with sj.load_run(tmp_path / "r") as found:
        assert "judge_unavailable" not in found.summary.judges[0].outcomes
