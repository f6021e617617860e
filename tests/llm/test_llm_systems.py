"""Systems under test: what they return, and what they do wrong."""

from __future__ import annotations

import os
import shlex
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from sqljury.errors import InputError
from sqljury.llm.limits import CallFailedError
from sqljury.llm.systems import KEY, MAX_BYTES, SystemFailedError, parse_system, read_answer

QUESTION = {
    "question": "What's 5 \" $(touch hacked) {schema} ; rm?",
    "schema": "CREATE TABLE t (\n  a INT\n)",
    "hint": None,
    "db_id": "d",
    "database": None,
    "sample": 0,
}


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        ("SELECT 1", {"text": "SELECT 1"}),
        ("", {"text": ""}),
        (None, {"abstained": True}),
        ({"sql": None}, {"abstained": True}),
        ({"abstained": True, "sql": "SELECT 1"}, {"abstained": True}),
        ({"text": "It is `SELECT 1`", "cost": 0.5}, {"text": "It is `SELECT 1`", "cost": 0.5}),
        (SimpleNamespace(sql="SELECT 1", tokens=3), {"text": "SELECT 1", "tokens": 3}),
        ({"sql": "SELECT 1", "cost": None}, {"text": "SELECT 1"}),
    ],
)
def test_answers(found: object, expected: dict[str, object]) -> None:
    assert read_answer(found) == expected


@pytest.mark.parametrize(
    ("found", "why"),
    [
        ({"query": "SELECT 1"}, 'no "sql" (keys: query)'),
        ({}, 'no "sql"'),
        (7, 'neither a text nor an object with "sql" but int'),
        ({"sql": ["SELECT 1"]}, "'sql' is no text but list"),
        ({"sql": "SELECT 1", "cost": float("nan")}, "'cost' is 'nan'"),
        ({"sql": "SELECT 1", "cost": -1}, "'cost' is '-1'"),
        ({"sql": "SELECT 1", "tokens": True}, "'tokens' is 'True'"),
        ("x" * 2_000_000, "more than 1,048,576 characters"),
    ],
)
def test_answers_that_cannot_be_read(found: object, why: str) -> None:
    with pytest.raises(SystemFailedError) as raised:
        read_answer(found)
    assert why in str(raised.value)


# ---------------------------------------------------------------- commands


def python(code: str, *arguments: str) -> str:
    return shlex.join([sys.executable, "-c", code, *arguments])


def test_a_command_gets_its_words_without_a_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "import sys, json; given = json.load(sys.stdin); print(json.dumps({'sql': sys.argv[1:], 'given': given}))"
    command = parse_system(python(code, "{question}", "--hint={hint}", "{schema}"))
    found = command.ask(QUESTION, 30)
    assert found == {
        "sql": [QUESTION["question"], "--hint=", QUESTION["schema"]],
        "given": QUESTION,
    }
    assert not (tmp_path / "hacked").exists()


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("print('SELECT 1')", "SELECT 1\n"),
        ("print('{\"sql\": ')", '{"sql": \n'),  # broken JSON is a text
        ("print('null')", None),
        ("print('{\"a\":' * 200_000)", '{"a":' * 200_000 + "\n"),
        ("import sys; sys.stdout.buffer.write(b'\\xff')", "\ufffd"),
        ("", ""),
    ],
)
def test_what_a_command_prints(code: str, found: object) -> None:
    assert parse_system(python(code)).ask(QUESTION, 30) == found


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import sys; print('a\\nno key', file=sys.stderr); sys.exit(4)", "exit status 4: no key"),
        ("import os; os.kill(os.getpid(), 9)", "exit status -9"),
        (
            "import os\nwhile True: os.write(1, b'x' * 65536)",
            f"larger than {MAX_BYTES} bytes",
        ),
        (
            "import os\nwhile True: os.write(2, b'x' * 65536)",
            "no answer within 0.5 s",
        ),
        (  # its own processes are ended with it
            "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])",
            "no answer within 0.5 s",
        ),
    ],
)
def test_commands_that_fail(code: str, why: str) -> None:
    with pytest.raises(SystemFailedError) as raised:
        command = parse_system(python(code))
        found = command.ask(QUESTION, 30 if "status" in why or "larger" in why else 0.5)
        read_answer(found)
    assert why in str(raised.value)


def test_a_misspelt_place_in_a_command_is_named() -> None:
    with pytest.raises(InputError, match=r"\{qestion\}, which is not replaced"):
        parse_system("echo {qestion}")
    assert parse_system("awk {print} {question}")


@pytest.mark.parametrize(
    "text",
    [
        "sh -c 'answer {question}'",
        "bash -lc 'answer {hint}'",
        "python3 -c 'print(\"{question}\")'",
        "perl -e 'print q({db_id})'",
    ],
)
def test_a_question_is_no_code(text: str) -> None:
    with pytest.raises(InputError, match="would run words of the question as code"):
        parse_system(text)


def test_a_question_is_no_option() -> None:
    hostile = {**QUESTION, "question": "--output=stolen"}
    with pytest.raises(SystemFailedError, match="read as an option: write -- before"):
        parse_system("sh -c 'echo \"$1\"' sh {question}").ask(hostile, 30)
    found = parse_system("sh -c 'echo \"$2\"' sh -- {question}").ask(hostile, 30)
    assert found == "--output=stolen\n"


def test_a_question_that_no_argument_can_hold() -> None:
    with pytest.raises(SystemFailedError, match="cannot be started"):
        parse_system(python("", "{question}")).ask({**QUESTION, "question": "a\0b"}, 30)


# ---------------------------------------------------------------- functions


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    name = f"system_{tmp_path.name.replace('-', '_')}"
    (tmp_path / f"{name}.py").write_text(
        """
import sys, time

def only_question(question): return question
def everything(**given): return {"sql": str(sorted(given))}
def raises(question): raise ValueError("no key")
def exits(question): sys.exit(3)
def hangs(question): time.sleep(60)
def of_c(question): return 1 / 0
async def later(question, schema): return schema
async def never(question):
    import asyncio
    await asyncio.sleep(60)
class Agent:
    def answer(self, question): return "SELECT 2"
agent = Agent()
def nothing(): pass
number = 7
"""
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield name
    parse_system.cache_clear()


@pytest.mark.parametrize(
    ("function", "found"),
    [
        ("only_question", QUESTION["question"]),
        ("everything", {"sql": str(sorted(QUESTION))}),
        ("later", QUESTION["schema"]),
        ("agent.answer", "SELECT 2"),
    ],
)
def test_functions(module: str, function: str, found: object) -> None:
    system = parse_system(f"{module}:{function}")
    assert system.ask(QUESTION, 30) == found
    assert len(system.code) == 8


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("raises", "ValueError: no key (system_"),
        ("exits", "SystemExit: 3"),
        ("hangs", "no answer within 0.2 s"),
        ("never", "no answer within 0.2 s"),
    ],
)
def test_functions_that_fail(module: str, function: str, why: str) -> None:
    with pytest.raises(SystemFailedError) as raised:
        parse_system(f"{module}:{function}").ask(QUESTION, 0.2)
    assert why in str(raised.value)


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("{}:nowhere", "has no attribute 'nowhere'"),
        ("{}:nothing", "takes no question"),
        ("{}:number", "cannot be called"),
        ("no_such_module:answer", "No module named"),
        ("no-such-command {{question}}", "there is no command 'no-such-command'"),
        ("'unclosed", "No closing quotation"),
        ("", "there is no command ''"),
        ("http://user:password@host/", "holds a password"),
    ],
)
def test_systems_that_are_none(module: str, spec: str, why: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_system(spec.format(module))
    assert raised.value.code == "SJ917"
    assert why in str(raised.value)


def test_the_code_of_a_command_is_its_files(tmp_path: Path) -> None:
    script = tmp_path / "answer.py"
    codes = set()
    for text in ("print(1)", "print(2)", "print(1)"):
        script.write_text(text)
        parse_system.cache_clear()
        codes.add(parse_system(f"{sys.executable} {script}").code)
    assert len(codes) == 2


# ---------------------------------------------------------------- endpoints

Reply = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def endpoint(reply: Reply) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            reply(self)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/answer"
        server.shutdown()


def status(code: int, body: bytes = b"", **headers: str) -> Reply:
    def reply(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)

    return reply


def endless(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    try:
        while True:
            handler.wfile.write(b" " * 65536)
    except OSError:
        pass


def silent(handler: BaseHTTPRequestHandler) -> None:
    threading.Event().wait(20)


def test_an_endpoint_gets_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "open-sesame")
    got = []

    def reply(handler: BaseHTTPRequestHandler) -> None:
        got.append(handler.headers["authorization"])
        status(200, b'{"sql": "SELECT 1"}')(handler)

    with endpoint(reply) as url:
        assert parse_system(url).ask(QUESTION, 30) == {"sql": "SELECT 1"}
    assert got == ["Bearer open-sesame"]


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (status(400, b"too odd"), "HTTP 400: too odd"),
        (endless, "larger than"),
        (silent, "no answer within 0.5 s"),
    ],
)
def test_endpoints_that_fail_at_a_question(reply: Reply, why: str) -> None:
    with endpoint(reply) as url, pytest.raises(SystemFailedError) as raised:
        read_answer(parse_system(url).ask(QUESTION, 0.5 if reply is silent else 30))
    assert why in str(raised.value)


@pytest.mark.parametrize(
    ("reply", "again", "fatal"),
    [
        (status(429, Retry_After="7"), True, False),
        (status(503), True, False),
        (status(401), False, True),
        (status(302, Location="http://127.0.0.1:1/elsewhere"), False, True),
        (lambda handler: handler.connection.close(), True, False),
    ],
)
def test_endpoints_that_cannot_be_used_now(reply: Reply, again: bool, fatal: bool) -> None:
    with endpoint(reply) as url, pytest.raises(CallFailedError) as raised:
        parse_system(url).ask(QUESTION, 30)
    assert (raised.value.again, raised.value.is_fatal) == (again, fatal)
    if raised.value.message.startswith("HTTP 429"):
        assert raised.value.wait == 7


def test_nobody_listens() -> None:
    with pytest.raises(CallFailedError) as raised:
        parse_system("http://127.0.0.1:1/answer").ask(QUESTION, 30)
    assert raised.value.absent
    assert os.environ.get(KEY) is None
