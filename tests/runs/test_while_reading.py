"""Judging begins while cases are read: nothing is judged twice, and broken input leaves nothing."""

from __future__ import annotations

import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from shop import make_cases, make_database

import sqljury as sj
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.runs.pool import WorkerPool
from sqljury.runs.store import VerdictRow, WorkItem

_CASES = 600


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_database(tmp_path_factory.mktemp("databases"))


def _slowly(judged: Callable[[], bool] = lambda: True) -> Iterator[Case]:
    """Cases that are read slowly; before the last hundred a worker must have judged some."""
    for number, case in enumerate(make_cases(_CASES)):
        if number % 64 == 0:
            time.sleep(0.1)
        if number == _CASES - 100:
            deadline = time.monotonic() + 120
            while not judged() and time.monotonic() < deadline:
                time.sleep(0.05)
        yield case


def _rows_of(run: Path, sql: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(run / "run.sqlite")
    found = connection.execute(sql).fetchall()
    connection.close()
    return found


def test_what_is_judged_while_reading_is_not_judged_again(
    databases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []
    pools: list[WorkerPool] = []
    collected: list[tuple[VerdictRow, ...]] = []
    judge_meanwhile = WorkerPool.judge_meanwhile

    def noted(pool: WorkerPool, waiting: deque[WorkItem]) -> Iterator[tuple[VerdictRow, ...]]:
        pools.append(pool)
        for rows in judge_meanwhile(pool, waiting):
            collected.append(rows)
            yield rows

    monkeypatch.setattr(WorkerPool, "judge_meanwhile", noted)
    with sj.evaluate(
        _slowly(lambda: any(collected) or not pools[0]._inbox.empty()),
        "execution",
        databases,
        run=tmp_path / "slow",
        workers=2,
        on_progress=lambda done, total: told.append((done, total)),
    ) as slow:
        verdicts = [(r.case.id, r.verdict.outcome, r.verdict.reason) for r in slow.records()]
    # What was there when the last case was read counts as done from the beginning.
    assert 0 < told[0][0] < _CASES
    assert told[-1] == (_CASES, _CASES)
    with sj.evaluate(make_cases(_CASES), "execution", databases, workers=1) as plain:
        assert verdicts == [
            (r.case.id, r.verdict.outcome, r.verdict.reason) for r in plain.records()
        ]


def test_input_that_turns_out_broken_leaves_neither_cases_nor_verdicts(
    databases: Path, tmp_path: Path
) -> None:
    def broken() -> Iterator[Case]:
        yield from _slowly()
        yield next(iter(make_cases(1)))

    run = tmp_path / "run"
    with pytest.raises(InputError, match="SJ404"):
        sj.evaluate(broken(), "execution", databases, run=run, workers=1)
    assert _rows_of(
        run, "SELECT (SELECT count(*) FROM cases), (SELECT count(*) FROM verdicts)"
    ) == [(0, 0)]


def test_a_fault_of_the_input_is_told_before_one_of_the_workers(tmp_path: Path) -> None:
    databases = make_database(tmp_path / "db")
    file = databases / "shop" / "shop.sqlite"

    def changing(broken: bool) -> Iterator[Case]:
        for number, case in enumerate(_slowly()):
            if number == 300:
                connection = sqlite3.connect(file)
                with connection:
                    connection.execute("INSERT INTO item (name) VALUES ('new')")
                connection.close()
            yield case
        if broken:
            yield next(iter(make_cases(1)))

    with pytest.raises(InputError, match="SJ404"):
        sj.evaluate(changing(True), "execution", databases, run=tmp_path / "a", workers=1)
    with pytest.raises(sj.InfrastructureError, match="SJ420"):
        sj.evaluate(changing(False), "execution", databases, run=tmp_path / "b", workers=1)
    assert _rows_of(tmp_path / "b", "SELECT count(*) FROM cases") == [(_CASES,)]
