"""`evaluate --batch`: interrupted, killed, refused, and at the end the same to the byte as live."""

from __future__ import annotations

import hashlib
import io
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from chat_server import (
    BatchServer,
    Body,
    ChatServer,
    Handler,
    Result,
    completion,
    fails,
    replied,
    sends,
    serving,
)

from sqljury import cli
from sqljury.cli import app as cli_app

COUNT = 10
UNFINISHED = 3
JUDGE = "rose,model=openai:gpt-4.1-2025-04-14"


def model(body: Body) -> str:
    """A Prover and a Refuter that say the same of the same prompt, yes or no."""
    told = body["messages"][-1]["content"]
    yes = hashlib.sha256(told.encode()).digest()[0] % 3 > 0
    parts = body["response_format"]["json_schema"]["schema"]["properties"]
    answer: dict[str, Any] = dict.fromkeys(parts, "said") | {"verdict": yes}
    if "gold_correct" in parts:
        answer |= {"verdict": not yes, "ambiguity": "na", "gold_correct": True}
    return json.dumps(answer)


def is_refuter(body: Body) -> bool:
    return "gold_correct" in body["response_format"]["json_schema"]["schema"]["properties"]


def speaks(handler: Handler, body: Body) -> None:
    handler.send(200, json.dumps(completion(model(body))).encode())


def prepared(folder: Path) -> Path:
    """Cases and their database: half of the predictions have the reference's rows."""
    (folder / "shop").mkdir()
    with sqlite3.connect(folder / "shop" / "shop.sqlite") as database:
        database.execute("CREATE TABLE item (name TEXT, price INTEGER)")
        database.executemany(
            "INSERT INTO item VALUES (?, ?)", [(f"item {n}", n) for n in range(COUNT)]
        )
    cases = [
        {
            "question_id": n,
            "db_id": "shop",
            "question": f"What costs more than {n}? ({n})",
            "gold_sql": f"SELECT name FROM item WHERE price > {n}",
            "predicted_sql": f"SELECT name FROM item WHERE price {'>=' if n % 2 else '>'} {n}",
        }
        for n in range(COUNT)
    ]
    (folder / "cases.json").write_text(json.dumps(cases))
    return folder


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return prepared(tmp_path)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What a live run exports."""
    folder = prepared(tmp_path_factory.mktemp("live"))
    with serving(speaks) as server:
        ran(folder, server)
    return exported(folder)


@contextmanager
def batching(**how: Any) -> Iterator[tuple[ChatServer, BatchServer]]:
    with serving(speaks) as server:
        server.other = batches = BatchServer(model, **how)
        yield server, batches


def command(here: Path, *more: str, run: str = "run") -> list[str]:
    return [
        *("evaluate", str(here / "cases.json"), "-d", str(here), "-j", JUDGE, "-w", "1"),
        *("--model-option", "temperature=0", "--run", str(here / run)),
        *("--export", str(here / f"{run}.jsonl"), *more),
    ]


def at(server: ChatServer) -> dict[str, str]:
    """What makes our server OpenAI."""
    return {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-1"}


def ran(
    here: Path, server: ChatServer, *more: str, run: str = "run", code: int = 0
) -> tuple[str, str]:
    """What the command prints and what it warns of, called as the entry point is."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.dict(os.environ, at(server)),
        patch.object(sys, "argv", ["sqljury", *command(here, *more, run=run)]),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        cli.main()
    assert ended.value.code == code, (out.getvalue(), err.getvalue())
    return out.getvalue(), err.getvalue()


def exported(here: Path, run: str = "run") -> bytes:
    return (here / f"{run}.jsonl").read_bytes()


def questions(batches: BatchServer) -> list[int]:
    return [len(lines) for lines in batches.uploads]


# ---------------------------------------------------------------- the way of all runs


def test_command_by_command_until_all_is_judged(here: Path, live: bytes) -> None:
    with batching(state="in_progress") as (server, batches):
        out, _ = ran(here, server, "--batch", code=UNFINISHED)
        assert f"{COUNT} questions were handed in" in out
        assert f"under way in 1 batch: 0 of {COUNT} questions are through" in out
        assert not (here / "run.jsonl").exists()
        # Nothing came, so nothing changes.
        out, _ = ran(here, server, "--batch", "--json", code=UNFINISHED)
        found = json.loads(out)["under_way"]
        assert (found["questions"], found["handed_in"], found["done"]) == (COUNT, 0, 1)
        batches.end()
        # The Provers' answers are in: their Refuters are next.
        out, _ = ran(here, server, "--batch", code=UNFINISHED)
        assert f"{COUNT} answers came in" in out
        batches.end()
        out, _ = ran(here, server, "--batch")
        assert JUDGE in out
        first, second = batches.uploads
        assert any(not is_refuter(line["body"]) for line in first)
        assert all(is_refuter(line["body"]) for line in second)
        assert all(line["body"]["temperature"] == 0 for line in first)
        assert exported(here) == live
        assert server.requests == []  # nobody was asked alone


def test_waiting_goes_through_all_rounds_in_one_command(here: Path, live: bytes) -> None:
    with batching() as (server, batches):
        out, _ = ran(here, server, "--batch", "--wait", "--json", "-j", "execution:strict")
        found = json.loads(out)
        asked = sum(questions(batches))
        assert (len(batches.uploads), found["paid"]["calls"]) == (2, asked)
        of_rose, of_execution = (one["cost"] for one in found["judges"])
        assert (of_rose["calls"], of_execution) == (asked, None)
        assert of_rose["money"] == pytest.approx(found["paid"]["money"])
        by_rose = [line for line in exported(here).splitlines() if JUDGE.encode() in line]
        assert by_rose == live.splitlines()
        kept = str(here / "run" / "ledger.sqlite")
        _, err = ran(here, server, "--replay", kept, run="replay")
        assert "paid for no calls" in err
        assert exported(here, "replay") == live


def test_a_ledger_that_has_it_all_needs_no_batch(here: Path, live: bytes) -> None:
    with batching() as (server, batches):
        kept = str(here / "kept.sqlite")
        _, err = ran(here, server, "--ledger", kept, run="alone")
        assert f"paid for {len(server.requests)} calls, " in err
        ran(here, server, "--batch", "--ledger", kept)
        assert batches.uploads == []
        assert exported(here) == live


# ---------------------------------------------------------------- interrupted


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def interrupted(
    here: Path, server: ChatServer, when: Callable[[], bool], how: int
) -> tuple[int, str]:
    """The command, stopped at that point; its exit code and what it said."""
    with subprocess.Popen(
        [sys.executable, "-m", "sqljury.cli", *command(here, "--batch", "--wait")],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | at(server),
    ) as process:
        try:
            until(when)
        finally:
            process.send_signal(how)
            _, said = process.communicate(timeout=60)
        return process.returncode, said


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_stopped_between_handing_in_and_collecting(how: int, here: Path, live: bytes) -> None:
    with batching(state="in_progress") as (server, batches):
        code, said = interrupted(here, server, lambda: "GET /batches/batch-1" in batches.asked, how)
        if how == signal.SIGINT:
            assert code == 130, said
            assert "the same command goes on" in said
        batches.end()
        batches.state = "completed"
        ran(here, server, "--batch", "--wait")
        assert len(batches.uploads) == 2
        assert exported(here) == live


@pytest.mark.slow
def test_killed_before_the_server_had_said_that_it_took_the_batch(here: Path, live: bytes) -> None:
    def takes_and_is_slow(handler: Handler, body: Body) -> None:
        made = batches.created(json.loads(body["data"]))
        time.sleep(1)
        handler.send(200, json.dumps(made).encode())

    with batching() as (server, batches):
        batches.hurdles = [("POST /batches", takes_and_is_slow)]
        interrupted(here, server, lambda: bool(batches.batches), signal.SIGKILL)
        ran(here, server, "--batch", "--wait")
        assert questions(batches)[0] == COUNT
        assert len(batches.uploads) == 2
        assert exported(here) == live


# ---------------------------------------------------------------- what batches fail at


@pytest.mark.slow
def test_a_batch_that_fails_stops_the_command_and_the_next_one_hands_in_again(
    here: Path, live: bytes
) -> None:
    with batching(state="in_progress") as (server, batches):
        ran(here, server, "--batch", code=UNFINISHED)
        batches.end("failed", "Enqueued token limit reached")
        _, err = ran(here, server, "--batch", code=3)
        assert "SJ914 the batch batch-1 failed; Enqueued token limit reached" in err
        batches.state = "completed"
        ran(here, server, "--batch", "--wait")
        assert questions(batches)[:2] == [COUNT, COUNT]
        assert exported(here) == live


@pytest.mark.slow
def test_lines_that_fail_are_asked_again_and_rates_are_kept(here: Path, live: bytes) -> None:
    seen: set[str] = set()

    def every_second_fails_once(body: Body) -> Result:
        told = body["messages"][-1]["content"]
        is_new = told not in seen
        seen.add(told)
        if is_new and len(seen) % 2:
            return replied({"error": {"message": "boom"}}, 500)
        return replied(completion(model(body)))

    with batching(answers=every_second_fails_once) as (server, batches):
        slow = fails(429, "slow down", retry_after="0.1")
        places = ("POST /files", "POST /batches", "GET /batches/", "GET /files/")
        batches.hurdles = [(place, slow) for place in places]
        ran(here, server, "--batch", "--wait")
        assert questions(batches)[0] == COUNT
        assert len(batches.uploads) > 2
        assert exported(here) == live


@pytest.mark.slow
def test_what_has_no_answer_ends_as_it_does_live_and_is_asked_again(
    here: Path, live: bytes
) -> None:
    def is_bad(body: Body) -> bool:
        return "(3)" in body["messages"][-1]["content"]

    error = {"error": {"message": "unknown parameter", "type": "x", "code": None}}

    def act(handler: Handler, body: Body) -> None:
        (sends(error, 400) if is_bad(body) else speaks)(handler, body)

    with serving(act) as server:
        ran(here, server, run="alone", code=3)
    with batching() as (server, batches):
        batches.answers = lambda body: replied(
            *((error, 400) if is_bad(body) else (completion(model(body)),))
        )
        ran(here, server, "--batch", "--wait", code=3)
        assert b"no answer: HTTP 400: Error code: 400 - unknown parameter" in exported(here)
        assert exported(here) == exported(here, "alone")
        batches.answers = lambda body: replied(completion(model(body)))
        ran(here, server, "--batch", "--wait")
        assert exported(here) == live


@pytest.mark.slow
def test_answers_of_no_use_are_asked_for_again_in_the_next_round(here: Path) -> None:
    def babbles_first(body: Body) -> str:
        return model(body) if len(body["messages"]) > 2 else '{"verdict": "maybe"}'

    def act(handler: Handler, body: Body) -> None:
        handler.send(200, json.dumps(completion(babbles_first(body))).encode())

    with serving(act) as server:
        ran(here, server, run="alone")
    with batching() as (server, batches):
        batches.answers = lambda body: replied(completion(babbles_first(body)))
        ran(here, server, "--batch", "--wait")
        assert len(batches.uploads) == 4
        assert exported(here) == exported(here, "alone")


# ---------------------------------------------------------------- money, and what cannot be


@pytest.mark.slow
def test_money_holds_back_and_dry_runs_ask_nobody(here: Path) -> None:
    with batching() as (server, batches):
        limit = ("--model-option", "max_tokens=1000", "--batch", "--max-cost")
        out, _ = ran(here, server, *limit, "0.03", "--dry-run")
        assert "at most 15 calls" in out
        _, err = ran(here, server, *limit, "0.0001", code=3)
        assert "SJ910" in err
        assert batches.asked == []
        out, _ = ran(here, server, *limit, "0.03", code=UNFINISHED)
        assert f"{COUNT - questions(batches)[0]} questions are held back" in out
        ran(here, server, *limit, "0.03", "--wait")
        assert max(questions(batches)) < COUNT


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("--wait",), "SJ006"),
        (("--batch", "--replay", "none.sqlite"), "SJ914"),
        (
            ("--batch", "-j", "prover,model=vllm:m"),
            "SJ903 vllm:m does not offer batches. Leave --batch out",
        ),
    ],
)
def test_what_cannot_be(change: tuple[str, ...], said: str, here: Path) -> None:
    with batching() as (server, batches):
        _, err = ran(here, server, *change, code=2)
        assert said in err
        assert batches.uploads == []


def test_a_ledger_lists_its_batches(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with batching(state="in_progress") as (server, _):
        ran(here, server, "--batch", code=UNFINISHED)
    listing = ["ledger", str(here / "run" / "ledger.sqlite")]
    cli_app.app(listing, standalone_mode=False)
    name, of_model, _, state, waiting = capsys.readouterr().out.split()
    assert (name, of_model) == ("batch-1", "openai:gpt-4.1-2025-04-14")
    assert (state, waiting) == ("open", str(COUNT))
    cli_app.app([*listing, "--forget", "batch-1"], standalone_mode=False)
    assert capsys.readouterr().out.split()[3:] == ["forgotten", "0"]
