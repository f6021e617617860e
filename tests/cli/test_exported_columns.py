"""What goes out beside the verdicts, and scores by a column of one's own, as a user types it."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

import sqljury
from commands import run

CASES = [
    {"id": "1", "query": "SELECT 1", "pred": "SELECT 1", "team": "red", "size": 7},
    {"id": "2", "query": "SELECT 1", "pred": "SELECT nope", "team": "blue", "size": 7},
    {"id": "3", "query": "SELECT 1", "pred": "SELECT 2", "team": "blue", "score": "mine"},
    {"id": "4", "query": "SELECT 1", "team": "blue"},
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shop")
    with sqlite3.connect(folder / "shop.sqlite") as database:
        database.execute("CREATE TABLE a (x)")
    rows = [{"db_id": "shop", "question": f"{one['id']}?", **one} for one in CASES]
    (folder / "dev.json").write_text(json.dumps(rows))
    files = [f"--{name}={name}.{end}" for name, end in (("csv", "csv"), ("export", "jsonl"))]
    done = run("evaluate", "dev.json", "-d", ".", "--run", "run", *files, cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder


def expect(rows: list[dict[str, Any]]) -> None:
    assert [row["question"] for row in rows] == ["1?", "2?", "3?", "4?"]
    assert [row["predicted_sql"] or None for row in rows] == [
        *("SELECT 1", "SELECT nope", "SELECT 2"),
        None,
    ]
    assert [row["team"] for row in rows] == ["red", "blue", "blue", "blue"]
    assert rows[2]["input_score"] == "mine"
    causes = [row["cause"] or None for row in rows]
    assert causes == [None, "no such column", "other values", "no prediction"]


def test_the_csv_has_queries_cause_and_own_columns(folder: Path) -> None:
    with (folder / "csv.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    expect(rows)
    assert rows[0]["reference_sqls"] == '["SELECT 1"]'
    assert (rows[0]["size"], rows[2]["size"]) == ("7", "")


def test_the_json_lines_have_them(folder: Path) -> None:
    rows = [json.loads(line) for line in (folder / "export.jsonl").read_text().splitlines()]
    assert "predicted_sql" not in rows[3]
    expect([{"predicted_sql": None, "input_score": None, **row} for row in rows])
    assert rows[0]["reference_sqls"] == ["SELECT 1"]
    assert rows[0]["size"] == 7


def test_the_parquet_file_has_them(folder: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    run("report", "run", "--export", "e.parquet", cwd=folder)
    rows = parquet.read_table(folder / "e.parquet").to_pylist()
    expect(rows)
    assert [row["size"] for row in rows] == ["7", "7", None, None]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_the_frame_has_them(folder: Path, library: str) -> None:
    pytest.importorskip(library)
    with sqljury.load_run(folder / "run") as found:
        frame = found.to_frame(library)
    rows = frame.to_dicts() if library == "polars" else frame.to_dict("records")
    # A cell of pandas without a value is NaN.
    rows = [{k: v if v == v else None for k, v in row.items()} for row in rows]
    expect(rows)


def test_an_export_is_read_as_cases_again(folder: Path) -> None:
    done = run("evaluate", "export.jsonl", "-d", ".", "--json", cwd=folder)
    outcomes = json.loads(done.stdout)["judges"][0]["outcomes"]
    before = json.loads(run("report", "run", "--json", cwd=folder).stdout)
    assert outcomes == before["judges"][0]["outcomes"]


@pytest.mark.parametrize(
    "words", [("evaluate", "dev.json", "-d", ".", "--run", "run"), ("report", "run")]
)
def test_scores_by_a_column_of_ones_own(folder: Path, words: tuple[str, ...]) -> None:
    done = run(*words, "--by", "team", "--by", "size", "--json", cwd=folder)
    slices = json.loads(done.stdout)["judges"][0]["slices"]
    found = {(one["dimension"], one["value"]): (one["n"], one["score"]) for one in slices}
    assert found["team", "red"] == (1, 1.0)
    assert found["team", "blue"] == (3, 0.0)
    assert found["size", "7"] == (2, 0.5)
    assert "Score by team" in run(*words, "--by", "team", cwd=folder).stdout
    assert run(*words, "--by", "team", "--html", "by.html", cwd=folder).returncode == 0
    assert ">team<" in (folder / "by.html").read_text()


def test_a_column_that_is_not_there_is_named_with_those_that_are(folder: Path) -> None:
    done = run("report", "run", "--by", "teem", cwd=folder)
    assert done.returncode == 2
    assert "SJ509 no case has a column 'teem'" in done.stderr
    assert "team, size" in done.stderr


def test_a_case_failures_and_comparisons_in_python(folder: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    better = [{"db_id": "shop", "question": f"{one['id']}?", **one} for one in CASES]
    better[2] |= {"pred": "SELECT 1"}
    (tmp_path / "dev.json").write_text(json.dumps(better))
    with (
        sqljury.load_run(folder / "run") as first,
        sqljury.evaluate(tmp_path / "dev.json", databases=folder) as second,
    ):
        assert [record.verdict.outcome for record in first["3"]] == ["incorrect"]
        assert first["dev/3"] == first["3"]
        with pytest.raises(KeyError):
            first["none"]
        failures = first.failures().to_frame("pandas")
        compared = first.compare(second).to_frame("pandas")
    assert isinstance(failures, pandas.DataFrame)
    assert sorted(failures["id"]) == ["2", "3", "4"]
    assert list(compared["id"]) == ["3"]
    assert list(compared["change"]) == ["newly_right"]


def test_what_to_do_next_names_a_program_that_is_there(folder: Path) -> None:
    done = run("evaluate", "dev.json", "-d", ".", "--run", "run", cwd=folder, PATH="/usr/bin")
    assert "-m sqljury report run --html FILE" in done.stderr
