"""The judge `recorded`: an earlier judge's answers as verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import sqljury
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.judges import make_judge
from sqljury.judges.recorded import Recorded
from sqljury.uses.agree.files import agree_files
from sqljury.uses.evaluate.evaluation import load_run
from sqljury.verdict import Outcome


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.mkdir(parents=True)
    (path / "eval_results.json").write_text(json.dumps(rows))
    return path


def row(key: int, score: float | None, sql: str = "SELECT 1", **more: Any) -> dict[str, Any]:
    return {"question_id": key, "predicted_sql": sql, "score": score, **more}


@pytest.mark.parametrize(
    ("case", "outcome"),
    [
        (Case(id="1", predicted_sql="SELECT 1"), Outcome.CORRECT),
        (Case(id="1", predicted_sql=" SELECT\n1"), Outcome.CORRECT),
        (Case(id="1", predicted_sql="SELECT 2"), Outcome.JUDGE_UNAVAILABLE),
        (Case(id="2", predicted_sql="SELECT 1"), Outcome.INCORRECT),
        (Case(id="3", predicted_sql="SELECT 1"), Outcome.JUDGE_UNAVAILABLE),
        (Case(id="4", predicted_sql="SELECT 1"), Outcome.UNKNOWN),
        (Case(id="5", predicted_sql="SELECT 1"), Outcome.JUDGE_UNAVAILABLE),
    ],
)
def test_outcomes(tmp_path: Path, case: Case, outcome: Outcome) -> None:
    rows = [row(1, 1.0), row(2, 0.0), row(3, None), row(4, 0.0, outcome="unknown")]
    judge = Recorded(dir=str(write(tmp_path / "o3-shop-eval", rows)), metric="ROSE")
    verdict = judge.judge(case, None)  # type: ignore[arg-type]
    assert verdict.outcome is outcome
    assert verdict.score == {Outcome.CORRECT: 1.0, Outcome.INCORRECT: 0.0}.get(outcome)


def test_ids_repeat_from_set_to_set(tmp_path: Path) -> None:
    write(tmp_path / "a" / "o3" / "ROSE", [row(1, 1.0)])
    write(tmp_path / "b" / "o3" / "ROSE", [row(1, 0.0)])
    write(tmp_path / "b" / "o3" / "FLEX", [row(1, 1.0)])
    judge = make_judge(f"recorded,dir={tmp_path},metric=ROSE")
    found = [
        judge.judge(Case(id="1", benchmark=name, predicted_sql="SELECT 1"), None).score  # type: ignore[arg-type]
        for name in ("a", "b")
    ]
    assert found == [1.0, 0.0]
    unclear = Case(id="1", benchmark="c", predicted_sql="SELECT 1")
    with pytest.raises(InputError, match="SJ353"):
        judge.judge(unclear, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "code"),
    [("", "SJ353"), (",dir=nowhere", "SJ120"), (",dir={},metric=EX", "SJ353"),
     (",dir={},model=o4", "SJ353")],
)  # fmt: skip
def test_what_is_not_there(tmp_path: Path, options: str, code: str) -> None:
    write(tmp_path / "a" / "o3" / "ROSE", [row(1, 1.0)])
    with pytest.raises(InputError) as caught:
        make_judge(f"recorded{options.format(tmp_path)}")
    assert caught.value.code == code


def test_the_signature_changes_with_the_recording(tmp_path: Path) -> None:
    write(tmp_path / "a", [row(1, 1.0)])
    first = Recorded(dir=str(tmp_path / "a")).signature_fields()
    write(tmp_path / "b", [row(1, 0.0)])
    assert first != Recorded(dir=str(tmp_path / "b")).signature_fields()


@pytest.mark.data
def test_both_sets_without_a_model(data_dir: Path, tmp_path: Path) -> None:
    """κ, accuracy, MCC and F1 of o3's ROSE, from verdicts."""
    folder = data_dir / "rose-vec"
    files = [folder / "rose-vec-bird.json", folder / "rose-vec-spider.json"]
    judge = f"recorded,dir={folder / 'recorded/rose-vec'},metric=ROSE,model=o3"
    with sqljury.evaluate(files, [judge], run=tmp_path / "run", workers=1) as found:
        summary = found.summary.judges[0]
    assert (summary.n, summary.left_out) == (302, 0)
    assert summary.labels == {"ambiguous_question": 17, "ambiguous_schema": 4, "gold_fault": 32}
    with load_run(tmp_path / "run") as found:
        assert all(record.verdict.reason for record in found.records())
    row = agree_files([str(tmp_path / "run")]).judges[0]
    figures = (row.kappa, row.accuracy, row.mcc, row.f1)
    assert [round(100 * (value or 0), 2) for value in figures] == [75.93, 89.07, 77.22, 91.69]
