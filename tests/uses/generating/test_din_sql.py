"""DIN-SQL as a user types it, against a server that answers by what it is asked."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from chat_server import Body, ChatServer, Handler, completion, serving

import commands
from sqljury.uses.generating.modes import CLASSES, GENERIC, GENTLE, LINKING, WRITING

STAGES = {
    prompt.text: name
    for name, prompt in {
        "links": LINKING,
        "class": CLASSES,
        "gentle": GENTLE,
        "generic": GENERIC,
        **WRITING,
    }.items()
}
CLASS_OF = {
    "How many songs?": "EASY",
    "Whose song is best?": "NON-NESTED",
    "Who has none?": "NESTED",
}


def answers(handler: Handler, body: Body) -> None:
    """The links, the class of the question, a query that names the prompt, and it corrected."""
    system, asked = (one["content"] for one in body["messages"])
    stage = STAGES[system]
    (question,) = (one for one in CLASS_OF if f"\n{one}\n" in asked)
    said = {"links": "Links: songs.name", "class": f"Which?\nClass: {CLASS_OF[question]}"}
    if stage in ("gentle", "generic"):
        assert "# SQL query" in asked
        said[stage] = (
            "It is right." if question == "Who has none?" else f"```sql\nSELECT '{stage}'\n```"
        )
    if stage in WRITING:
        assert "Links: songs.name" in asked
        assert ("# Sub-questions" in asked) is (stage == "nested")
    text = said.get(stage, f"Sketch: name\n```sql\nSELECT '{stage}'\n```")
    raw = json.dumps(completion(text)).encode()
    handler.send(200, raw)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "databases" / "music").mkdir(parents=True)
    with sqlite3.connect(tmp_path / "databases/music/music.sqlite") as connection:
        connection.execute("CREATE TABLE songs (name TEXT, price INTEGER)")
    connection.close()
    questions = [
        {"question_id": number, "db_id": "music", "question": question}
        for number, question in enumerate(CLASS_OF)
    ]
    (tmp_path / "questions.jsonl").write_text("\n".join(map(json.dumps, questions)))
    return tmp_path


def generate(here: Path, server: ChatServer, *more: object, code: int = 0) -> CompletedProcess[str]:
    model = ("--model", "vllm:m", "--model-option", f"base_url={server.url}", "-n", 1)
    command = ("questions.jsonl", *model, "--temperature", 0, "-d", "databases")
    done = commands.run("generate", *command, *more, cwd=here)
    assert done.returncode == code, done.stderr
    return done


def written(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(("mode", "last"), [("din_sql", "gentle"), ("din_sql_generic", "generic")])
def test_four_calls_a_query(here: Path, mode: str, last: str) -> None:
    with serving(answers) as server:
        said = generate(here, server, "--mode", mode, "--out", "pool.jsonl")
        assert "paid for 12 calls" in said.stderr
        asked = [STAGES[one["messages"][0]["content"]] for one in server.requests]
        for kind in WRITING:
            assert asked.count(kind) == 1
        assert (asked.count("links"), asked.count("class"), asked.count(last)) == (3, 3, 3)
        # What the correction gives counts; where it holds no query, the one before it stands.
        pools = written(here / "pool.jsonl")
        assert [line["candidates"][0]["sql"] for line in pools] == [
            f"SELECT '{last}'",
            f"SELECT '{last}'",
            "SELECT 'nested'",
        ]
        # Recorded calls are not paid again.
        (here / "pool.jsonl").rename(here / "first.jsonl")
        replay = ("--replay", "pool.jsonl.ledger.sqlite")
        generate(here, server, "--mode", mode, *replay, "--out", "pool.jsonl")
        assert len(server.requests) == 12
        assert written(here / "pool.jsonl") == pools


def test_what_does_not_go_with_it(here: Path) -> None:
    with serving(answers) as server:
        for more in (("--per-call", 2), ("--style", "serialized")):
            done = generate(here, server, "--mode", "din_sql", *more, "--out", "no.jsonl", code=2)
            assert "SJ592" in done.stderr
