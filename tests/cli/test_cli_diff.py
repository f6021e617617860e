"""`sqljury diff`, and judges by schema alone, as a user types them."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from pathlib import Path

import pytest

DDL = "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL);"
LONG = "SELECT name FROM boat WHERE length > 9"


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("diff") / "schema.sql"
    path.write_text(DDL)
    return path


def run(*arguments: str | Path, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sqljury.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, check=False)


def test_differences_in_words(schema: Path) -> None:
    done = run("diff", LONG, "SELECT DISTINCT name FROM boat WHERE length >= 9", "--schema", schema)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "- filter compares otherwise: boat.length >= 9, not boat.length > 9\n"
        "- distinct added: DISTINCT\n"
    )


def test_equal_queries_and_what_that_assumes(schema: Path) -> None:
    counts = ("SELECT COUNT(*) FROM boat", "SELECT COUNT(DISTINCT id) FROM boat")
    assert run("diff", *counts, "--schema", schema).stdout == "equal, assuming primary key\n"
    written = run("diff", *counts, "--schema", schema, "--as-written").stdout
    assert "COUNT(distinct boat.id)" in written


def test_json(schema: Path) -> None:
    done = run("diff", LONG, LONG.replace("9", "8"), "--schema", schema, "--json")
    found = json.loads(done.stdout)
    assert (found["equal"], found["assumptions"]) == (False, [])
    (only,) = found["differences"]
    assert (only["clause"], only["kind"]) == ("filter", "constant")
    assert (only["reference"], only["prediction"]) == ("boat.length > 9", "boat.length > 8")


def test_what_cannot_be_read_is_an_error(schema: Path) -> None:
    done = run("diff", LONG, "SELECT depth FROM boat", "--schema", schema)
    assert (done.returncode, done.stderr) == (
        2,
        "error: SJ318 the prediction cannot be read: no column depth.\n",
    )
    assert "SJ316" in run("diff", LONG, LONG).stderr


def test_pairs_are_judged_by_a_schema_alone(schema: Path, tmp_path: Path) -> None:
    with (tmp_path / "pairs.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["db_id", "gt", "answer", "new_labels", "type"])
        rows.writerow(["harbour", LONG, "select b.name from boat b where 9 < b.length", 1, "gpt"])
        rows.writerow(["harbour", LONG, "SELECT name FROM boat", 0, "gpt"])
    judges = ("--judge", "relpm", "--judge", "canonical", "--run", "r")
    done = run("evaluate", "pairs.csv", "--schema", schema, *judges, "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    relpm, canonical = json.loads(done.stdout)["judges"]
    assert relpm["outcomes"] == {"correct": 1, "incorrect": 1}
    assert canonical["outcomes"] == {"correct": 1, "unknown": 1}
    agreed = json.loads(run("agree", "r", "--json", cwd=tmp_path).stdout)
    assert [judge["auc"] for judge in agreed["judges"]] == [1.0, None]
    without = run("evaluate", "pairs.csv", "--judge", "relpm", cwd=tmp_path)
    assert (without.returncode, without.stderr[:11]) == (2, "error: SJ41")
