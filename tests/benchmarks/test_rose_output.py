"""Output folders of ROSE's reference implementation: read, and written back."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from sqljury.benchmarks import (
    RecordedJudgement,
    find_rose_outputs,
    is_rose_output,
    read_rose_output,
    recording_fingerprint,
    write_rose_output,
)
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.judges.recorded import Recorded
from sqljury.papers.recorded_methods import read_rose_methods
from sqljury.verdict import Outcome, Record, Verdict


def row(key: int, score: float | None = 1.0, **more: Any) -> dict[str, Any]:
    return {
        "question_id": key,
        "question": f"question {key}?",
        "gold_sql": "SELECT 1",
        "predicted_sql": f"SELECT {key}",
        "score": score,
        **more,
    }


def said(key: int, **result: Any) -> dict[str, Any]:
    return {"question_id": key, "result": result}


def folder(path: Path, **files: Any) -> Path:
    path.mkdir(parents=True, exist_ok=True)
    for name, rows in files.items():
        (path / f"{name}.json").write_text(json.dumps(rows))
    return path


def one(tmp_path: Path, **files: Any) -> RecordedJudgement:
    return read_rose_output(folder(tmp_path / "ROSE", **files))["1"]


def test_eval_results_decides_and_the_stages_say_why(tmp_path: Path) -> None:
    found = one(
        tmp_path,
        eval_results=[row(1, 0.0, prover_result=True, refuter_result=True, label=True)],
        prover_output=[said(1, expected_answer="a", sql_description="d", reason="p", verdict=True)],
        refuter_output=[
            said(1, judgement="r", verdict=True, ambiguity="ambiguous schema", gold_correct=False)
        ],
    )
    assert (found.score, found.reason, found.case.label) == (0.0, "r", True)
    assert found.prover is not None
    assert (found.prover.expected_answer, found.prover.sql_description) == ("a", "d")
    assert found.labels == ("gold_fault", "ambiguous_schema")
    assert found.rows_equal is False
    assert found.problems == ()
    assert found.case.extra == {}


REFUTED = {"judgement": "r", "ambiguity": "na", "gold_correct": True}


@pytest.mark.parametrize(
    ("rows", "reason", "problems"),
    [
        ([("old", False), ("new", True)], "new", ("2 rows of the prover",)),
        ([("true", True), ("later", False)], "true", ("2 rows of the prover",)),
        ([("a", True), ("b", True), ("c", True)], "c", ("3 rows of the prover",)),
        ([("a", False)], "", ("the prover's row does not say what eval_results says",)),
        ([("a", "true")], "", ("the prover's row does not say what eval_results says",)),
        ([], "", ("no row of the prover",)),
    ],
)
def test_repeated_missing_and_contradicting_rows(
    tmp_path: Path, rows: list[tuple[str, Any]], reason: str, problems: tuple[str, ...]
) -> None:
    found = one(
        tmp_path,
        eval_results=[row(1, prover_result=True)],
        prover_output=[said(1, reason=text, verdict=verdict) for text, verdict in rows]
        or [said(2, reason="of another", verdict=True)],
    )
    assert found.problems == problems
    assert (found.prover.reason if found.prover else "") == reason
    assert found.score == 1.0


def test_of_two_result_rows_the_last_counts(tmp_path: Path) -> None:
    found = one(tmp_path, eval_results=[row(1, 0.0), row(2), row(1, 1.0)])
    assert found.score == 1.0
    assert found.problems == ("several rows in eval_results: the last counts",)


def test_a_stage_that_was_not_asked_has_no_answer(tmp_path: Path) -> None:
    """A row of an earlier attempt stays out; equal rows are known by who was asked."""
    found = one(
        tmp_path,
        eval_results=[row(1, prover_result=None, refuter_result=False)],
        prover_output=[said(1, reason="earlier", verdict=False)],
        refuter_output=[said(1, verdict=False, **REFUTED)],
    )
    assert (found.prover, found.reason, found.rows_equal) == (None, "r", True)


def test_nobody_was_asked(tmp_path: Path) -> None:
    found = one(tmp_path, eval_results=[row(1, 0.0)], prover_output=[], refuter_output=[])
    assert (found.rows_equal, found.labels) == (None, ())
    assert "did not run" in found.reason


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("na", ()),
        ("", ()),
        ("Ambiguous Question", ("ambiguous_question",)),
        ("ambiguous question, ambiguous schema", ("ambiguous_question", "ambiguous_schema")),
    ],
)
def test_ambiguity(tmp_path: Path, text: str, labels: tuple[str, ...]) -> None:
    found = one(
        tmp_path,
        eval_results=[row(1, refuter_result=False)],
        refuter_output=[said(1, judgement="", verdict=False, ambiguity=text, gold_correct=True)],
    )
    assert found.labels == labels


def test_one_prompt_and_no_reference(tmp_path: Path) -> None:
    unified = one(
        tmp_path / "pr",
        eval_results=[row(1, prover_result=True, refuter_result=None)],
        pr_output=[
            said(
                1,
                prover_verdict=False,
                prover_reason="p",
                refuter_judgement="r",
                verdict=True,
                reason="both",
            )
        ],
    )
    assert unified.prover is not None and unified.refuter is not None
    assert (unified.reason, unified.prover.verdict, unified.refuter.judgement) == (
        "both",
        False,
        "r",
    )
    alone = one(
        tmp_path / "wogt",
        eval_results=[row(1, prover_result=True, refuter_result=True)],
        prover_output=[said(1, reason="p", verdict=True)],
        refuter_wogt_output=[said(1, judgement="r", verdict=True, issues_found="no DISTINCT")],
    )
    assert alone.refuter is not None
    assert (alone.refuter.issues, alone.rows_equal, alone.labels) == ("no DISTINCT", None, ())


def test_an_error_is_noted_and_the_score_stands(tmp_path: Path) -> None:
    found = one(tmp_path, eval_results=[row(1, 0.0, error="Connection error.")])
    assert (found.score, found.problems) == (0.0, ("error: Connection error.",))


def test_compressed_and_fingerprinted(tmp_path: Path) -> None:
    plain = folder(tmp_path / "a", eval_results=[row(1)])
    packed = tmp_path / "b"
    packed.mkdir()
    with gzip.open(packed / "eval_results.json.gz", "wt") as file:
        json.dump([row(1)], file)
    assert read_rose_output(packed)["1"].score == 1.0
    assert is_rose_output(packed) and not is_rose_output(tmp_path)
    before = recording_fingerprint(plain)
    folder(plain, refuter_output=[])
    assert recording_fingerprint(plain) != before


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({}, "SJ120"),
        ({"eval_results": [{"id": 1, "score": 1}]}, "SJ104"),
        ({"eval_results": [row(1, "much")]}, "SJ116"),  # type: ignore[arg-type]
        ({"eval_results": [row(1), "text"]}, "SJ105"),
    ],
)
def test_folders_that_cannot_be_read(tmp_path: Path, files: dict[str, Any], code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_rose_output(folder(tmp_path / "x", **files))
    assert caught.value.code == code
    with pytest.raises(InputError):
        find_rose_outputs(tmp_path / "nothing")


# ---------------------------------------------------------------- written


PROOF = {"expected_answer": "a", "sql_description": "d", "reason": "p", "verdict": True}


def record(
    key: str, verdict: Verdict, *, judge: str = "rose,model=openai:o3", **case: Any
) -> Record:
    made = Case(id=key, benchmark="shop", predicted_sql="SELECT 1", question="q?",
                reference_sqls=("SELECT 2",), **case)  # fmt: skip
    return Record(case=made, judge=judge, verdict=verdict)


def test_written_folders_read_back(tmp_path: Path) -> None:
    refuted = {"judgement": "r", "verdict": False, "ambiguity": "na", "gold_correct": False}
    records = [
        record("1", Verdict.correct("r", evidence={"prover": PROOF, "refuter": refuted})),
        record("2", Verdict.incorrect("p", evidence={"prover": {**PROOF, "verdict": False}})),
        record("3", Verdict(outcome=Outcome.UNKNOWN, reason="no question")),
        record("4", Verdict(outcome=Outcome.JUDGE_UNAVAILABLE)),
        record("x5", Verdict(outcome=Outcome.PREDICTION_ERROR, score=0.0), label=False),
    ]
    (written,) = write_rose_output(records, tmp_path)
    assert written == tmp_path / "shop" / "o3" / "ROSE"
    assert json.loads((written / "problem_question_ids.json").read_text()) == ["4"]
    back = read_rose_output(written)
    assert list(back) == ["1", "2", "3", "x5"]
    assert [found.score for found in back.values()] == [1.0, 0.0, 0.0, 0.0]
    assert back["1"].labels == ("gold_fault",)
    assert back["1"].rows_equal is False
    assert back["2"].reason == "p"
    assert back["3"].outcome is Outcome.UNKNOWN
    assert back["x5"].case.label is False
    assert not any(found.problems for found in back.values())
    rows = json.loads((written / "eval_results.json").read_text())
    assert [(r["prover_result"], r["refuter_result"]) for r in rows[:2]] == [
        (True, False),
        (False, None),
    ]
    assert rows[0]["question_id"] == 1


def test_judges_systems_and_benchmarks_are_apart(tmp_path: Path) -> None:
    unified = {"unified": {**PROOF, "prover_verdict": True, "refuter_judgement": "r"}}
    doubt = {"prover": PROOF, "refuter": {"judgement": "r", "verdict": False}}
    records = [
        record("1", Verdict.correct(), judge="execution:bird"),
        record("1", Verdict.correct(), judge="execution:bird", source="../a b"),
        record("1", Verdict.correct(evidence=unified), judge="rose_unified,model=m"),
        record(
            "1", Verdict.correct(evidence=unified), judge="rose_unified,model=m,reference=false"
        ),
        record("1", Verdict.correct(evidence=doubt), judge="rose_wogt,model=x:y/m,dated=2504"),
    ]
    written = [
        path.relative_to(tmp_path).as_posix() for path in write_rose_output(records, tmp_path)
    ]
    assert written == [
        "shop/decisive/execution-bird",
        "shop-..-a-b/decisive/execution-bird",
        "shop/m/pr",
        "shop/m/pr-wogt",
        "shop/m/rose-wogt-dated-2504",
    ]
    files = sorted(path.name for path in tmp_path.rglob("*output.json"))
    assert files == ["pr_output.json", "pr_wogt_output.json", "prover_output.json",
                     "refuter_wogt_output.json"]  # fmt: skip


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError) as caught:
        write_rose_output([record("1", Verdict.correct())], tmp_path / "file")
    assert caught.value.code == "SJ801"


@pytest.mark.data
@pytest.mark.parametrize("metric", ["ROSE", "FLEX", "ProverOnly"])
def test_recordings_survive_writing(data_dir: Path, tmp_path: Path, metric: str) -> None:
    original = data_dir / "rose-vec/recorded/rose-vec/rose-vec-bird/o3" / metric
    judge = Recorded(dir=str(original))
    before = read_rose_output(original)
    records = [
        Record(case=found.case, judge=f"recorded,model=o3,metric={metric}",
               verdict=judge.judge(found.case, None))  # type: ignore[arg-type]
        for found in before.values()
    ]  # fmt: skip
    (written,) = write_rose_output(records, tmp_path)
    after = read_rose_output(written)
    for key, found in before.items():
        again = after[key]
        assert (again.score, again.labels, again.reason, again.rows_equal) == (
            found.score,
            found.labels,
            found.reason,
            found.rows_equal,
        )
        assert again.case.predicted_sql == found.case.predicted_sql


# ---------------------------------------------------------------- what is there


@pytest.mark.data
def test_every_recorded_folder(data_dir: Path) -> None:
    """All scores are read; reasons are there wherever eval_results says somebody was asked."""
    problems: Counter[str] = Counter()
    runs = find_rose_outputs(data_dir / "rose-vec/recorded")
    assert len(runs) == 44
    for run in runs:
        found = read_rose_output(run.folder)
        assert len(found) == (134 if "rose-vec-spider" in run.parts else 168)
        assert {judged.score for judged in found.values()} <= {0.0, 1.0}
        for judged in found.values():
            problems.update(judged.problems)
            if run.metric.startswith(("ROSE", "Prover", "pr", "wogt", "rose")):
                assert judged.reason
    assert problems == {
        "2 rows of the prover": 25,
        "3 rows of the prover": 6,
        "2 rows of the refuter": 1,
        "3 rows of the refuter": 5,
        'error: near "order": syntax error': 42,
        "error: Connection error.": 1,
    }


@pytest.mark.data
def test_labels_of_the_recorded_runs(data_dir: Path) -> None:
    folder = data_dir / "rose-vec/recorded/rose-vec/rose-vec-bird/o3/ROSE"
    labels = Counter(label for j in read_rose_output(folder).values() for label in j.labels)
    assert labels == {"gold_fault": 16, "ambiguous_question": 8, "ambiguous_schema": 2}


@pytest.mark.data
def test_methods_with_and_without_facts(data_dir: Path, tmp_path: Path) -> None:
    found = read_rose_methods(data_dir / "rose-benchmarking")
    assert len(found) == 19
    assert found[0].facts.name == "OpenSearch-SQL"
    assert found[0].facts.published["rose_simple"] == 91.18
    by_folder = {method.facts.folder: method for method in found}
    assert (len(by_folder["deepseek-v3"].ex), len(by_folder["deepseek-v3"].rose)) == (500, 489)
    assert by_folder["gpt-5"].facts.published.keys() == {"ex", "rose"}


def test_methods_of_ones_own(tmp_path: Path) -> None:
    for name in ("b", "a"):
        folder(tmp_path / name / "EX-x", eval_results=[row(1, 0.0)])
        folder(tmp_path / name / "o3-x", eval_results=[row(1, 1.0)])
    assert [method.facts.name for method in read_rose_methods(tmp_path)] == ["a", "b"]
    (tmp_path / "methods.csv").write_text(
        "folder,method,base_model,kind,released,ex\nb,B!,M,prompting,2024-05,12.5\n"
    )
    assert [method.facts.name for method in read_rose_methods(tmp_path)] == ["B!", "a"]
    (tmp_path / "methods.csv").write_text(
        "folder,method,base_model,kind,released\nb,B,M,prompting,May 2024\n"
    )
    with pytest.raises(InputError) as caught:
        read_rose_methods(tmp_path)
    assert caught.value.code == "SJ524"
    assert "methods.csv:2" in str(caught.value)
    folder(tmp_path / "b" / "gemini-x", eval_results=[row(1, 1.0)])
    with pytest.raises(InputError, match="SJ523"):
        read_rose_methods(tmp_path)
