"""Runs of several systems beside labels that people gave."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.uses.agree.files import agree_files
from sqljury.uses.evaluate.evaluation import evaluate


def labels_file(folder: Path, rows: list[dict[str, object]]) -> Path:
    path = folder / "labels.json"
    path.write_text(json.dumps(rows))
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    cases = [
        Case(id=str(n), source=system, predicted_sql="SELECT 1", reference_sqls=("SELECT 1",))
        for system in ("codes", "dail")
        for n in range(4)
    ]
    with evaluate(cases, ["exact_match"], run=tmp_path / "run", workers=1):
        return tmp_path / "run"


def test_labels_that_name_no_system_are_about_one_system(run: Path, tmp_path: Path) -> None:
    labels = labels_file(tmp_path, [{"id": n, "label": True} for n in range(4)])
    with pytest.raises(InputError, match=r"(?s)SJ513.*'codes' and 'dail'.*\"source\"") as caught:
        agree_files([str(run)], labels=[labels])
    assert caught.value.exit_code == 2


def test_labels_of_each_system(run: Path, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [
        {"id": n, "source": system, "label": system == "codes"}
        for system in ("codes", "dail")
        for n in range(4)
    ]
    (judge,) = agree_files([str(run)], labels=[labels_file(tmp_path, rows)]).judges
    assert (judge.n, judge.accuracy) == (8, 0.5)


def test_labels_of_one_of_two_systems(run: Path, tmp_path: Path) -> None:
    rows: list[dict[str, object]] = [{"id": n, "source": "dail", "label": True} for n in range(4)]
    (judge,) = agree_files([str(run)], labels=[labels_file(tmp_path, rows)]).judges
    assert (judge.n, judge.accuracy) == (4, 1.0)
