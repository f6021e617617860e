"""Decision files, recorded gates and samples: what is read, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sqljury.benchmarks import read_cases, read_decisions, read_gate, write_cases
from sqljury.decision import ReplyKind
from sqljury.errors import InputError
from sqljury.verdict import Outcome

ROWS: list[dict[str, Any]] = [
    {"question_id": 1, "answerable": True, "predicted_sql": "SELECT 1", "correct": True},
    {"question_id": 2, "answerable": False, "predicted_sql": None, "type": "non-sql"},
    {"question_id": 3, "answerable": True},
    {"question_id": 4, "predicted_sql": "", "confidence": 0.25},
    {"question_id": 5, "predicted_sql": "not_answerable", "correct": None, "outcome": "abstained"},
    {"question_id": 6, "predicted_sql": "SELECT x", "outcome": "database_missing"},
]


def written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_answers_abstentions_missing_and_errors(tmp_path: Path, suffix: str) -> None:
    lines = json.dumps(ROWS) if suffix == "json" else "\n".join(map(json.dumps, ROWS))
    found = read_decisions(written(tmp_path / f"d.{suffix}", lines))
    assert [one.id for one in found] == list("123456")
    assert "".join(one.reply[1] for one in found) == "nbinbn"  # aNswered, aBstained, mIssing
    assert [one.answerable for one in found] == [True, False, True, True, True, True]
    assert [one.correct for one in found] == [True, None, None, False, None, None]
    assert (found[3].outcome, found[3].confidence) == (Outcome.PREDICTION_ERROR, 0.25)
    assert (found[5].left_out, found[1].slices) == (True, {"type": "non-sql"})


def test_a_table_and_a_mapping(tmp_path: Path) -> None:
    text = "nr,in_scope,sql,is_correct,system\n1,yes,SELECT 1,1,a\n1,no,null,,b\n2,no\n"
    mapping = {"id": "nr", "answerable": "in_scope"}
    found = read_decisions(written(tmp_path / "d.csv", text), mapping=mapping)
    assert [(d.id, d.source, d.answerable, d.correct) for d in found] == [
        ("1", "a", True, True),
        ("1", "b", False, None),
        ("2", "", False, None),
    ]
    assert [d.reply for d in found] == [ReplyKind.ANSWERED, ReplyKind.ABSTAINED, ReplyKind.MISSING]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"1": "SELECT 1"}', "SJ108"),
        ("SELECT 1\n", "SJ108"),
        ('[{"id": 1, "answerable": true}]', "SJ104"),
        ('[{"id": 1, "predicted_sql": 5}]', "SJ105"),
        ('[{"id": 1, "predicted_sql": "x", "answerable": "perhaps"}]', "SJ109"),
        ('[{"id": 1, "predicted_sql": "x", "confidence": "high"}]', "SJ116"),
        ('[{"id": 1, "predicted_sql": "x", "outcome": "fine"}]', "SJ116"),
    ],
)
def test_what_is_no_decision(tmp_path: Path, text: str, code: str) -> None:
    with pytest.raises(InputError, match=code):
        read_decisions(written(tmp_path / "d.json", text))


def test_recorded_gates(tmp_path: Path) -> None:
    said = {
        "1": ["answerable"],
        "2": "Not_Answerable.",
        "3": ["Correct"],
        "4": "incorrect",
        "5": "I cannot say",
        "6": 0.7,
        "7": None,
    }
    found = read_gate(written(tmp_path / "p.json", json.dumps(said)))
    assert list(found.values()) == [1.0, 0.0, 1.0, 0.0, None, 0.7, None]
    table = written(tmp_path / "p.csv", "id,score\n1,0.3\n2,\n")
    assert read_gate(table) == {"1": 0.3, "2": None}
    with pytest.raises(InputError, match="SJ108"):
        read_gate(written(tmp_path / "q.json", '{"1": {"a": 1}}'))


def test_samples_are_a_pool_whose_first_predicts(tmp_path: Path) -> None:
    written(tmp_path / "q.json", '[{"id": 1, "gold_sql": "SELECT 1"}, {"id": 2, "gold_sql": "x"}]')
    text = '{"1": ["SELECT 1", "null", null], "2": "SELECT 2"}'
    cases = list(read_cases(tmp_path / "q.json", predictions=written(tmp_path / "s.json", text)))
    assert [case.predicted_sql for case in cases] == ["SELECT 1", "SELECT 2"]
    assert [case.pool for case in cases] == [("SELECT 1", None, None), ()]
    write_cases(cases, tmp_path / "own.jsonl")
    assert list(read_cases(tmp_path / "own.jsonl")) == cases
    assert cases[0].fingerprint() != replace(cases[0], pool=("SELECT 1",)).fingerprint()
    for broken, code in (('{"1": [5]}', "SJ105"), ('{"1": []}', "SJ105")):
        with pytest.raises(InputError, match=code):
            read_cases(tmp_path / "q.json", predictions=written(tmp_path / "s.json", broken))
