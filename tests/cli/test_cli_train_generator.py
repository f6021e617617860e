"""`train generator` as a user types it: trained, gone on with, and asked for queries."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

if not all(map(find_spec, ("torch", "transformers", "peft", "trl", "datasets", "accelerate"))):
    pytest.skip("fine-tuning is not installed", allow_module_level=True)

from commands import run
from sqljury.cli.app import app
from sqljury.errors import InputError

DDL = "CREATE TABLE songs (name TEXT, price INTEGER);"


def questions(path: Path, many: int) -> Path:
    lines: list[dict[str, Any]] = [
        {
            "question_id": number,
            "db_id": "music",
            "question": f"Which songs cost less than {number % 10}?",
            "gold_sql": f"SELECT name FROM songs WHERE price <= {number % 10} AND name <> 'a{number}'",
        }
        for number in range(many)
    ]
    lines.append({"question_id": many, "db_id": "music", "question": "Rain?", "answerable": False})
    path.write_text("\n".join(map(json.dumps, lines)))
    return path


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("music")
    from tiny_models import write_tiny_model

    write_tiny_model(folder / "base", "t5")
    (folder / "schema.sql").write_text(DDL)
    questions(folder / "train.jsonl", 40)
    return folder


COMMAND = [
    *("train", "generator", "--base", "base", "--data", "train.jsonl", "--schemas", "schema.sql"),
    *("--set", "batch=8", "--set", "learning_rate=0.01", "--set", "epochs=3"),
]


@pytest.mark.slow
def test_it_learns_and_writes(here: Path) -> None:
    done = run(*COMMAND, "--json", "--out", "t5", cwd=here)
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["data"]["without_reference"] == 1
    assert facts["training"]["examples"] + facts["validation"]["examples"] == 40
    losses = [float(line.rpartition(" ")[2]) for line in done.stderr.splitlines() if "loss" in line]
    assert losses[-1] < losses[0]
    names = {path.name for path in (here / "t5").iterdir()}
    assert {"generator.json", "model.safetensors", "tokenizer.json"} <= names
    assert not names & {"checkpoints", "training_args.bin"}
    # Complete: the same command reads what is there; another training is refused.
    again = run(*COMMAND, "--json", "--out", "t5", cwd=here)
    assert json.loads(again.stdout) == facts
    other = run(*COMMAND, "--seed", "1", "--out", "t5", cwd=here)
    assert (other.returncode, "SJ026" in other.stderr) == (2, True)
    sampled = run(
        *("generate", "train.jsonl", "--model", "local:t5", "--style", "serialized", "-n", 1),
        *("--schemas", "schema.sql", "--temperature", 0, "--max-tokens", 8, "--out", "pool.jsonl"),
        cwd=here,
    )
    assert sampled.returncode == 0, sampled.stderr
    assert len((here / "pool.jsonl").read_text().splitlines()) == 41


@pytest.mark.slow
def test_interrupted_it_comes_to_the_same(here: Path) -> None:
    command = [*COMMAND, "--set", "epochs=6", "--set", "patience=99", "--json"]
    whole = json.loads(run(*command, "--out", "whole", cwd=here).stdout)
    process = subprocess.Popen(
        [sys.executable, "-m", "sqljury.cli", *command, "--out", "cut"],
        cwd=here,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=dict(os.environ),
    )
    deadline = time.monotonic() + 300
    while not list((here / "cut").glob("checkpoints/*/checkpoint-*/trainer_state.json")):
        assert process.poll() is None and time.monotonic() < deadline
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (here / "cut" / "generator.json").exists()
    rest = json.loads(run(*command, "--out", "cut", cwd=here).stdout)
    for found in (whole, rest):
        assert found.pop("seconds") > 0
    assert rest == whole
    weights = [(here / name / "model.safetensors").read_bytes() for name in ("whole", "cut")]
    assert weights[0] == weights[1]


@pytest.mark.slow
def test_an_operator_without_a_token_gets_one(tmp_path: Path) -> None:
    """T5's own tokenizer knows no ``<``."""
    from tiny_models import write_tiny_model
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    write_tiny_model(tmp_path / "base", "t5")
    letters = ["<pad>", "</s>", "<unk>", "▁"]
    letters += [chr(code) for code in range(33, 127) if chr(code) != "<"]
    unigram = models.Unigram([(one, -1.0) for one in letters], unk_id=2, byte_fallback=False)
    tokenizer = Tokenizer(unigram)
    tokenizer.normalizer = normalizers.Replace(Regex(" +"), " ")
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.decoder = decoders.Metaspace()
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, pad_token="<pad>", eos_token="</s>", unk_token="<unk>"
    ).save_pretrained(tmp_path / "base")
    (tmp_path / "schema.sql").write_text(DDL)
    questions(tmp_path / "train.jsonl", 20)
    done = run(*COMMAND, "--set", "epochs=1", "--json", "--out", "t5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["tokens_added"] == ["<", "<=", "<>"]
    from transformers import AutoTokenizer

    found = AutoTokenizer.from_pretrained(tmp_path / "t5")
    sql = "SELECT a FROM t WHERE b <= 1 AND c <> 2 AND d < 3"
    assert found.decode(found(sql).input_ids, skip_special_tokens=True).split() == sql.split()


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("--data few.jsonl --base base --schemas schema.sql", "SJ027"),
        ("--data train.jsonl --base nowhere --schemas schema.sql", "SJ022"),
        ("--data train.jsonl --base base --schemas schema.sql --set validation=2", "SJ034"),
        ("--data train.jsonl --base base", "SJ320"),
    ],
)
def test_what_cannot_be(here: Path, monkeypatch: pytest.MonkeyPatch, words: str, code: str) -> None:
    few = (here / "train.jsonl").read_text().splitlines()[:5]
    (here / "few.jsonl").write_text("\n".join(few))
    monkeypatch.chdir(here)
    # In this process, which has imported torch: a command of its own takes ten seconds for that.
    done = CliRunner().invoke(app, ["train", "generator", *words.split(), "--out", "no"])
    assert isinstance(done.exception, InputError)
    assert (done.exception.exit_code, done.exception.code) == (2, code)
