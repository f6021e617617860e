"""From labelled pools to verdicts: `train verifier`, then `evaluate` with what it wrote."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from sqljury.cli.app import app

if not all(map(find_spec, ("torch", "transformers", "peft", "trl", "datasets"))):
    pytest.skip("fine-tuning is not installed", allow_module_level=True)

DDL = "CREATE TABLE songs (name TEXT, price INTEGER);"


def pool(path: Path, questions: int, first: int = 0) -> Path:
    """Each question with a query that is right and one that is wrong; one of them twice."""
    with path.open("w") as file:
        for number in range(first, first + questions):
            right = f"SELECT count(*) FROM songs WHERE price > {number}"
            wrong = f"SELECT count(*) FROM songs WHERE price < {number}"
            candidates = [
                {"sql": right, "label": "correct"},
                {"sql": wrong, "label": "incorrect"},
                {"sql": f"{wrong} -- again", "label": "incorrect"},
            ]
            question = f"How many songs cost more than {number}?"
            line = {"question": question, "db_id": "music", "candidates": candidates}
            file.write(json.dumps({"question_id": number, "gold_sql": right, **line}) + "\n")
    return path


TORCHRUN = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2)
# Without --multi_gpu accelerate starts one process where there is no GPU.
ACCELERATE = ("-m", "accelerate.commands.accelerate_cli", "launch", "--multi_gpu")
ACCELERATE += ("--num_processes", 2, "--main_process_port", 0)
"""Two processes, which speak by gloo."""


def run(
    *arguments: object, code: int = 0, launched: Sequence[object] = ()
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *map(str, [*launched, "-m", "sqljury.cli", *arguments])]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert found.returncode == code, found.stderr
    return found


@pytest.fixture
def base(tmp_path):
    sys.path.insert(0, str(Path(__file__).parents[1] / "learning"))
    try:
        from toy_verifier import write_base
    finally:
        sys.path.pop(0)
    query = ["SELECT", "count(*)", "FROM", "WHERE", "price", ">", "<"]
    words = ["How", "many", "songs", "cost", "more", "than", *query, "Answer:"]
    return write_base(tmp_path / "base", words)


@pytest.mark.slow
def test_train_then_judge(tmp_path, base):
    (tmp_path / "schema.sql").write_text(DDL)
    data = [pool(tmp_path / "a.jsonl", 20), pool(tmp_path / "b.jsonl", 10, first=20)]
    options = ["--base", base, "--data", data[0], "--data", data[1], "--out", tmp_path / "out"]
    options += [
        "--schemas",
        tmp_path / "schema.sql",
        "--set",
        "epochs=1",
        "--set",
        "lora_rank=4",
        "--json",
    ]
    first = run("train", "verifier", *options)
    facts = json.loads(first.stdout)
    assert facts["data"]["left_out"] == {"duplicate": 30}
    assert facts["training"]["examples"] + facts["validation"]["examples"] == 60
    assert facts["training"]["questions"] == 27
    assert "validation log loss" in first.stderr
    svg = (tmp_path / "out" / "reliability.svg").read_text()
    assert svg.startswith("<svg")
    assert "ECE" in svg
    # The same command again reads what is there; without --json it prints a few lines.
    again = run("train", "verifier", *options[:-1])
    assert "validation, 6 candidates of other questions: AUC" in again.stdout

    held = pool(tmp_path / "held.jsonl", 3, first=50)
    judged = run(
        *("evaluate", held, "-j", f"verifier,model={tmp_path / 'out'}", "--json"),
        *("--schemas", tmp_path / "schema.sql", "--run", tmp_path / "run"),
        *("--export", tmp_path / "verdicts.jsonl"),
    )
    (judge,) = json.loads(judged.stdout)["judges"]
    assert "verifier:out/" in judge["signature"]
    rows = [json.loads(line) for line in (tmp_path / "verdicts.jsonl").read_text().splitlines()]
    assert len(rows) == 9
    assert all(0 < row["score"] < 1 for row in rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("launched", "how"),
    [
        (TORCHRUN, ["lora_rank=0"]),
        (ACCELERATE, ["lora_rank=4", "lora_dropout=0", "objective=bce"]),
    ],
)
def test_two_processes_learn_what_one_does(tmp_path, base, launched, how):
    """The batch is that of both together, validation is shared out, and one of them writes."""
    (tmp_path / "schema.sql").write_text(DDL)
    # Of 36 questions 32 are learnt from, in whole batches: of others the last step repeats some.
    options = ["train", "verifier", "--base", base, "--data", pool(tmp_path / "a.jsonl", 36)]
    settings = ["epochs=2", "batch=8", "learning_rate=1e-3", "evaluations=1", *how]
    options += ["--schemas", tmp_path / "schema.sql", "--json"]
    options += [*(word for one in settings for word in ("--set", one)), "--out"]
    both = run(*options, tmp_path / "two", launched=launched)
    one = CliRunner().invoke(app, [*map(str, options), str(tmp_path / "one")])
    assert one.exit_code == 0, one.output
    together, alone = json.loads(both.stdout), json.loads(one.stdout)
    assert both.stderr.count("validation log loss") == 2
    assert both.stderr.count("SJ") == 0
    for found in (alone, together):
        assert found.pop("seconds") > 0
        assert found["validation"].pop("reliability")["before"]["n"] == 8
    assert together.pop("validation") == pytest.approx(alone.pop("validation"), abs=1e-3)
    assert together.pop("temperature") == pytest.approx(alone.pop("temperature"), rel=1e-2)
    assert together == alone
    names = {path.name for path in (tmp_path / "two").iterdir()}
    assert names == {path.name for path in (tmp_path / "one").iterdir()}
    assert "training_args.bin" not in names


def test_what_cannot_be_trained_on(tmp_path):
    (tmp_path / "schema.sql").write_text(DDL)
    plain = tmp_path / "plain.jsonl"
    plain.write_text(
        json.dumps({"question": "q", "db_id": "music", "candidates": [{"sql": "SELECT 1"}]}) + "\n"
    )
    options = ["--base", tmp_path, "--data", plain, "--out", tmp_path / "out"]
    found = run("train", "verifier", *options, "--schemas", tmp_path / "schema.sql", code=2)
    assert "SJ027" in found.stderr
    assert "no label 1" in found.stderr
    assert "SJ413" in run("train", "verifier", *options, "--prompt", "data", code=2).stderr
    assert "SJ304" in run("train", "verifier", *options, "--prompt", "best", code=2).stderr
