"""`sqljury evaluate --system` and `generate --system`, as a user types them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pytest

import commands
from sqljury.demo import write_demo

SYSTEM = """
import os, pathlib, signal

def answer(question, schema, database, sample):
    print("noise on standard output")
    assert schema.startswith("CREATE TABLE") and database.endswith(".sqlite")
    assert "INSERT" not in schema
    with open("log", "a") as log:
        log.write(question + "\\n")
    number = QUESTIONS.index(question)
    if number == 4 and not pathlib.Path("alive").exists():
        pathlib.Path("alive").touch()
        os.kill(os.getpid(), signal.SIGKILL)
    if number == 1:
        raise ValueError("no idea")
    if number == 2:
        return None
    if number == 3 and sample == 1:
        return {"sql": "SELECT nothing"}
    return {"sql": f"So:\\n```sql\\n{GOLD[number]}\\n```", "cost": 0.25, "tokens": 10}
"""
N = 6


def run(here: Path, *arguments: object, **environment: str) -> CompletedProcess[str]:
    return commands.run(*arguments, cwd=here, **environment)


@pytest.fixture
def here(tmp_path: Path) -> Path:
    cases = json.loads(write_demo(tmp_path / "demo").cases.read_text())[:N]
    questions = [{k: v for k, v in case.items() if k != "predicted_sql"} for case in cases]
    (tmp_path / "questions.json").write_text(json.dumps(questions))
    gold = [case["gold_sql"] if "gold_sql" in case else case["query"] for case in cases]
    head = f"QUESTIONS = {[case['question'] for case in cases]!r}\nGOLD = {gold!r}\n"
    (tmp_path / "mine.py").write_text(head + SYSTEM)
    return tmp_path


def evaluate(here: Path, *further: object, system: str = "mine:answer") -> CompletedProcess[str]:
    words = ("evaluate", "questions.json", "-d", "demo/databases", "--system", system)
    return run(here, *words, *further)


def asked(here: Path) -> list[str]:
    return (here / "log").read_text().splitlines()


def test_a_killed_run_resumes_and_replays(here: Path) -> None:
    killed = evaluate(here, "--run", "run", "--concurrency", 1)
    assert killed.returncode == -9
    assert len(asked(here)) == 5

    done = evaluate(here, "--run", "run", "--json", "--export", "run/cases.jsonl")
    assert done.returncode == 0, done.stderr
    assert "the system was asked 3 times" in done.stderr  # the failure, the killed one, the last
    assert "3 answers are from an earlier command (run/ledger.sqlite)" in done.stderr
    assert len(asked(here)) == 8
    found = json.loads(done.stdout)
    assert found["judges"][0]["outcomes"] == {
        "correct": 4,
        "prediction_missing": 1,
        "abstained": 1,
    }
    answers = found["answers"]
    assert answers["seconds_median"] <= answers["seconds_p95"]
    assert {k: v for k, v in answers.items() if "seconds" not in k} == {
        "system": "mine:answer",
        "n": 6,
        "failed": 1,
        "problems": {"ValueError: no idea (mine.py:17)": 1},
        "cost": 1.0,
        "tokens": 40,
    }
    exported = [json.loads(line) for line in (here / "run/cases.jsonl").read_text().splitlines()]
    assert exported[0]["cost"] == 0.25 and exported[0]["seconds"] >= 0
    assert exported[1]["problem"] == "ValueError: no idea (mine.py:17)"

    first = (here / "run/answers.jsonl").read_bytes()
    replayed = evaluate(here, "--run", "again", "--replay", "run/ledger.sqlite", "--json")
    assert replayed.returncode == 0, replayed.stderr
    assert (here / "again/answers.jsonl").read_bytes() == first
    assert len(asked(here)) == 8
    assert json.loads(replayed.stdout)["answers"] == answers
    shown = run(here, "report", "run", "--case", exported[1]["id"])
    assert "The system gave no answer: ValueError: no idea (mine.py:17)." in shown.stdout
    assert "System mine:answer: 1 of 6 failed" in run(here, "report", "run").stdout


def test_changed_code_is_asked_again(here: Path) -> None:
    (here / "alive").touch()
    assert evaluate(here, "--run", "run").returncode == 0
    with (here / "mine.py").open("a") as file:
        file.write("\n# better now\n")
    done = evaluate(here, "--run", "run")
    assert "the system was asked 6 times" in done.stderr
    assert "earlier" not in done.stderr


def test_a_pool_to_select_from(here: Path) -> None:
    (here / "alive").touch()
    done = evaluate(here, "-n", 2, "--run", "run")
    assert done.returncode == 0, done.stderr
    picked = run(
        here,
        *("select", "run/answers.jsonl", "-d", "demo/databases", "--json"),
        *("--strategy", "first", "--strategy", "oracle"),
    )
    assert picked.returncode == 0, picked.stderr
    made = run(
        here,
        *("generate", "questions.json", "-d", "demo/databases", "--system", "mine:answer"),
        *("-n", "2", "--ledger", "run/ledger.sqlite", "--out", "pool.jsonl"),
    )
    assert made.returncode == 0, made.stderr
    assert "pool.jsonl: 2 candidates for each of 6 questions" in made.stdout

    def bare(file: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in (here / file).read_text().splitlines()]

    assert bare("pool.jsonl") == bare("run/answers.jsonl")
    candidates = bare("pool.jsonl")[3]["candidates"]
    assert [one["sql"] for one in candidates][1] == "SELECT nothing"  # type: ignore[attr-defined]


def test_a_command(here: Path) -> None:
    (here / "alive").touch()
    (here / "answer.py").write_text(
        "import sys\nfrom mine import GOLD, QUESTIONS\nprint(GOLD[QUESTIONS.index(sys.argv[1])])\n"
    )
    done = evaluate(here, "--json", system=f"{sys.executable} answer.py {{question}}")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["judges"][0]["outcomes"] == {"correct": 6}


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--system", "mine:nothing"), 2, "SJ917 there is no system 'mine:nothing'"),
        (("--system", "false {question}"), 3, "SJ918 the system failed at every question"),
        (("--system", "http://127.0.0.1:1/"), 3, "SJ909 nobody answers"),
        (("--system", "mine:answer", "-p", "questions.json"), 2, "SJ006 --system goes with none"),
        (("--system", "mine:answer", "--shard", "1/2"), 2, "SJ006 --system goes with none"),
        (("-n", "2"), 2, "SJ006 --answers goes with --system"),
        (("--system-seconds", "2"), 2, "SJ006 --system-seconds goes with --system"),
    ],
)
def test_refused(here: Path, words: tuple[str, ...], code: int, message: str) -> None:
    done = run(here, "evaluate", "questions.json", "-d", "demo/databases", *words)
    assert (done.returncode, message in done.stderr) == (code, True), done.stderr


def test_generate_asks_one_of_both(here: Path) -> None:
    words = ("generate", "questions.json", "-d", "demo/databases", "--out", "pool.jsonl")
    assert (
        "SJ592 no model or system is given. Give --model or --system." in run(here, *words).stderr
    )
    done = run(here, *words, "--system", "mine:answer", "--temperature", "1")
    assert (done.returncode, "SJ006 --temperature does not go" in done.stderr) == (2, True)
