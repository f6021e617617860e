"""`sqljury generate` and `sqljury label`, as a user types them."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

import commands
from sqljury.demo import write_demo

SCRIPT = '''
"""A model that knows two answers to every question about plants, and one that does not run."""

from sqljury.llm import Reply

SAID = (
    "```sql\\nSELECT COUNT(*) FROM plant WHERE family = 'Solanaceae'\\n```",
    "The plants:\\n```sql\\nSELECT latin_name FROM plant WHERE perennial = 'yes'\\n```",
    "```sql\\nSELECT nothing FROM nowhere\\n```",
    "I do not know.",
)


def writes(request):
    assert "CREATE TABLE plant" in request.messages[-1].content
    if request.model.option("seed") == "13":
        raise KeyboardInterrupt
    return Reply(SAID[request.attempt % 4], logprobs=[{"token": "x", "logprob": -0.5}])
'''


@pytest.fixture
def here(tmp_path: Path) -> Path:
    files = write_demo(tmp_path / "demo")
    cases = json.loads(files.cases.read_text())[:2]
    questions = [{k: v for k, v in case.items() if k != "predicted_sql"} for case in cases]
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    (tmp_path / "author.py").write_text(SCRIPT)
    return tmp_path


def run(here: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return commands.run(*arguments, cwd=here)


def generate(here: Path, *further: str) -> subprocess.CompletedProcess[str]:
    return run(
        here,
        *("generate", "questions.json", "-d", "demo/databases", "--out", "pool.jsonl"),
        *("--model", "scripted:author:writes", "-n", "4", *further),
    )


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_sampled_labelled_selected(here: Path) -> None:
    done = generate(here)
    assert done.returncode == 0, done.stderr
    assert "pool.jsonl: 4 candidates for each of 2 questions" in done.stdout
    first = lines(here / "pool.jsonl")[0]
    assert first["gold_sql"] == "SELECT COUNT(*) FROM plant WHERE family = 'Solanaceae'"
    assert first["candidates"][2:] == [  # type: ignore[index]
        {"sql": "SELECT nothing FROM nowhere", "sample": 2, "logprob": -0.5, "tokens": 1},
        {"sql": "", "sample": 3, "logprob": -0.5, "tokens": 1},
    ]
    told = run(
        here,
        *("label", "pool.jsonl", "-d", "demo/databases", "--out", "labelled.jsonl", "--json"),
    )
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    assert found["outcomes"] == {"correct": 2, "incorrect": 2, "prediction_error": 4}
    assert found["balanced"]["size"] == found["unbalanced"]["size"] == 4
    labelled = lines(here / "labelled.jsonl")
    assert [one["correct"] for one in labelled[1]["candidates"]] == [False, True]  # type: ignore[attr-defined]
    assert str(labelled[0]["labelled_by"]).startswith("execution:strict")
    table = run(
        here, "label", "pool.jsonl", "-d", "demo/databases", "--out", "b.jsonl", "--balance"
    )
    assert "2 (50.00 %)" in table.stdout, table.stdout
    chosen = run(
        here,
        *("select", "labelled.jsonl", "-d", "demo/databases", "-s", "oracle", "--label", "correct"),
        "--json",
    )
    assert json.loads(chosen.stdout)["strategies"][0]["accuracy"] == 1.0, chosen.stderr


def test_stopped_and_gone_on(here: Path) -> None:
    assert generate(here).returncode == 0
    whole = (here / "pool.jsonl").read_bytes()
    # As a kill would leave it: the second line cut in its middle.
    (here / "pool.jsonl").write_bytes(whole[: len(whole) - 40])
    done = generate(here)
    assert (done.returncode, (here / "pool.jsonl").read_bytes()) == (0, whole), done.stderr
    assert "1 questions, 1 were there" in done.stdout
    assert "nobody was asked" in done.stderr
    replayed = generate(here, "--replay", "pool.jsonl.ledger.sqlite")
    assert (replayed.returncode, (here / "pool.jsonl").read_bytes()) == (0, whole)


def test_ctrl_c_keeps_what_there_is(here: Path) -> None:
    done = generate(here, "--seed", "13", "--concurrency", "1")
    assert done.returncode == 130
    assert "goes on" in done.stderr


WRONG = {
    "other settings": (("--temperature", "0.1"), "pool.jsonl:1: it was sampled with another temp"),
    "no such style": (("--style", "poem"), "SJ592 style=poem"),
    "no nucleus": (("--top-p", "0"), "SJ592 temperature 0.8 with top-p 0"),
    "not KEY=VALUE": (("--model-option", "x"), "SJ351 model_options=x"),
    "no instructions": (("--prompt", "empty.md"), "SJ103 empty.md"),
    "no such folder": (("-d", "nowhere"), "SJ2"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_cannot_be_done(here: Path, name: str) -> None:
    assert generate(here).returncode == 0
    (here / "empty.md").write_text(" \n")
    before = (here / "pool.jsonl").read_bytes()
    further, said = WRONG[name]
    done = generate(here, *further)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert (here / "pool.jsonl").read_bytes() == before


def test_own_instructions_keep_the_rules_for_data(here: Path) -> None:
    (here / "own.md").write_text("Write SQL.\n")
    assert generate(here, "--prompt", "own.md").returncode == 0
    ledger = here / "asked.jsonl"
    assert run(here, "ledger", "pool.jsonl.ledger.sqlite", "--export", str(ledger)).returncode == 0
    system = lines(ledger)[0]["request"]["messages"][0][1]  # type: ignore[call-overload]
    assert system.startswith("Write SQL.\n")
    assert "fence" in system.lower() or "data" in system.lower()


def test_a_pool_without_labels(here: Path) -> None:
    pool = {"question_id": "1", "db_id": "seed_library", "gold_sql": "SELECT 1"}
    (here / "p.jsonl").write_text(json.dumps({**pool, "candidates": [{"sql": "SELECT x"}]}) + "\n")
    done = run(here, "label", "p.jsonl", "-d", "demo/databases", "--out", "l.jsonl")
    assert done.returncode == 2
    assert "SJ591" in done.stderr
    assert "prediction_error 1" in done.stderr
    assert not (here / "l.jsonl").exists()
