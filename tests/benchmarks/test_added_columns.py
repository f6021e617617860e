"""Spider's and BIRD's question files to which somebody added predictions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqljury.benchmarks import read_cases
from sqljury.case import MISSING

SPIDER = {"question": "?", "query": "SELECT 1", "db_id": "d", "sql": {"select": []}}
BIRD = {"question_id": 7, "question": "?", "SQL": "SELECT 1", "db_id": "d", "evidence": ""}


@pytest.mark.parametrize("row", [SPIDER, BIRD])
@pytest.mark.parametrize("key", ["predicted_sql", "prediction", "pred", "Generated SQL", "sql"])
def test_a_prediction_beside_the_reference(tmp_path: Path, row: dict[str, Any], key: str) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([{**row, key: "SELECT 2", "label": "no", "system": "mine"}]))
    (case,) = read_cases(path)
    assert (case.predicted_sql, case.reference_sqls) == ("SELECT 2", ("SELECT 1",))
    assert (case.label, case.source, case.extra) == (False, "mine", {})


@pytest.mark.parametrize("row", [SPIDER, BIRD, {**BIRD, "sql": "SELECT 1"}, {**BIRD, "sql": {}}])
def test_a_copy_of_the_reference_is_no_prediction(tmp_path: Path, row: dict[str, Any]) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([row]))
    (case,) = read_cases(path)
    assert (case.predicted_sql, case.reference_sqls) == (MISSING, ("SELECT 1",))


SQL = "-- the answer\nSELECT 2"


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({**SPIDER, "model_output": SQL}, "predicted_sql"),
        ({**BIRD, "response": "SELECT 2"}, "predicted_sql"),
        ({**SPIDER, "prediciton": "?"}, "predicted_sql"),
        ({"predicted_sql": "SELECT 1", "truth": "SELECT 1"}, "reference_sqls"),
        ({"predicted_sql": "SELECT 1", "databse": "d"}, "db_id"),
    ],
)
def test_a_key_that_nothing_reads_is_told(tmp_path: Path, row: dict[str, Any], field: str) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([row]))
    (warning,) = read_cases(path).warnings
    key = list(row)[-1]
    assert warning == (
        f"dev.json: the key {key!r} is not used, and no {field} was found; "
        f"--map {field}={key} reads it."
    )
    assert not read_cases(path, mapping={field: key}).warnings


@pytest.mark.parametrize("row", [SPIDER, BIRD, {**SPIDER, "pred": "SELECT 1", "raw": "SELECT 2"}])
def test_other_keys_are_nobodys_business(tmp_path: Path, row: dict[str, Any]) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([{**row, "query_toks": ["SELECT"], "note": "?"}]))
    assert not read_cases(path).warnings


def test_a_joined_prediction_is_not_missed(tmp_path: Path) -> None:
    (tmp_path / "dev.json").write_text(json.dumps([{**SPIDER, "other": "SELECT 1"}]))
    (tmp_path / "mine.json").write_text(json.dumps({"0": "SELECT 2"}))
    cases = read_cases(tmp_path / "dev.json", predictions=tmp_path / "mine.json")
    assert not cases.warnings


def test_cases_are_read_again(tmp_path: Path) -> None:
    path = tmp_path / "dev.json"
    path.write_text(json.dumps([SPIDER, SPIDER]))
    cases = read_cases(path)
    assert next(cases).id == "0"
    assert [case.id for case in cases] == [case.id for case in cases] == ["0", "1"]
    assert next(cases).id == "1"
