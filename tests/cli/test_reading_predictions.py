"""Which prediction belongs to which question, and what of it is judged, as a user types it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sqljury
from commands import run
from sqljury.benchmarks import read_cases
from sqljury.errors import InputError

IDS = ("id", "question_id", "query_id", "instance_id", "example_id", "idx", "index", "Question ID")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    import sqlite3

    with sqlite3.connect(tmp_path / "shop.sqlite") as database:
        database.executescript(
            "CREATE TABLE a (x); INSERT INTO a VALUES (1), (2), (3);"
            "CREATE TABLE b (x); INSERT INTO b VALUES (1); CREATE TABLE c (x);"
        )
    return tmp_path


def rows_of(key: str, reference: str, **more: str) -> list[dict[str, Any]]:
    return [
        {key: id_, "db_id": "shop", "question": f"{table}?", reference: count(table), **more}
        for id_, table in zip((10, 11, 12), "abc", strict=True)
    ]


def count(table: str) -> str:
    return f"SELECT COUNT(*) FROM {table}"


def evaluated(folder: Path, *more: object) -> dict[str, Any]:
    done = run("evaluate", folder / "dev.json", "-d", folder, "--json", *more, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("reference", ["query", "SQL", "gold_sql", "reference_sql"])
@pytest.mark.parametrize("key", IDS)
def test_predictions_are_joined_by_any_usual_id(folder: Path, key: str, reference: str) -> None:
    (folder / "dev.json").write_text(json.dumps(rows_of(key, reference)))
    predicted = [
        {key: id_, "sql": count(table)} for id_, table in ((12, "c"), (10, "a"), (11, "b"))
    ]
    (folder / "pred.json").write_text(json.dumps(predicted))
    cases = list(read_cases(folder / "dev.json", predictions=folder / "pred.json"))
    assert [case.id for case in cases] == ["10", "11", "12"]
    assert all(case.predicted_sql == case.reference_sqls[0] for case in cases)


def test_three_right_answers_in_another_order_are_right(folder: Path) -> None:
    (folder / "dev.json").write_text(json.dumps(rows_of("question_id", "query")))
    predicted = [{"question_id": i, "sql": count(t)} for i, t in ((12, "c"), (10, "a"), (11, "b"))]
    (folder / "pred.json").write_text(json.dumps(predicted))
    found = evaluated(folder, "-p", folder / "pred.json")
    assert found["judges"][0]["score"] == 1.0
    assert found["joined_by_position"] == []


def test_ids_of_a_reference_file_that_disagree_are_refused(folder: Path) -> None:
    (folder / "dev.json").write_text(
        json.dumps(
            [row | {"id": row["question_id"] + 100} for row in rows_of("question_id", "query")]
        )
    )
    with pytest.raises(InputError, match="SJ118"):
        list(read_cases(folder / "dev.json"))
    cases = list(read_cases(folder / "dev.json", mapping={"id": "question_id"}))
    assert [case.id for case in cases] == ["10", "11", "12"]


def test_a_column_that_counts_the_rows_is_no_other_id(folder: Path) -> None:
    rows = [row | {"index": at} for at, row in enumerate(rows_of("question_id", "query"))]
    (folder / "dev.json").write_text(json.dumps(rows))
    assert [case.id for case in read_cases(folder / "dev.json")] == ["10", "11", "12"]


def test_a_join_by_position_is_said_in_the_run_and_its_json(folder: Path) -> None:
    (folder / "dev.json").write_text(json.dumps(rows_of("question_id", "query")))
    (folder / "pred.sql").write_text("".join(f"{count(table)}\n" for table in "abc"))
    found = evaluated(folder, "-p", folder / "pred.sql", "--run", folder / "run")
    assert found["joined_by_position"] == ["pred.sql"]
    again = run("report", folder / "run")
    assert "Joined by position, not by id: pred.sql." in again.stdout
    assert json.loads(run("report", folder / "run", "--json").stdout) == found
    page = folder / "page.html"
    run("report", folder / "run", "--html", page)
    assert "Joined by position, not by id: pred.sql." in page.read_text()


def test_ids_under_a_name_of_ones_own_are_not_joined_by_position(folder: Path) -> None:
    (folder / "dev.json").write_text(json.dumps(rows_of("question_id", "query")))
    predicted = [{"task": i, "sql": count(t)} for i, t in ((12, "c"), (10, "a"), (11, "b"))]
    (folder / "pred.json").write_text(json.dumps(predicted))
    words = ("evaluate", folder / "dev.json", "-p", folder / "pred.json", "-d", folder)
    done = run(*words, cwd=folder)
    assert done.returncode == 2
    assert "'task' holds ids of dev.json, in another order than there" in done.stderr
    assert "--map id=task" in done.stderr
    done = run(*words, "--map", "id=task", "--json", cwd=folder)
    assert json.loads(done.stdout)["judges"][0]["score"] == 1.0


def test_ids_for_references_without_any_are_positions_and_that_is_said(folder: Path) -> None:
    rows = [{k: v for k, v in row.items() if k != "id"} for row in rows_of("id", "query")]
    (folder / "dev.json").write_text(json.dumps(rows))
    (folder / "pred.json").write_text(json.dumps({str(at): count(t) for at, t in enumerate("abc")}))
    found = evaluated(folder, "-p", folder / "pred.json")
    assert found["joined_by_position"] == ["pred.json"]


SAID = [
    "Here is the SQL:\n```sql\n{}\n```",
    "```sql\n{};\n```\nThis counts the rows.",
    "SQL: {}",
    "<think>Is it `SELECT 1`?</think>\n{}",
    "```sql\nSELECT 0\n```\nNo, wait:\n```sql\n{}\n```",
]


def test_a_statement_is_taken_out_of_prose_and_counted_once(folder: Path) -> None:
    rows = [
        {"id": at, "db_id": "shop", "query": count("a"), "pred": said.format(count("a"))}
        for at, said in enumerate([*SAID, "{}", "I cannot say."])
    ]
    (folder / "dev.json").write_text(json.dumps(rows))
    found = evaluated(folder, "--run", folder / "run")
    assert found["judges"][0]["outcomes"] == {"correct": 6, "prediction_error": 1}
    assert found["taken_out_of_prose"] == 5
    done = run("report", folder / "run")
    assert done.stdout.count("5 predictions were taken out of prose") == 1
    kept = evaluated(folder, "--keep-fences")
    assert kept["judges"][0]["outcomes"] == {"correct": 1, "prediction_error": 6}
    assert kept["taken_out_of_prose"] == 0


def test_rows_in_memory_are_read_as_those_of_a_file(folder: Path) -> None:
    row = {"id": 1, "db_id": "shop", "query": count("a"), "pred": SAID[0].format(count("a"))}
    with sqljury.evaluate([row], databases=folder) as found:
        assert found.scores() == {"execution:strict": 1.0}
        assert found.summary.taken_out_of_prose == 1


def test_parts_of_a_run_say_together_how_they_were_read(folder: Path) -> None:
    rows = [
        {"id": at, "db_id": "shop", "query": count(table), "pred": SAID[0].format(count(table))}
        for at, table in enumerate("abc")
    ]
    (folder / "dev.json").write_text(json.dumps(rows))
    parts = [folder / f"part{number}" for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        run("evaluate", folder / "dev.json", "-d", folder, "--shard", f"{number}/2", "--run", part)
    done = run("runs", "merge", folder / "whole", *parts, "--json")
    done = run("report", folder / "whole", "--json")
    assert json.loads(done.stdout)["taken_out_of_prose"] == 3


@pytest.mark.parametrize("executor", ["ray:127.0.0.1:1", "cloud"])
def test_the_executor_is_not_ignored(folder: Path, executor: str) -> None:
    (folder / "dev.json").write_text(json.dumps(rows_of("id", "query", pred="SELECT 1")))
    done = run("evaluate", folder / "dev.json", "-d", folder, "--executor", executor, cwd=folder)
    assert done.returncode in (2, 3)
    assert "ray" in done.stderr
