"""`sqljury diff`, and judges by schema alone, as a user types them."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from commands import run

DDL = "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL);"
LONG = "SELECT name FROM boat WHERE length > 9"


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("diff") / "schema.sql"
    path.write_text(DDL)
    return path


def test_differences_in_words(schema: Path) -> None:
    done = run("diff", LONG, "SELECT DISTINCT name FROM boat WHERE length >= 9", "--schema", schema)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "filter compares otherwise: boat.length >= 9, not boat.length > 9\n"
        "- repeated rows: DISTINCT added\n"
    )


def test_equal_queries_and_what_that_assumes(schema: Path) -> None:
    counts = ("SELECT COUNT(*) FROM boat", "SELECT COUNT(DISTINCT id) FROM boat")
    assert run("diff", *counts, "--schema", schema).stdout == "equal, assuming primary key\n"
    written = run("diff", *counts, "--schema", schema, "--as-written").stdout
    assert "COUNT(distinct boat.id)" in written


def test_the_first_few_of_many_differences_and_all_on_demand(schema: Path) -> None:
    other = "SELECT COUNT(*) FROM boat WHERE name <> 'Ark' GROUP BY name ORDER BY length LIMIT 1"
    few = run("diff", LONG, other, "--schema", schema).stdout.splitlines()
    every = run("diff", LONG, other, "--schema", schema, "--all").stdout.splitlines()
    assert len(every) > 4
    assert few == [*every[:4], f"- … and {len(every) - 4} more (--all)"]


def test_queries_of_another_dialect(schema: Path) -> None:
    pair = ("SELECT `name` FROM boat", "SELECT DISTINCT `name` FROM boat", "--schema", schema)
    assert run("diff", *pair, "--dialect", "mysql").stdout == "repeated rows: DISTINCT added\n"
    done = run("diff", *pair, "--dialect", "klingon")
    assert (done.returncode, done.stderr[:12]) == (2, "error: SJ319")


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
