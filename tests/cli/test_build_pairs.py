"""`build pairs`, as a user types it."""

from __future__ import annotations

import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from commands import run
from sqljury.benchmarks import read_cases

BOATS = """
CREATE TABLE harbour (id INTEGER PRIMARY KEY, city TEXT, depth INT);
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, year INT,
  harbour_id INT REFERENCES harbour (id));
INSERT INTO harbour VALUES (1, 'Kiel', 9), (2, 'Porto', 14), (3, 'Bergen', 20);
INSERT INTO boat VALUES (1, 'Ann', 3, 1), (2, 'Bea', 4, 1), (3, 'Ann', 5, 2), (4, 'Cy', 1, 3);
"""
REFERENCES = [
    "SELECT name FROM boat WHERE year > 3",
    "SELECT T1.name FROM boat AS T1 JOIN harbour AS T2 ON T1.harbour_id = T2.id WHERE T2.depth > 10",
    "SELECT COUNT(*) FROM boat",
    "SELECT city FROM harbour WHERE id NOT IN (SELECT harbour_id FROM boat WHERE year = 1)",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("north", "south"):
        (tmp_path / "databases" / name).mkdir(parents=True)
        connection = sqlite3.connect(tmp_path / "databases" / name / f"{name}.sqlite")
        connection.executescript(BOATS)
        connection.close()
    lines = [f"{sql}\t{name}" for name in ("north", "south") for sql in REFERENCES]
    (tmp_path / "gold.sql").write_text("\n".join(lines) + "\n")
    return tmp_path


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.slow
def test_pairs_are_built_read_and_built_again(folder: Path) -> None:
    (folder / "held_out.sql").write_text("select COUNT(*) from boat\tnorth\n")
    out = folder / "pairs"
    build = ("build", "pairs", folder / "gold.sql", "-d", folder / "databases", "-o", out,
             "--most", "30", "-x", folder / "held_out.sql")  # fmt: skip
    done = run(*build, "--json")
    assert done.returncode == 0, done.stderr
    card = json.loads(done.stdout)
    assert card == json.loads((out / "card.json").read_text())
    assert (card["references"], card["excluded"]) == (8, 2), "by its text, on both databases"
    pairs = lines_of(out / "pairs.jsonl")
    assert len(pairs) == sum(part["pairs"] for part in card["splits"].values()) > 10
    assert 2 * sum(pair["label"] for pair in pairs) == len(pairs)
    split_of = {(pair["db_id"], pair["split"]) for pair in pairs}
    assert split_of == {("north", "train"), ("south", "validation")} or split_of == {
        ("south", "train"),
        ("north", "validation"),
    }
    assert not any(pair["prediction"].lower() == "count(*) from boat" for pair in pairs)
    cases = list(read_cases(out / "pairs.jsonl"))
    assert [case.label for case in cases] == [bool(pair["label"]) for pair in pairs]
    before = (out / "pairs.jsonl").read_bytes()
    again = run(*build, "--workers", "2")
    assert again.returncode == 0, again.stderr
    assert (out / "pairs.jsonl").read_bytes() == before
    assert "| split | pairs | equivalent | databases |" in again.stdout


@pytest.mark.slow
def test_a_stopped_build_goes_on(folder: Path) -> None:
    build = ("build", "pairs", folder / "gold.sql", "-d", folder / "databases", "--most", "20")
    command = [sys.executable, "-m", "sqljury.cli", *map(str, build), "-o", str(folder / "stopped")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("labelling"):
                process.send_signal(signal.SIGINT)
                break
        rest = process.stderr.read()
    assert (process.returncode, "goes on" in rest) == (130, True), rest
    assert not (folder / "stopped" / "pairs.jsonl").exists()
    for out in ("stopped", "whole"):
        done = run(*build, "-o", folder / out)
        assert done.returncode == 0, done.stderr
    found = [(folder / out / "pairs.jsonl").read_bytes() for out in ("stopped", "whole")]
    assert found[0] == found[1]


@pytest.mark.slow
def test_own_pairs_are_labelled_and_what_is_open_is_decided_by_people(folder: Path) -> None:
    own = [
        ("SELECT COUNT(*) FROM boat", "SELECT COUNT(id) FROM boat"),
        ("SELECT COUNT(*) FROM boat", "SELECT COUNT(*) FROM harbour"),
        ("SELECT name FROM boat", "SELECT nothing FROM boat"),
    ]
    lines = [
        {"id": n, "db_id": "north", "reference": a, "prediction": b} for n, (a, b) in enumerate(own)
    ]
    (folder / "own.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = folder / "labelled"
    build = ("build", "pairs", folder / "own.jsonl", "-d", folder / "databases", "-o", out)
    done = run(*build)
    assert done.returncode == 0, done.stderr
    found = {
        pair["prediction"]: (pair["label"], pair["how"]) for pair in lines_of(out / "pairs.jsonl")
    }
    assert found == {own[0][1]: (1, "identity"), own[1][1]: (0, "rows")}
    (queue,) = lines_of(out / "review.jsonl")
    assert (queue["label"], queue["how"]) == (None, "prediction_error")
    (folder / "decided.jsonl").write_text(json.dumps(queue | {"label": 0}) + "\n")
    done = run(*build, "--reviewed", folder / "decided.jsonl")
    assert done.returncode == 0, done.stderr
    found = {
        pair["prediction"]: (pair["label"], pair["how"]) for pair in lines_of(out / "pairs.jsonl")
    }
    assert found[own[2][1]] == (0, "people")
    assert lines_of(out / "review.jsonl") == []


@pytest.mark.slow
def test_a_second_opinion_that_differs_is_left_to_people(folder: Path) -> None:
    lines = [
        {"id": 1, "db_id": "north", "reference": "SELECT 1", "prediction": "SELECT 1.0"},
        {"id": 2, "db_id": "north", "reference": "SELECT 1", "prediction": "SELECT 2"},
    ]
    (folder / "own.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    out = folder / "labelled"
    build = ("build", "pairs", folder / "own.jsonl", "-d", folder / "databases", "-o", out)
    done = run(*build, "--second", "exact_match")
    assert done.returncode == 0, done.stderr
    assert [pair["prediction"] for pair in lines_of(out / "pairs.jsonl")] == ["SELECT 2"]
    (queue,) = lines_of(out / "review.jsonl")
    assert queue["prediction"] == "SELECT 1.0"
    assert queue["how"].startswith("disagreement: ")


@pytest.mark.slow
def test_errors_say_what_is_wrong(folder: Path) -> None:
    databases = folder / "databases"
    (folder / "questions.json").write_text('[{"question": "Q?", "db_id": "north"}]')
    (folder / "wrong.sql").write_text("SELECT nothing FROM boat\tnorth\n")
    (folder / "nowhere.sql").write_text("SELECT 1\tnowhere\n")
    codes = {"questions.json": "SJ104", "wrong.sql": "SJ580", "nowhere.sql": "SJ580"}
    for name, code in codes.items():
        done = run("build", "pairs", folder / name, "-d", databases, "-o", folder / "out")
        assert done.returncode == 2, done
        assert code in done.stderr
        assert "Traceback" not in done.stderr
    (folder / "queue.jsonl").write_text(
        '{"id": "1", "db_id": "north", "label": 1, "reference": "x"}\n'
    )
    done = run("build", "pairs", folder / "gold.sql", "-d", databases, "-o", folder / "other",
               "--reviewed", folder / "queue.jsonl")  # fmt: skip
    assert (done.returncode, "SJ581" in done.stderr) == (2, True), done.stderr
