"""Messages that say what is wrong and what to do, as a user meets them."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from commands import run
from needs import needs
from sqljury.errors import InputError

ROW = {"id": 1, "db_id": "shop", "question": "?", "query": "SELECT 1", "pred": "SELECT 1"}
E = ("evaluate", "dev.json", "-d", ".")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with sqlite3.connect(tmp_path / "shop.sqlite") as database:
        database.execute("CREATE TABLE a (x)")
    (tmp_path / "dev.json").write_text(json.dumps([ROW]))
    (tmp_path / "text.npz").write_text("{}")
    (tmp_path / "judge_none.py").write_text("class Mine:\n    pass\n")
    return tmp_path


MESSAGES: list[tuple[tuple[str, ...], int, tuple[str, ...]]] = [
    ((*E, "--limit-memory", "1"), 2, ("SJ002", "--limit-memory 1", "1GiB")),
    ((*E, "-j", "graph_match,model=text.npz"), 2, ("SJ031 text.npz", "sqljury train")),
    ((*E, "-j", "detector,model=text.npz"), 2, ("SJ031 text.npz",)),
    ((*E, "-j", "judge_none.py:X"), 2, ("no class 'X' in judge_none.py", "Mine")),
    ((*E, "-j", "judge_none.py:Mine"), 2, ("SJ302", "judge(case, evidence)", "Derive it")),
    ((*E, "-j", "nothing.py:X"), 2, ("SJ303", "write FILE.py:Class")),
    (("compare", "SELECT 1", "SELECT 2"), 2, ("SJ316", "--schema", "--database")),
    (("list", "codes", "SJ908"), 0, ("SJ908",)),
]


@pytest.mark.parametrize(("words", "code", "said"), MESSAGES, ids=lambda value: str(value)[:60])
def test_what_is_said(
    folder: Path, words: tuple[str, ...], code: int, said: tuple[str, ...]
) -> None:
    done = run(*words, cwd=folder)
    text = done.stdout + done.stderr
    assert done.returncode == code, text
    for part in said:
        assert part in text
    assert "allow_pickle" not in text
    assert "Traceback" not in text
    assert ".." not in done.stderr


@needs("sqlalchemy")
@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("clickhouse://u:p@host/{db_id}", "pip install clickhouse-sqlalchemy"),
        ("oracle://u:p@host/{db_id}", "pip install oracledb"),
        ("nosuch://u:p@host/{db_id}", "Is the name right?"),
    ],
)
def test_a_driver_that_is_not_there_is_named(folder: Path, url: str, said: str) -> None:
    done = run("evaluate", "dev.json", "-d", url, cwd=folder)
    assert done.returncode == 3
    assert said in done.stderr
    assert "***" not in done.stderr.replace(":***@", "")


def test_show_names_the_cases_that_there_are(folder: Path) -> None:
    run(*E, "--run", "run", cwd=folder)
    done = run("report", "run", "--case", "nope", cwd=folder)
    assert done.returncode == 2
    assert "SJ412 no case 'nope' in run. Its cases are dev/1." in done.stderr
    assert "Did you mean dev/1?" in run("report", "run", "--case", "dve/1", cwd=folder).stderr


def test_a_project_file_may_name_one_file(folder: Path) -> None:
    (folder / "sqljury.toml").write_text('[evaluate]\nfiles = "dev.json"\ndatabases = "."\n')
    done = run("evaluate", cwd=folder)
    assert done.returncode == 0, done.stderr


def test_a_judge_with_a_variant_is_explained(folder: Path) -> None:
    done = run("list", "judges", "jury:offline", cwd=folder)
    assert done.returncode == 0
    assert done.stdout.startswith("jury: ")


@pytest.mark.parametrize("option", [(), ("-p", "dev.json")])
def test_a_hyphen_is_standard_input(folder: Path, option: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "sqljury", "evaluate", "-", *option, "-d", ".", "--json"],
        cwd=folder,
        input=json.dumps([ROW]),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["judges"][0]["score"] == 1.0


@pytest.mark.parametrize("message", ["the last: HTTP 401", "HTTP 401.", "HTTP 401.."])
def test_a_message_and_its_hint_are_two_sentences(message: str) -> None:
    said = str(InputError("SJ908", message, hint="Check the key."))
    assert said.endswith("HTTP 401. Check the key.")


class OutOfOrder(BaseHTTPRequestHandler):
    """Answers 500 to everything."""

    def do_POST(self) -> None:
        self.send_response(500)
        self.end_headers()
        self.wfile.write(b'{"error": {"message": "out of order"}}')

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def broken_server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), OutOfOrder) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@needs("openai")
def test_what_a_server_fails_with_is_said_while_it_is_asked_again(
    folder: Path, broken_server: str
) -> None:
    judge = f"rose_wogt,model=openai:m,model_options=base_url={broken_server}"
    process = subprocess.Popen(
        [sys.executable, "-m", "sqljury", *E, "-j", judge],
        cwd=folder,
        env=os.environ | {"OPENAI_API_KEY": "none"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    # On a busy machine lines of progress come before it.
    line = next((one for one in process.stderr if "asked again" in one), "")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert "openai:m failed, asked again: HTTP 500" in line
    assert "out of order" in line


@pytest.mark.parametrize("seconds", [0.1, 0.2, 0.4, 0.8, 1.2])
def test_an_interrupt_while_it_starts_is_no_traceback(folder: Path, seconds: float) -> None:
    program = Path(sys.executable).with_name("sqljury")
    process = subprocess.Popen(
        [program, *E, "-w", "8"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(seconds)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    # Python itself, before any of our code, may still die of the signal.
    if "sqljury/" in said:
        assert "Traceback" not in said
    assert process.returncode in (130, -signal.SIGINT, 0)
