"""The figures of docs/select.md."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqljury as sj
from sqljury.uses.select import Selection

SAMPLED = {
    "golden_schema_linking_columns": (53.70, 60.33, 73.33, 93.33),
    "golden_schema_linking_tables": (36.50, 43.86, 55.00, 86.67),
    "change_mschema_null_desc": (37.08, 42.69, 53.33, 76.67),
    "add_instructions": (32.75, 38.00, 51.67, 80.00),
}
BY_ROWS = {
    "spider-dev-17-systems": (972, 79.73, 82.31, 87.34, 86.32, 95.78),
    "spider-test-6-systems": (1943, 84.98, 87.22, 88.49, 88.01, 93.98),
}


def percents(found: Selection) -> list[float]:
    return [round(100 * one.accuracy, 2) for one in found.strategies]


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "best", "oracle"),
    [("spider-dev-17-systems", 86.32, 95.78), ("spider-test-6-systems", 87.91, 93.88)],
)
def test_by_recorded_labels(data_dir: Path, name: str, best: float, oracle: float) -> None:
    found = sj.select(data_dir / "candidates" / f"{name}.jsonl.gz", ["oracle"], label="ex_colperm")
    assert percents(found) == [oracle]
    assert round(100 * max(found.systems.values()), 2) == best
    assert found.left_out == {"unlabelled": found.total - found.n}


@pytest.mark.data
@pytest.mark.parametrize("name", SAMPLED)
def test_samples_by_recordings_alone(data_dir: Path, name: str) -> None:
    folder = data_dir / "candidates" / "contextual-bird-california_schools" / name
    strategies = ["random", "execution", "majority", "oracle"]
    found = sj.select(folder / "candidates.jsonl.gz", strategies, label="evaluation", resamples=5)
    assert tuple(percents(found)) == SAMPLED[name]
    cases = list(sj.read_cases(folder / "candidates.jsonl.gz"))
    solved = {case.id for case in cases if case.extra["evaluation"] == "pass: correct"}
    assert found.oracle.curve[-1] == len(solved) / 30
    assert len(found.oracle.curve) == 256


@pytest.mark.data
@pytest.mark.slow
@pytest.mark.parametrize("name", BY_ROWS)
def test_by_rows(data_dir: Path, name: str) -> None:
    best = {"spider-dev-17-systems": "supersql", "spider-test-6-systems": "rsl-sql-step4"}[name]
    found = sj.select(
        data_dir / "candidates" / f"{name}.jsonl.gz",
        ["random", "execution", "majority", f"system:{best}", "oracle"],
        data_dir / "spider" / "databases",
        judge="execution:strict,column_order=any,tolerance=1e-6",
        resamples=5,
    )
    assert (found.n, *percents(found)) == BY_ROWS[name]
    tests = {(test.first, test.second): test.p_bonferroni for test in found.tests}
    assert tests["majority", "random"] < 1e-6
    assert tests[f"system:{best}", "majority"] > 0.05
