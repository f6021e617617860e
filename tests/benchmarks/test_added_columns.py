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
