"""Files of EHRSQL, TriageSQL and TrustSQL: what can be answered, what was recorded."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from sqljury.benchmarks import read_cases, read_gate
from sqljury.errors import InputError


def test_questions_with_labels_beside_them(tmp_path: Path) -> None:
    questions = {
        "version": "1",
        "data": [{"id": "a", "question": "A?"}, {"id": "b", "question": "B?"}],
    }
    (tmp_path / "data.json").write_text(json.dumps(questions))
    assert [case.answerable for case in read_cases(tmp_path / "data.json")] == [None, None]
    (tmp_path / "label.json").write_text('{"a": "SELECT 1", "b": "null"}')
    cases = list(read_cases(tmp_path / "data.json"))
    assert [(c.id, c.question, c.answerable, c.reference_sqls) for c in cases] == [
        ("a", "A?", None, ("SELECT 1",)),
        ("b", "B?", False, ()),
    ]
    (tmp_path / "data.json").write_text('{"data": [{"id": "a", "question": "A?"}, "x"]}')
    with pytest.raises(InputError, match="SJ105"):
        list(read_cases(tmp_path / "data.json"))


def test_questions_with_a_type(tmp_path: Path) -> None:
    row = {"question": "Q?", "databaseid": "d", "question_datasetid": "x", "tables": {}}
    rows = [{**row, "type": kind} for kind in ("answerable", "small talk")]
    (tmp_path / "t.json").write_text(json.dumps(rows))
    cases = list(read_cases(tmp_path / "t.json"))
    assert [(c.id, c.db_id, c.answerable, c.extra["type"]) for c in cases] == [
        ("0", "d", True, "answerable"),
        ("1", "d", False, "small talk"),
    ]


@pytest.mark.data
@pytest.mark.parametrize(
    ("file", "answerable", "not_answerable"),
    [
        ("ehrsql-2024/train/data.json.gz", 4674, 450),
        ("ehrsql-2024/valid/data.json.gz", 931, 232),
        ("ehrsql-2024/test/data.json.gz", 934, 233),
        ("ehrsql-2024/test/annotated.json.gz", 934, 233),
        ("ehrsql/mimic_iii/valid.json.gz", 760, 362),
        ("triagesql/testset_test.json.gz", 500, 2000),
    ],
)
def test_real_files(data_dir: Path, file: str, answerable: int, not_answerable: int) -> None:
    found = Counter(
        case.answerable is not False for case in read_cases(data_dir / "trustsql" / file)
    )
    assert (found[True], found[False]) == (answerable, not_answerable)


@pytest.mark.data
def test_recorded_runs(data_dir: Path) -> None:
    outputs = data_dir / "trustsql" / "outputs"
    cls = "eval_spider_test_gpt4o_create_select_pos16neg16_clsprompt"
    error = "eval_spider_test_gpt3.5turbo_colfk_pos8__gpt4o_colfk_errorprompt"
    found = {
        name: Counter(read_gate(outputs / name / "prediction.json.gz").values())
        for name in (cls, error)
    }
    assert found == {cls: {0.0: 639, 1.0: 415}, error: {1.0: 665, 0.0: 389}}
    votes = outputs / "eval_spider_test_gpt3.5turbo_colfk_pos8_voting5" / "prediction.json.gz"
    questions = data_dir / "trustsql/derived/trustsql_spider_test_reconstructed.jsonl.gz"
    cases = list(read_cases(questions, predictions=votes))
    assert {len(case.pool) for case in cases} == {5}
    assert all(case.predicted_sql == case.pool[0] for case in cases)
