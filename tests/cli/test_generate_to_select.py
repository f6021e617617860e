"""From questions to picks, as a user types it: generate, label, train verifier, select."""

from __future__ import annotations

import json
import sqlite3
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import commands

if not all(map(find_spec, ("torch", "transformers", "peft", "trl", "datasets"))):
    pytest.skip("fine-tuning is not installed", allow_module_level=True)

GENERATOR = """
import re

from sqljury.llm import Reply

# Wrong first, and right as often as wrong: neither the first candidate nor a vote is good.
SAID = ("price < {}", "price > {}", "price < {} LIMIT 99", "price > {} LIMIT 99")


def writes(request):
    number = re.findall("more than ([0-9]+)", request.messages[-1].content)[-1]
    condition = SAID[request.attempt % 4].format(number)
    return Reply(f"```sql\\nSELECT name FROM songs WHERE {condition}\\n```")
"""


def run(here: Path, *arguments: object) -> str:
    found = commands.run(*arguments, cwd=here)
    assert found.returncode == 0, found.stderr
    return found.stdout


def write_questions(path: Path, numbers: range) -> None:
    with path.open("w") as file:
        for number in numbers:
            line = {
                "question_id": number,
                "db_id": "music",
                "question": f"Which songs cost more than {number}?",
                "gold_sql": f"SELECT name FROM songs WHERE price > {number}",
            }
            file.write(json.dumps(line) + "\n")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    database = tmp_path / "databases" / "music" / "music.sqlite"
    database.parent.mkdir(parents=True)
    with sqlite3.connect(database) as connection:
        connection.execute("CREATE TABLE songs (name TEXT, price INTEGER)")
        rows = [(f"song {price}", price) for price in range(80)]
        connection.executemany("INSERT INTO songs VALUES (?, ?)", rows)
    connection.close()
    (tmp_path / "generator.py").write_text(GENERATOR)
    write_questions(tmp_path / "training.jsonl", range(1, 41))
    write_questions(tmp_path / "held.jsonl", range(41, 61))
    sys.path.insert(0, str(Path(__file__).parents[1] / "learning"))
    try:
        from toy_verifier import write_base
    finally:
        sys.path.pop(0)
    words = "Which songs cost more than Predicted SQL SELECT name FROM songs WHERE price > < LIMIT"
    write_base(tmp_path / "base", sorted({*words.split(), "Answer:"}), width=32)
    return tmp_path


@pytest.mark.slow
def test_from_questions_to_picks(here: Path) -> None:
    for part in ("training", "held"):
        sampling = ("--model", "scripted:generator:writes", "-n", 4, "-d", "databases")
        run(here, "generate", f"{part}.jsonl", *sampling, "--out", f"{part}-pool.jsonl")
    told = run(
        here, "label", "training-pool.jsonl", "-d", "databases", "-o", "labelled.jsonl", "--json"
    )
    assert json.loads(told)["outcomes"] == {"correct": 80, "incorrect": 80}

    data = ("--base", "base", "--data", "labelled.jsonl", "-d", "databases", "--out", "out")
    steps = ("--set", "lora_rank=0", "--set", "epochs=8", "--set", "learning_rate=0.003")
    facts = json.loads(run(here, "train", "verifier", *data, *steps, "--json"))
    assert facts["validation"]["auc"] >= 0.9

    strategies = ("first", "majority", "judge:verifier,model=out", "oracle")
    asked = [word for name in strategies for word in ("-s", name)]
    chosen = json.loads(
        run(here, "select", "held-pool.jsonl", "-d", "databases", *asked, "--json", "-w", 1)
    )
    accuracy = {one["name"]: one["accuracy"] for one in chosen["strategies"]}
    assert accuracy["first"] == 0
    assert accuracy["majority"] == 0.5
    assert accuracy["judge:verifier,model=out"] >= 0.9
    assert accuracy["oracle"] == 1
