"""Tasks for Label Studio and Argilla, checked by their own libraries, and the labels back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import sqljury as sj
from needs import needs

PAGE = Path(__file__).parents[2] / "docs" / "annotation.md"
CASES = [
    sj.Case(
        id=str(number),
        benchmark="b",
        db_id="boats",
        question="Which boats are long?",
        hint="long: > 8 m",
        predicted_sql="SELECT name FROM boat",
        reference_sqls=("SELECT name FROM boat WHERE length > 8",),
        label=True,
    )
    for number in range(4)
]
VOTES = [["yes", "yes", "no"], ["no"], ["yes", "no"], []]
LABELS = [True, False, None, None]


def tasks(tmp_path: Path, format: str) -> list[dict[str, Any]]:
    sj.write_cases(CASES, tmp_path / "tasks.json", format=format)
    return list(json.loads((tmp_path / "tasks.json").read_text()))


def read_back(tmp_path: Path, export: list[dict[str, Any]]) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(export))
    found = list(sj.read_cases(path))
    assert [case.label for case in found] == LABELS
    assert found[0].extra["votes"] == {"yes": 2, "no": 1}
    kept = ("key", "question", "hint", "db_id", "predicted_sql", "reference_sqls")
    for case, former in zip(found, CASES, strict=True):
        assert [getattr(case, name) for name in kept] == [getattr(former, name) for name in kept]


def annotated(task: dict[str, Any], votes: list[str]) -> dict[str, Any]:
    """A task as Label Studio exports it."""

    def result(vote: str) -> dict[str, Any]:
        value = {"choices": [vote]}
        where = {"from_name": "answers", "to_name": "question", "type": "choices"}
        return {"id": "r", "value": value, "origin": "manual", **where}

    given = [{"id": 1, "completed_by": 1, "result": [result(vote)]} for vote in votes]
    skipped = {"id": 2, "completed_by": 2, "result": [], "was_cancelled": True}
    return {**task, "id": 7, "annotations": [*given, skipped], "predictions": []}


def test_label_studio(tmp_path: Path) -> None:
    made = tasks(tmp_path, "label_studio")
    assert all("length > 8" not in str({**t["data"], "sqljury_case": ""}) for t in made)
    read_back(tmp_path, [annotated(*pair) for pair in zip(made, VOTES, strict=True)])


def test_argilla(tmp_path: Path) -> None:
    made = tasks(tmp_path, "argilla")
    for record, votes in zip(made, VOTES, strict=True):
        given = [{"value": vote, "user_id": str(n)} for n, vote in enumerate(votes)]
        record["responses"] = {"answers": given} if votes else {}
    read_back(tmp_path, made)


@needs("label_studio_sdk")
def test_label_studio_takes_the_tasks(tmp_path: Path) -> None:
    from label_studio_sdk.label_interface import LabelInterface

    found = re.search(r"```xml\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert found is not None
    interface = LabelInterface(found[1])
    interface.validate()
    for task, votes in zip(tasks(tmp_path, "label_studio"), VOTES, strict=True):
        whole = annotated(task, votes)
        assert interface.validate_task(task)
        assert all(interface.validate_annotation(one) for one in whole["annotations"])


@needs("argilla")
def test_argilla_takes_the_records(tmp_path: Path) -> None:
    from argilla import Record

    made = [Record.from_dict(record) for record in tasks(tmp_path, "argilla")]
    assert [record.id for record in made] == [case.name for case in CASES]
    # What Argilla writes is read again.
    (tmp_path / "export.json").write_text(json.dumps([record.to_dict() for record in made]))
    found = list(sj.read_cases(tmp_path / "export.json"))
    assert [case.key for case in found] == [case.key for case in CASES]


def test_a_task_without_its_case(tmp_path: Path) -> None:
    made = tasks(tmp_path, "label_studio")
    made[1]["data"]["sqljury_case"] = "{"
    (tmp_path / "a.json").write_text(json.dumps(made))
    with pytest.raises(sj.InputError, match="SJ105"):
        list(sj.read_cases(tmp_path / "a.json"))
