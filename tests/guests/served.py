"""A server of ours in a process of its own, for tests: started, asked over HTTP, ended."""

from __future__ import annotations

import http.client
import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

TOKEN = "a-token-for-tests"


def boats(folder: Path) -> Path:
    """A folder with a database of three boats."""
    folder.mkdir(exist_ok=True)
    with closing(sqlite3.connect(folder / "boats.sqlite")) as connection:
        connection.executescript(
            "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL);"
            "INSERT INTO boat VALUES (1, 'Ada', 9.5), (2, 'Bea', 12), (3, 'Cleo', 7);"
        )
    return folder


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: Any


class Served:
    """`sqljury serve` or another command that prints the address it listens on."""

    def __init__(self, *words: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sqljury.cli", *words, "--port", "0"],
            stdout=subprocess.PIPE,
            env={**os.environ, "SQLJURY_SERVE_TOKEN": TOKEN},
            text=True,
        )
        assert self.process.stdout is not None
        self.first = self.process.stdout.readline().strip()
        self.address = self.first.rpartition(" ")[2]
        self.host = self.address.removeprefix("http://").partition("/")[0]

    def ask(
        self, path: str, body: Any = None, *, token: str = TOKEN, raw: bytes | None = None
    ) -> Answer:
        """The answer to a POST of a JSON body, or to a GET without one."""
        connection = http.client.HTTPConnection(self.host, timeout=60)
        sent = raw if body is None else json.dumps(body).encode()
        method = "GET" if sent is None else "POST"
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        with closing(connection):
            connection.request(method, path, sent, headers)
            found = connection.getresponse()
            text = found.read()
            kind = found.headers.get_content_type()
            read = json.loads(text) if kind == "application/json" else text.decode()
            return Answer(found.status, {k.lower(): v for k, v in found.headers.items()}, read)

    def workers(self) -> list[int]:
        """The ids of its worker processes."""
        tasks = Path(f"/proc/{self.process.pid}/task").iterdir()
        return [int(pid) for task in tasks for pid in (task / "children").read_text().split()]

    def end(self, number: signal.Signals = signal.SIGTERM) -> int:
        """End it by a signal, and return its exit code."""
        self.process.send_signal(number)
        code = self.process.wait(60)
        assert self.process.stdout is not None
        self.process.stdout.close()
        return code
