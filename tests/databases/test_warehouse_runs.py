"""A run on a warehouse that is killed and resumed pays for no statement twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from warehouses.bigquery_server import BigQueryServer, bigquery_server
from warehouses.fixtures import fakesnow

from needs import needs

CASES = 12


@pytest.fixture
def bigquery() -> Iterator[BigQueryServer]:
    with bigquery_server("CREATE TABLE boat AS SELECT range AS id FROM range(5)") as found:
        yield found


def command(folder: Path, url: str, *options: str) -> list[str]:
    """The command that judges these cases; each statement takes a second."""
    cases = [
        {
            "id": str(number),
            "db_id": "HARBOUR" if url.startswith("snowflake") else "harbour",
            "predicted_sql": f"SELECT id, 'slow' AS s FROM boat WHERE id < {number}",
            "reference_sql": f"SELECT id, 'slow' AS s FROM boat WHERE {number} > id",
        }
        for number in range(CASES)
    ]
    (folder / "cases.json").write_text(json.dumps(cases))
    return [
        *(sys.executable, "-m", "sqljury", "evaluate", str(folder / "cases.json"), "--json"),
        *("--databases", url, "--judge", "execution", "--run", str(folder / "run")),
        *("--workers", "2", *options),
    ]


def started(arguments: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def wait_until(happened: Callable[[], Any]) -> None:
    deadline = time.monotonic() + 60
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def result(arguments: list[str]) -> Any:
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (judge,) = json.loads(done.stdout)["judges"]
    return judge


@pytest.mark.slow
@needs("google.cloud.bigquery")
def test_bigquery_killed_and_resumed(bigquery: BigQueryServer, tmp_path: Path) -> None:
    arguments = command(tmp_path, bigquery.url)
    with started(arguments) as process:
        wait_until(lambda: len(bigquery.jobs) >= 5)
        os.killpg(process.pid, signal.SIGKILL)
    judge = result(arguments)
    assert judge["score"] == 1.0
    # Jobs that ran when the run was killed are taken up: no statement has two.
    assert Counter(bigquery.statements).most_common(1)[0][1] == 1
    assert len(bigquery.jobs) == 2 * CASES
    assert judge["billed"]["bytes"] == bigquery.bytes_read * judge["billed"]["statements"]
    again = len(bigquery.jobs)
    assert result(arguments)["score"] == 1.0
    assert len(bigquery.jobs) == again


@pytest.mark.slow
@needs("google.cloud.bigquery")
def test_ctrl_c_cancels_what_runs(bigquery: BigQueryServer, tmp_path: Path) -> None:
    arguments = command(tmp_path, bigquery.url)
    cases = (tmp_path / "cases.json").read_text().replace("'slow'", "'endless'")
    (tmp_path / "cases.json").write_text(cases)
    with started(arguments) as process:
        wait_until(lambda: len(bigquery.jobs) == 2)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
    assert sorted(bigquery.cancelled) == sorted(bigquery.jobs)


@pytest.mark.slow
@needs("google.cloud.bigquery")
def test_the_limit_on_money_ends_a_run_and_a_higher_one_goes_on(
    bigquery: BigQueryServer, tmp_path: Path
) -> None:
    bigquery.bytes_read = 1024**3  # $0.0061
    arguments = command(tmp_path, bigquery.url)
    done = subprocess.run(
        [*arguments, "--max-cost", "0.05"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 3
    assert "SJ282" in done.stderr
    assert len(bigquery.jobs) == 8
    assert result([*arguments, "--max-cost", "0.11"])["score"] == 1.0
    assert len(bigquery.jobs) == 2 * CASES


@pytest.mark.slow
@needs("snowflake.connector")
def test_snowflake_killed_and_resumed(tmp_path: Path) -> None:
    with fakesnow(tmp_path) as server:
        server.run("HARBOUR", "CREATE TABLE boat AS SELECT * FROM VALUES (1), (2), (3) AS v (id)")
        arguments = command(tmp_path, server.url())

        def ours() -> list[str]:
            return [sql for sql in server.statements if "'slow'" in sql]

        with started(arguments) as process:
            wait_until(lambda: len(ours()) >= 5)
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(1.0)  # for what is on its way to the server
        before = Counter(ours())
        judge = result(arguments)
        assert judge["score"] == 1.0
        # What ran at that moment, at most one statement a worker, is run again.
        twice = [sql for sql, count in Counter(ours()).items() if count > 1]
        assert len(twice) <= 2
        assert set(twice) <= set(before)
        assert judge["billed"]["credits"] > 0
        sent = len(ours())
        assert result(arguments)["score"] == 1.0
        assert len(ours()) == sent
