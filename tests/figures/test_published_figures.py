"""The figures of docs/reproduce.md, from the public data."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

import sqljury as sj
from sqljury.verdict import Outcome

ROSE_VEC = ("rose-vec-bird", "rose-vec-spider")


def _recorded(data: Path, model: str, metric: str) -> str:
    folder = data / "rose-vec" / "recorded" / "rose-vec"
    return ",".join(str(folder / s / model / metric / "eval_results.json") for s in ROSE_VEC)


def _kappas(data: Path, model: str, metrics: dict[str, str]) -> dict[str, tuple[float, ...]]:
    inputs = [f"{name}={_recorded(data, model, metric)}" for name, metric in metrics.items()]
    agreement = sj.agree_files(inputs)
    assert {judge.n for judge in agreement.judges} == {302}
    return {
        judge.name: tuple(round(100 * (row.kappa or 0), 2) for row in (judge, *judge.by_benchmark))
        for judge in agreement.judges
    }


def test_agreement_of_recorded_deterministic_metrics(data_dir: Path) -> None:
    found = _kappas(data_dir, "decisive", {"EX": "EX", "EM": "EM", "ETM": "ETM"})
    assert {name: figures[0] for name, figures in found.items()} == {
        "EX": 31.37,
        "EM": 0.86,
        "ETM": 6.56,
    }


def test_agreement_of_recorded_model_judges(data_dir: Path) -> None:
    names = {name: name for name in ("FLEX", "llmsolver", "ProverOnly", "ROSE")}
    assert _kappas(data_dir, "o3", names) == {
        "FLEX": (55.98, 52.12, 59.96),
        "llmsolver": (14.38, 7.80, 20.00),
        "ProverOnly": (57.64, 64.61, 44.66),
        "ROSE": (75.93, 76.61, 73.98),
    }


def test_rose_vec_spider_agrees_with_what_was_recorded(data_dir: Path, tmp_path: Path) -> None:
    with sj.evaluate(
        data_dir / "rose-vec" / "rose-vec-spider.json",
        ["execution:bird", "execution:rose"],
        data_dir / "spider" / "databases",
        run=tmp_path,
    ) as found:
        said = {
            (record.judge, record.case.id): record.verdict.outcome is Outcome.CORRECT
            for record in found.run.records(with_evidence=False)
            if not record.verdict.outcome.left_out
        }
    recorded = data_dir / "rose-vec" / "recorded" / "rose-vec" / "rose-vec-spider"
    ex = json.loads((recorded / "decisive" / "EX" / "eval_results.json").read_text())
    bird = {str(row["question_id"]): row["score"] == 1.0 for row in ex}
    # The reference implementation asks the Prover only where rows differ by its comparison.
    o3 = json.loads((recorded / "o3" / "ROSE" / "eval_results.json").read_text())
    rose = {
        str(row["question_id"]): row["prover_result"] is None and row["refuter_result"] is not None
        for row in o3
    }
    ids = [id_ for judge, id_ in said if judge == "execution:bird"]
    assert len(ids) == 121
    assert [said["execution:bird", id_] for id_ in ids] == [bird[id_] for id_ in ids]
    assert [said["execution:rose", id_] for id_ in ids] == [rose[id_] for id_ in ids]


@pytest.mark.parametrize(
    ("references", "n", "missing"), [("dev_gold.sql", 972, 62), ("test_gold.sql", 1943, 204)]
)
def test_spider_references_against_themselves(
    data_dir: Path, tmp_path: Path, references: str, n: int, missing: int
) -> None:
    file = data_dir / "spider" / references
    cases = sj.read_cases([file], predictions=[file])
    databases = data_dir / "spider" / "databases"
    with sj.evaluate(cases, ["execution:strict"], databases, run=tmp_path) as found:
        (judge,) = found.summary.judges
    assert judge.outcomes == {"correct": n, "database_missing": missing}


@pytest.mark.slow
def test_candidates_of_17_systems(data_dir: Path, tmp_path: Path) -> None:
    judges = {
        "execution:strict": "ex",
        "execution:spider": "ex_colperm",
        "execution:spider,keep_distinct=true": "ex_colperm",
    }
    with sj.evaluate(
        data_dir / "candidates" / "spider-dev-17-systems.jsonl.gz",
        list(judges),
        data_dir / "spider" / "databases",
        run=tmp_path,
        limits=sj.Limits(seconds=10),
    ) as found:
        disagree: dict[str, Counter[str]] = {name: Counter() for name in judges}
        total = 0
        for record in found.records():
            if not record.case.extra["has_db"]:
                continue
            total += 1
            correct = record.verdict.outcome is Outcome.CORRECT
            if correct != record.case.extra[judges[record.judge]]:
                disagree[record.judge][_reason(record, correct)] += 1
    assert total == 3 * 11_708
    assert disagree == {
        "execution:strict": {"empty results of different width": 6},
        "execution:spider": {"DISTINCT removed": 264},
        "execution:spider,keep_distinct=true": {},
    }


def _reason(record: sj.Record, correct: bool) -> str:
    sqls = (*record.case.reference_sqls, str(record.case.predicted_sql))
    if record.judge == "execution:spider" and any("distinct" in sql.lower() for sql in sqls):
        return "DISTINCT removed"
    evidence = record.verdict.evidence
    if (
        not correct
        and evidence["reference"]["row_count"] == 0 == evidence["prediction"]["row_count"]
    ):
        return "empty results of different width"
    return "unexplained"
