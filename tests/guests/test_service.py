"""`sqljury serve`: a real server, asked over HTTP by good, bad and hostile callers."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from served import TOKEN, Served, boats

from needs import needs

pytestmark = needs("starlette", "uvicorn", "prometheus_client")

LONG = "SELECT name FROM boat WHERE length > 8"
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT COUNT(*) FROM n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return boats(tmp_path_factory.mktemp("served") / "databases")


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[Served]:
    words = ["-w", "1", "--limit-seconds", "0.5", "--waiting", "2", "--rate", "100000"]
    found = Served("serve", "-d", str(folder), *words)
    yield found
    assert found.end() == 0, "a graceful stop"


def judged(served: Served, sql: str) -> Any:
    body = {"predicted_sql": sql, "reference_sqls": [LONG], "db_id": "boats"}
    found = served.ask("/judge", body)
    assert found.status == 200, found
    return found.body["verdicts"]["execution:strict"]


def test_judge(served: Served) -> None:
    assert judged(served, "SELECT name FROM boat WHERE length > 9")["outcome"] == "correct"
    fenced = "Long means:\n```sql\nSELECT name FROM boat WHERE id < 3\n```"
    assert judged(served, fenced)["outcome"] == "correct"
    wrong = judged(served, "SELECT name FROM boat")
    assert wrong["outcome"] == "incorrect"
    assert wrong["evidence"]["explanation"]["extra"]["rows"] == [{"row": 2, "cells": ["Cleo"]}]
    lacks = served.ask("/judge", {"predicted_sql": LONG}).body["verdicts"]["execution:strict"]
    assert lacks["outcome"] == "reference_missing"


def test_compare(served: Served) -> None:
    body = {"first_sql": LONG, "second_sql": "SELECT b.name FROM boat AS b WHERE 8 < b.length"}
    assert served.ask("/compare", body).body["verdict"] == "proved"
    found = served.ask("/compare", {**body, "second_sql": "SELECT name FROM boat"}).body
    assert found["verdict"] == "refuted"
    assert "INSERT INTO" in found["evidence"]["witness"]["sql"]


def test_choose(served: Served) -> None:
    asked = ["DROP TABLE boat", "SELECT id FROM boat", LONG, "SELECT name FROM boat WHERE id < 3"]
    body = {"question": "Which boats are longer than 8 m?", "candidates": asked}
    found = served.ask("/choose", body).body
    assert (found["place"], found["predicted_sql"]) == (2, LONG)
    assert [one["place"] for one in found["candidates"]] == [2, 3, 1, 0]
    none = served.ask("/choose", {**body, "candidates": ["DROP TABLE boat", "SELECT x"]}).body
    assert none["predicted_sql"] is None


def test_should_answer(served: Served) -> None:
    body = {"question": "Which boats are longer than 8 m?", "db_id": "boats"}
    assert served.ask("/should-answer", {**body, "predicted_sql": LONG}).body["answer"] is True
    for sql in ("SELECT name FROM boat", "DROP TABLE boat", "", "I do not know.", ENDLESS):
        found = served.ask("/should-answer", {**body, "predicted_sql": sql}).body
        assert found["answer"] is False, (sql, found)
        assert found["reason"], sql


HOSTILE = {
    "DROP TABLE boat": "prediction_refused",
    "DELETE FROM boat": "prediction_refused",
    "ATTACH '/etc/passwd' AS x": "prediction_refused",
    "SELECT load_extension('x')": "prediction_refused",
    "SELECT name FROM boat; DROP TABLE boat": "prediction_refused",
    "PRAGMA writable_schema = 1": "prediction_refused",
    "SELECT zeroblob(2000000000)": "prediction_too_large",
    ENDLESS: "prediction_timeout",
    "(" * 50_000: "prediction_error",
    "SELECT 9e999, -9e999": "incorrect",
    "SELECT x'ff00', CAST(x'ff' AS TEXT)": "incorrect",
    "SELECT '<script>alert(1)</script>\u0000'": "prediction_error",
}


@pytest.mark.parametrize("sql", HOSTILE, ids=lambda sql: sql[:30])
def test_hostile_sql(served: Served, folder: Path, sql: str) -> None:
    before = (folder / "boats.sqlite").read_bytes()
    assert judged(served, sql)["outcome"] == HOSTILE[sql]
    assert (folder / "boats.sqlite").read_bytes() == before
    assert [path.name for path in folder.iterdir()] == ["boats.sqlite"]


REFUSED: list[tuple[str, dict[str, Any], int]] = [
    ("/judge", {"body": {"predicted_sql": LONG}, "token": "wrong"}, 401),
    ("/metrics", {"token": ""}, 401),
    ("/judge", {}, 405),
    ("/other", {}, 404),
    ("/judge", {"body": {"predicted_sql": LONG, "db_id": "../boats"}}, 404),
    ("/judge", {"body": {"predicted_sql": LONG, "db_id": "/etc/passwd"}}, 404),
    ("/judge", {"raw": b"x" * (1 << 20 | 1)}, 413),
    ("/judge", {"body": {}}, 422),
    ("/judge", {"body": {"predicted_sql": None}}, 422),
    ("/judge", {"body": {"predicted_sql": LONG, "run": "x"}}, 422),
    ("/judge", {"body": {"predicted_sql": "\ud800"}}, 422),
    ("/judge", {"body": [1]}, 422),
    ("/judge", {"raw": b"{"}, 422),
    ("/judge", {"raw": b"[" * 100_000}, 422),
    ("/judge", {"raw": b"\xff"}, 422),
    ("/choose", {"body": {"question": "?", "candidates": []}}, 422),
    ("/choose", {"body": {"question": "?", "candidates": ["SELECT 1"] * 65}}, 422),
]


@pytest.mark.parametrize(("path", "request_", "status"), REFUSED)
def test_refused(served: Served, path: str, request_: dict[str, Any], status: int) -> None:
    found = served.ask(path, **request_)
    assert found.status == status
    assert set(found.body) == {"code", "message"} and found.body["message"]


def test_overload_is_refused_at_once(served: Served) -> None:
    # Texts of their own: a verdict on a text that was judged before needs no worker.
    texts = [ENDLESS.replace("SELECT 1", f"SELECT {i}") for i in range(8)]
    bodies = [{"predicted_sql": text, "reference_sqls": [LONG]} for text in texts]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda body: served.ask("/judge", body), bodies))
    statuses = [one.status for one in found]
    assert set(statuses) == {200, 429}, statuses
    assert statuses.count(200) >= 3  # one that is judged, two that wait
    for one in found:
        if one.status == 429:
            assert int(one.headers["retry-after"]) >= 1
        else:
            assert one.body["verdicts"]["execution:strict"]["outcome"] == "prediction_timeout"
    assert judged(served, LONG)["outcome"] == "correct"


def test_killed_worker(served: Served) -> None:
    for pid in served.workers():
        os.kill(pid, signal.SIGKILL)
    assert judged(served, LONG)["outcome"] == "correct"


def test_metrics(served: Served) -> None:
    assert served.ask("/health").body["status"] == "ok"
    before = _count(served)
    judged(served, LONG)
    assert _count(served) == before + 1
    text = served.ask("/metrics").body
    assert "sqljury_workers 1.0" in text and "sqljury_waiting 0.0" in text


def _count(served: Served) -> float:
    lines = served.ask("/metrics").body.splitlines()
    start = 'sqljury_requests_total{path="/judge",status="200"} '
    return next((float(line.removeprefix(start)) for line in lines if line.startswith(start)), 0.0)


@pytest.mark.slow
def test_stop_finishes_what_is_being_answered(folder: Path) -> None:
    served = Served("serve", "-d", str(folder), "-w", "1", "--limit-seconds", "1")
    with ThreadPoolExecutor(1) as threads:
        job = threads.submit(judged, served, ENDLESS)
        while " 1.0" not in _line(served, "sqljury_busy"):
            time.sleep(0.01)
        workers = served.workers()
        assert served.end() == 0
        assert job.result()["outcome"] == "prediction_timeout"
    assert workers and not any(Path(f"/proc/{pid}").exists() for pid in workers)


def _line(served: Served, name: str) -> str:
    lines: list[str] = served.ask("/metrics").body.splitlines()
    return next(line for line in lines if line.startswith(f"{name} "))


def test_rates() -> None:
    from sqljury.serving import Rates

    now = [0.0]
    rates = Rates(60, clock=lambda: now[0])
    assert [rates.seconds_to_wait("a") for _ in range(60)] == [0.0] * 60
    assert rates.seconds_to_wait("a") == pytest.approx(1)
    assert rates.seconds_to_wait("b") == 0.0  # each caller has its own
    now[0] = 1.5
    assert rates.seconds_to_wait("a") == 0.0
    assert rates.seconds_to_wait("a") == pytest.approx(0.5)


def test_token_is_made_and_printed_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqljury.serving import access_token, is_loopback, same_token

    monkeypatch.delenv("SQLJURY_SERVE_TOKEN", raising=False)
    token, is_new = access_token("SQLJURY_SERVE_TOKEN")
    assert is_new and len(token) >= 32
    assert same_token(token, token) and not same_token("", token) and not same_token("é", token)
    hosts = {"127.0.0.1": True, "::1": True, "localhost": True, "0.0.0.0": False, "x.org": False}
    assert {host: is_loopback(host) for host in hosts} == hosts


@pytest.mark.slow
@pytest.mark.parametrize("sent", [b"POST /judge HT", b""], ids=["head", "nothing"])
def test_slow_head_is_cut_off(served: Served, sent: bytes) -> None:
    host, _, port = served.host.partition(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(sent)
        assert connection.recv(100) == b""  # closed by the server
    assert judged(served, LONG)["outcome"] == "correct"


@pytest.mark.slow
def test_slow_body_is_cut_off(served: Served) -> None:
    host, _, port = served.host.partition(":")
    head = f"POST /judge HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {TOKEN}\r\n"
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        assert judged(served, LONG)["outcome"] == "correct"  # nobody waits for it
        assert connection.recv(100).startswith(b"HTTP/1.1 408 ")


@pytest.mark.slow
@needs("schemathesis")
def test_fuzzed(served: Served) -> None:
    """Answers to what schemathesis makes of the OpenAPI document fit the document."""
    import schemathesis
    from hypothesis import given, settings
    from schemathesis.specs.openapi.checks import negative_data_rejection

    document = schemathesis.openapi.from_url(f"{served.address}/openapi.json")
    headers = {"Authorization": f"Bearer {TOKEN}"}
    statuses: list[int] = []
    for found in document.get_all_operations():
        operation = found.ok()
        for mode in schemathesis.GenerationMode:

            @settings(max_examples=100, deadline=None)
            @given(case=operation.as_strategy(generation_mode=mode))
            def one(case: Any) -> None:
                answer = case.call(headers=headers)
                statuses.append(answer.status_code)
                too_large = answer.status_code == 413  # it knows no such refusal of a body
                left_out = [negative_data_rejection] if too_large else []
                case.validate_response(answer, headers=headers, excluded_checks=left_out)

            one()
    assert set(statuses) >= {200, 422}
    assert judged(served, LONG)["outcome"] == "correct"
