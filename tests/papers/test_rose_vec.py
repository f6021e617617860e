"""The tables of ROSE's paper from recordings, and what repeated runs agree on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sqljury.benchmarks import RecordedJudgement
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.papers.rose_vec import MetricRow, Recording, RoseVec, read_rose_vec, rose_vec
from sqljury.uses.agree.stability import stability, stability_of_repeats
from sqljury.verdict import Outcome, Record, Scored, Verdict

# κ, accuracy, MCC, F1 in percent.
PUBLISHED = {
    ("o3", "ROSE", "pooled"): (75.93, 89.07, 77.22, 91.69),
    ("gemini-2.5-pro", "ROSE", "pooled"): (72.20, 87.42, 73.34, 90.45),
    ("deepseek-r1", "ROSE", "pooled"): (62.82, 82.78, 64.54, 86.67),
    ("decisive", "EX", "pooled"): (31.37, 60.26, 43.13, 60.26),
    ("decisive", "EM", "rose-vec-bird"): (0.00, 34.52, None, 0.00),
    ("o3", "FLEX", "pooled"): (55.98, 77.81, 61.49, 81.34),
    ("o3", "ProverOnly", "rose-vec-spider"): (44.66, 81.34, 45.58, 88.15),
    ("qwen3-235b", "FLEX", "rose-vec-bird"): (43.26, 69.64, 49.97, 70.86),
}
ABLATIONS = {("o3", "pr"): 68.11, ("o3", "pr-wogt"): 47.84, ("o3", "rose-wogt"): 69.22,
             ("o3", "ProverOnly"): 64.61, ("o3", "ROSE"): 76.61,
             ("gemini-2.5-pro", "pr"): 69.16, ("gemini-2.5-pro", "pr-wogt"): 46.50,
             ("gemini-2.5-pro", "wogt"): 57.63}  # fmt: skip


@pytest.fixture(scope="module")
def found(data_dir: Path) -> RoseVec:
    return read_rose_vec(data_dir / "rose-vec", bootstrap=200)


def percent(*values: float | None) -> tuple[float | None, ...]:
    return tuple(None if value is None else round(100 * value, 2) for value in values)


def row(rows: tuple[MetricRow, ...], model: str, metric: str) -> MetricRow:
    return next(row for row in rows if (row.model, row.metric) == (model, metric))


@pytest.mark.data
@pytest.mark.parametrize("place", PUBLISHED)
def test_the_main_table(found: RoseVec, place: tuple[str, str, str]) -> None:
    figures: Any = row(found.metrics, *place[:2]).figures
    if place[2] != "pooled":
        figures = next(part for part in figures.by_benchmark if part.value == place[2])
    assert percent(figures.kappa, figures.accuracy, figures.mcc, figures.f1) == PUBLISHED[place]
    low, high = figures.intervals["kappa"]
    assert low <= figures.kappa <= high


@pytest.mark.data
def test_what_is_recorded_on_one_set_is_not_pooled(found: RoseVec) -> None:
    complete = {row.model: row.complete for row in found.metrics}
    assert complete == {"decisive": True, "o3": True, "gemini-2.5-pro": True, "deepseek-r1": True,
                        "deepseek-r1-distill-qwen-32b": False, "qwen3-235b": False,
                        "qwen3-30b": False}  # fmt: skip
    assert [row.metric for row in found.metrics][:7] == [
        "EM", "ETM", "EX", "llmsolver", "FLEX", "ProverOnly", "ROSE",
    ]  # fmt: skip


@pytest.mark.data
def test_ablations(found: RoseVec) -> None:
    for place, kappa in ABLATIONS.items():
        figures = row(found.ablations, *place).figures
        assert (percent(figures.kappa), figures.n) == ((kappa,), 168)


@pytest.mark.data
def test_against_rose(found: RoseVec) -> None:
    pair = next(c for c in found.comparisons if (c.model, c.metric) == ("o3", "FLEX"))
    assert (pair.n, pair.only_metric, pair.only_other) == (302, 11, 45)
    assert pair.p < 1e-5 < pair.p_holm < 1e-4
    assert len(found.comparisons) == 3 * 6 + 3 * 4
    assert all(c.metric != "ROSE" and "thread" not in c.metric for c in found.comparisons)


@pytest.mark.data
def test_repeated_runs(found: RoseVec) -> None:
    (runs,) = found.stability
    assert runs.name == "o3/ROSE/rose-vec-bird"
    assert [percent(run.kappa)[0] for run in runs.runs] == [76.61, 75.28, 87.35]
    assert percent(runs.kappa_low, runs.kappa_high, runs.kappa_mean) == (75.28, 87.35, 79.74)
    assert percent(runs.kappa_deviation, runs.unanimous, runs.pairwise) == (6.62, 88.10, 92.06)
    assert len(runs.unstable) == 20
    assert percent(runs.majority_kappa, runs.fleiss_kappa) == (81.24, 83.81)


@pytest.mark.data
def test_what_is_wrong_is_said(found: RoseVec) -> None:
    notes = {note.partition(":")[0]: note for note in found.notes}
    assert "qwen3-235b/FLEX (27 of 168)" in notes["Labels that are not the experts', which count"]
    assert "deepseek-r1-distill-qwen-32b/FLEX (43 of 168)" in "".join(found.notes)
    assert notes["Judged on another reference"].count("(5 of 168)") == 6
    assert "deepseek-r1/llmsolver (15 of 168)" in notes["Failed, and counts as no"]
    assert json.loads(json.dumps(found.to_json()))["sets"] == ["rose-vec-bird", "rose-vec-spider"]


# ---------------------------------------------------------------- small and wrong


def case(key: str, label: bool | None = True, sql: str = "SELECT 1") -> Case:
    return Case(id=key, label=label, predicted_sql=sql, reference_sqls=("SELECT 2",))


def recording(*folders: str, scores: dict[str, float | None], **changes: Any) -> Recording:
    judgements = {
        key: RecordedJudgement(case=case(key, **changes), score=score)
        for key, score in scores.items()
    }
    return Recording(folders=folders, judgements=judgements)


EXPERTS = {"a": [case("1"), case("2", False), case("3")],
           "b": [case("1", False, "SELECT 9"), case("2", True, "SELECT 9")]}  # fmt: skip


def test_labels_are_the_experts_and_sets_are_found_by_content() -> None:
    """The recording says that everything is wrong; its folder says nothing of the set."""
    given = recording("x", "m", "ROSE", scores={"1": 1, "2": 0, "3": None}, label=False)
    other = recording("y", "m", "ROSE", scores={"1": 0, "2": 1}, sql="SELECT 9")
    found = rose_vec([given, other], EXPERTS, bootstrap=0)
    (only,) = found.metrics
    assert only.figures.accuracy == 4 / 5
    assert [part.value for part in only.figures.by_benchmark] == ["a", "b"]
    assert found.notes[0] == (
        "Labels that are not the experts', which count: x/m/ROSE (2 of 3), y/m/ROSE (1 of 2)."
    )
    assert "No score: x/m/ROSE (1 of 3)." in found.notes


def test_missing_cases_are_counted() -> None:
    given = recording("m", "EX", scores={"1": 1, "2": 0}, label=None)
    found = rose_vec([given], EXPERTS, bootstrap=0)
    assert found.metrics[0].figures.n == 2
    assert found.notes == ("Cases that were not recorded: m/EX (1).",)


def test_recordings_of_other_cases_or_twice() -> None:
    with pytest.raises(InputError, match="SJ521"):
        rose_vec([recording("m", "EX", scores={"1": 1}, sql="SELECT 7")], EXPERTS)
    twice = [recording(name, "m", "EX", scores={"1": 1, "2": 1}) for name in "xy"]
    with pytest.raises(InputError, match="SJ522"):
        rose_vec(twice, EXPERTS)


def test_labels_must_be_somewhere(tmp_path: Path) -> None:
    folder = tmp_path / "one" / "two" / "three" / "four" / "five"
    folder.mkdir(parents=True)
    with pytest.raises(InputError, match="SJ120"):
        read_rose_vec(folder)
    rows = [{"question_id": 1, "predicted_sql": "SELECT 1", "score": 1.0}]
    (folder / "eval_results.json").write_text(json.dumps(rows))
    with pytest.raises(InputError, match="SJ521"):
        read_rose_vec(folder)
    labels = tmp_path / "mine.json"
    labels.write_text(json.dumps([{**rows[0], "gold_sql": "SELECT 1", "label": True}]))
    assert read_rose_vec(folder, labels=[labels]).metrics[0].figures.accuracy == 1.0


# ---------------------------------------------------------------- stability


def run(*scores: float | None) -> list[Scored]:
    return [Scored(id=str(i), score=score, label=i > 0) for i, score in enumerate(scores)]


def test_two_runs_that_differ() -> None:
    found = stability("j", {"a": run(0, 1, 1, 1), "b": run(0, 1, 0, None)})
    assert (found.n, found.unanimous, found.pairwise) == (4, 0.5, 0.5)
    assert [case.id for case in found.unstable] == ["2", "3"]
    assert [found.runs[0].kappa, found.kappa_high] == [1.0, 1.0]
    assert found.runs[1].yes == 1


def test_only_shared_cases_count() -> None:
    assert stability("j", {"a": run(0, 1, 1), "b": run(0, 1)}).n == 2


@pytest.mark.parametrize("runs", [{}, {"a": run(1)}, {"a": run(1), "b": []}])
def test_nothing_to_compare(runs: dict[str, list[Scored]]) -> None:
    with pytest.raises(InputError, match="SJ520"):
        stability("j", runs)


def test_repeats_of_one_judge() -> None:
    def repeated(key: str, label: bool, *scores: float) -> Record:
        votes = [{"outcome": "correct", "score": score} for score in scores]
        verdict = Verdict(outcome=Outcome.CORRECT, score=1.0, evidence={"repeats": votes})
        return Record(case=Case(id=key, label=label), judge="rose", verdict=verdict)

    plain = Record(case=Case(id="9"), judge="execution", verdict=Verdict.correct())
    records = [repeated("1", True, 1, 1, 0), repeated("2", False, 0, 0, 0), plain]
    (found,) = stability_of_repeats(records)
    assert (found.name, len(found.runs), found.n, found.unanimous) == ("rose", 3, 2, 0.5)
    assert [run.kappa for run in found.runs] == [1.0, 1.0, 0.0]
