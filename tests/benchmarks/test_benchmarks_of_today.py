"""Files in the published shapes of BIRD-Interact, LiveSQLBench, BIRD-CRITIC, Defog's sql-eval,
BEAVER, Archer and EHRSQL-2024, and the comparison of EHRSQL's script."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing

import pytest

import sqljury as sj
from sqljury.execution import ResultTable
from sqljury.sql.ehrsql import as_ehrsql_runs
from sqljury.tables import POLICIES, compare

LIVE = {"instance_id": "boats_1", "selected_database": "boats", "query": "How many boats?",
        "sol_sql": ["SELECT COUNT(*) FROM boat"], "preprocess_sql": [], "clean_up_sql": [],
        "test_cases": [], "external_knowledge": [3], "category": "Query", "difficulty_tier": "Simple",
        "conditions": {"decimal": -1, "distinct": False, "order": False}}  # fmt: skip
CRITIC = {"instance_id": 7, "db_id": "boats", "query": "Why none?", "issue_sql": ["SELECT 1 FROM boat WHERE id"],
          "sol_sql": "SELECT 1 FROM boat", "preprocess_sql": [], "test_cases": []}  # fmt: skip
PYTHON = ["def test_case(pred_sqls, sol_sqls, db_name, conn): raise SystemExit"]
TASKS = [
    (LIVE, ""),
    ({**LIVE, "test_cases": PYTHON}, ""),  # its script compares rows
    ({**LIVE, "category": "Management", "test_cases": PYTHON * 2}, "it changes the database, 2 test functions in Python"),
    ({**LIVE, "preprocess_sql": ["CREATE INDEX i ON boat (id)"]}, "statements before it"),
    ({**LIVE, "sol_sql": []}, ""),  # as published, without solutions
    (CRITIC, ""),
    ({**CRITIC, "test_cases": PYTHON}, "1 test function in Python"),
    ({**CRITIC, "sol_sql": "SELECT 1\n[split]\nSELECT 2"}, "2 statements"),
]  # fmt: skip


@pytest.mark.parametrize(("task", "reason"), TASKS)
def test_tasks_of_bird(tmp_path, task, reason):
    (case,) = read(
        tmp_path, "tasks.jsonl", json.dumps({**task, "pred_sqls": ["SELECT 2", "SELECT 3"]})
    )
    assert (case.id, case.db_id, case.question) == (
        str(task["instance_id"]),
        "boats",
        task["query"],
    )
    assert len(case.reference_sqls) == (
        0 if not task["sol_sql"] else 2 if "split" in task["sol_sql"] else 1
    )
    assert case.predicted_sql == "SELECT 2;\nSELECT 3"
    assert [table.problem for table in case.reference_tables] == (
        [f"not run: {reason}"] if reason else []
    )


def test_what_is_not_run_is_left_out(tmp_path):
    rows = [LIVE, {**LIVE, "instance_id": "boats_2", "category": "Management"}]
    (tmp_path / "live.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    answers = [{"instance_id": row["instance_id"], "pred_sqls": ["SELECT 2"]} for row in rows]
    (tmp_path / "mine.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in answers))
    database(tmp_path / "boats.sqlite")
    found = sj.evaluate(
        tmp_path / "live.jsonl",
        predictions=tmp_path / "mine.jsonl",
        databases=tmp_path,
        judges=["execution:bird"],
        workers=0,
    )
    assert said(found) == [
        ("correct", "same rows"),
        ("reference_error", "reference sol_sql: not run: it changes the database"),
    ]


DEFOG = """question,query,db_name,query_category,instructions
Who?,"SELECT {name, id}, n FROM t GROUP BY {};SELECT 1;",boats,group_by,Use the key
"Who is "in"?",SELECT 2,boats,other,
"""


def test_optional_columns_of_defog(tmp_path):
    first, second = read(tmp_path, "questions_gen_sqlite.csv", DEFOG)
    assert first.reference_sqls == (
        "SELECT name, n FROM t GROUP BY name",
        "SELECT  id, n FROM t GROUP BY  id",
        "SELECT name,  id, n FROM t GROUP BY name,  id",
        "SELECT 1",
    )
    assert (first.db_id, first.hint, second.reference_sqls) == (
        "boats",
        "Use the key",
        ("SELECT 2",),
    )


OTHERS = [
    ({"question": "Q", "db_id": "dw", "sql": "SELECT 1", "oracle_sql": "SELECT 1 FROM DUAL", "gold_tables": []}, None),
    ({"question": "Q", "db_id": "dw", "query": "SELECT 1", "reasoning_type": "+", "commonsense_knowledge": "K"}, "K"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "hint"), OTHERS)
def test_beaver_and_archer(tmp_path, row, hint):
    (case,) = read(tmp_path, "dev.json", json.dumps([row]))
    assert (case.question, case.db_id, case.reference_sqls, case.hint) == (
        "Q",
        "dw",
        ("SELECT 1",),
        hint,
    )


SAME = [
    ([(1, "a"), (2, "b")], [(2.0, "b"), (1, "a")], True),
    ([(0.1234,)], [(0.12341,)], True),
    ([(1,)], [("1",)], True),
    ([(1,)], [(1,), (1,)], False),
    ([(n,) for n in range(200)], [(n,) for n in range(150)], False),
    ([("a",)] * 100 + [("b",)], [("a",)] * 100, True),  # the script looks at 100 rows
    ([], [], True),
]


@pytest.mark.parametrize(("left", "right", "equal"), SAME)
def test_rows_as_ehrsql_compares_them(left, right, equal):
    tables = (ResultTable(tuple("ab"[: len((*rows, (0,))[0])]), rows) for rows in (left, right))
    assert compare(*tables, POLICIES["ehrsql"]).equal is equal


def test_the_clock_of_ehrsql(tmp_path):
    folder = tmp_path / "mimic_iv"
    folder.mkdir()
    (folder / "data.json").write_text(
        json.dumps({"version": "1", "data": [{"id": key, "question": "Q"} for key in "abc"]})
    )
    (folder / "label.json").write_text(
        json.dumps({"a": "SELECT strftime('%y', current_time)", "b": "null", "c": "SELECT 1"})
    )
    (tmp_path / "prediction.json").write_text(
        json.dumps({"a": "SELECT '2100'", "b": "null", "c": "null"})
    )
    database(folder / "mimic_iv.sqlite")
    found = sj.evaluate(
        folder / "data.json",
        predictions=tmp_path / "prediction.json",
        databases=folder / "mimic_iv.sqlite",
        judges=["execution:ehrsql"],
        workers=0,
    )
    assert [outcome for outcome, _ in said(found)] == ["correct", "abstained", "abstained"]
    shifted = as_ehrsql_runs("DATE_SUB(CURDATE(), INTERVAL 2 MONTH) < sao2_lower")
    assert shifted == "datetime('2100-12-31', '-2 months') < sao2_lower"


def said(found):
    return [(str(one.verdict.outcome), one.verdict.reason) for one in found.records()]


def read(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    return list(sj.read_cases(tmp_path / name, questions=True))


def database(path):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE boat (id INTEGER); INSERT INTO boat VALUES (1), (2);"
        )
