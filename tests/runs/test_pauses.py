"""What waits does not work: locks and stopped processes cost no verdict, and hang no run."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from shop import REFERENCE, make_cases, make_database

import sqljury as sj
from checks.kills import Trial, write_spider_cases
from sqljury.runs import pool

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="needs /proc"),
    pytest.mark.usefixtures("started_anew"),
]

# A second of work, some machines more; under the limit below on all of them.
SLOW = (
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000000) "
    "SELECT name FROM item WHERE price > 2 AND (SELECT count(*) FROM n) > 0"
)
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
_STARTED: list[subprocess.Popen[bytes]] = []


def slow_cases(*sqls: str) -> list[sj.Case]:
    return [
        sj.Case(id=str(at), db_id="shop", predicted_sql=sql, reference_sqls=(REFERENCE,))
        for at, sql in enumerate(sqls)
    ]


def start(folder: Path, cases: list[sj.Case], *options: str) -> subprocess.Popen[bytes]:
    sj.write_cases(cases, folder / "cases.jsonl", format="sqljury")
    command = [sys.executable, "-m", "sqljury.cli", "evaluate", str(folder / "cases.jsonl")]
    command += ["-d", str(folder / "databases"), "--run", str(folder / "run"), *options]
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    _STARTED.append(process)
    return process


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    yield
    while _STARTED:
        process = _STARTED.pop()
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def outcomes(folder: Path) -> list[str]:
    with sj.load_run(folder / "run") as found:
        return [record.verdict.outcome.value for record in found.records()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_database(tmp_path / "databases")
    return tmp_path


def test_a_lock_that_is_longer_than_the_limit_is_waited_for(folder: Path) -> None:
    path = folder / "databases" / "shop" / "shop.sqlite"
    locking = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    locked = threading.Event()

    def on_progress(_done: int, total: int) -> None:
        if total and not locked.is_set():
            locking.execute("BEGIN EXCLUSIVE")
            locked.set()
            threading.Timer(2.0, locking.execute, ["ROLLBACK"]).start()

    with sj.evaluate(
        make_cases(40),
        ["execution"],
        folder / "databases",
        run=folder / "run",
        workers=2,
        limits=sj.Limits(seconds=0.5),
        on_progress=on_progress,
    ) as found:
        assert set(found.summary.judges[0].outcomes) <= {"correct", "incorrect"}
    locking.close()


@pytest.mark.slow
def test_a_lock_that_stays_is_no_timeout_and_is_judged_later(folder: Path) -> None:
    path = folder / "databases" / "shop" / "shop.sqlite"
    locking = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    locked = threading.Event()

    def on_progress(_done: int, total: int) -> None:
        if total and not locked.is_set():
            locking.execute("BEGIN EXCLUSIVE")
            locked.set()

    def evaluated(**more: object) -> set[str]:
        with sj.evaluate(
            make_cases(2),
            ["execution"],
            folder / "databases",
            run=folder / "run",
            workers=1,
            limits=sj.Limits(seconds=0.5),
            **more,  # type: ignore[arg-type]
        ) as found:
            return set(found.summary.judges[0].outcomes)

    assert evaluated(on_progress=on_progress) == {"judge_unavailable"}
    locking.execute("ROLLBACK")
    locking.close()
    assert evaluated() <= {"correct", "incorrect"}


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["sqlite", "duckdb"])
def test_a_stopped_command_that_goes_on_has_no_timeouts(folder: Path, suffix: str) -> None:
    if suffix == "duckdb":
        duckdb = pytest.importorskip("duckdb")
        (folder / "databases" / "shop" / "shop.sqlite").unlink()
        with duckdb.connect(str(folder / "databases" / "shop" / "shop.duckdb")) as made:
            made.execute("CREATE TABLE item AS SELECT 'pen' AS name, 3.0 AS price")
        slow = "SELECT name FROM item WHERE (SELECT sum(i * 7 % 11) FROM range(150000000) r(i)) > 0"
    else:
        slow = SLOW
    cases = slow_cases(*[f"{slow} AND {number} = {number}" for number in range(4)])
    process = start(folder, cases, "--limit-seconds", "5", "-w", "2")
    for _ in range(2):
        time.sleep(1.5)
        os.killpg(process.pid, signal.SIGSTOP)
        time.sleep(7.0)
        os.killpg(process.pid, signal.SIGCONT)
    assert process.wait(120) == 0
    assert outcomes(folder) == ["correct"] * 4


def test_a_query_without_end_ends_soon(folder: Path) -> None:
    began = time.monotonic()
    cases = slow_cases(ENDLESS, REFERENCE)
    with sj.evaluate(
        cases,
        ["execution"],
        folder / "databases",
        run=folder / "run",
        workers=1,
        limits=sj.Limits(seconds=1.0),
    ) as found:
        assert [record.verdict.outcome for record in found.records()] == [
            "prediction_timeout",
            "correct",
        ]
    assert time.monotonic() - began < 30, "one second of work, on a busy machine"


def test_a_stopped_worker_is_replaced(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_STOPPED_SECONDS", 0.5)
    others = set(children(os.getpid()))
    stopped: set[int] = set()

    def on_progress(done: int, _total: int) -> None:
        if done and not stopped:
            stopped.update(set(children(os.getpid())) - others)
            for worker in stopped:
                os.kill(worker, signal.SIGSTOP)

    with sj.evaluate(
        make_cases(1000),
        ["execution"],
        folder / "databases",
        run=folder / "run",
        workers=2,
        on_progress=on_progress,
    ) as found:
        assert set(found.summary.judges[0].outcomes) == {"correct", "incorrect"}
        assert found.summary.judges[0].total == 1000
    assert stopped


def test_stopped_workers_do_not_outlive_their_parent(folder: Path) -> None:
    process = start(folder, list(make_cases(20_000)), "-w", "2")
    while len(children(process.pid)) < 2:
        time.sleep(0.02)
    time.sleep(2.0)  # they are at work, and watch their parent
    workers = children(process.pid)
    assert len(workers) == 2
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    process.kill()
    process.wait()
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


@pytest.mark.soak
def test_stops_at_random_moments_leave_the_same_bytes(data_dir: Path, tmp_path: Path) -> None:
    cases = write_spider_cases(data_dir, tmp_path / "cases.jsonl", every=4)
    trial = Trial(cases, data_dir / "spider" / "databases", tmp_path, random.Random(0))
    undisturbed = trial.undisturbed("undisturbed")
    trial.stop_workers("workers", 3)
    assert (tmp_path / "workers.jsonl").read_bytes() == undisturbed
    trial.pause_command("parent", 2, 3.0, everything=False)
    assert (tmp_path / "parent.jsonl").read_bytes() == undisturbed
    trial.pause_command("group", 2, 3.0, everything=True)
    assert (tmp_path / "group.jsonl").read_bytes() == undisturbed
    trial.orphan_stopped_workers("orphans")
    assert trial.undisturbed("orphans") == undisturbed
    assert trial.stopped >= 3
