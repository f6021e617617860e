"""The published agreement of recorded judges with experts, from their recorded files."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from sqljury.uses.agree.agreement import Agreement, agree
from sqljury.verdict import Scored

pytestmark = pytest.mark.data

# name: κ in percent, pooled, BIRD, Spider
PUBLISHED = {
    "decisive/EX": (31.37, 48.07, 15.89),
    "decisive/EM": (0.86, 0.00, 1.49),
    "decisive/ETM": (6.56, 6.46, 6.23),
    "o3/FLEX": (55.98, 52.12, 59.96),
    "o3/llmsolver": (14.38, 7.80, 20.00),
    "o3/ProverOnly": (57.64, 64.61, 44.66),
    "o3/ROSE": (75.93, 76.61, 73.98),
}
SIZES = {"bird": 168, "spider": 134}


def recorded(
    data_dir: Path, judge: str, *, own_labels: bool = False, benchmarks: Iterable[str] = SIZES
) -> list[Scored]:
    found = []
    for benchmark in benchmarks:
        samples = json.loads((data_dir / f"rose-vec/rose-vec-{benchmark}.json").read_text())
        labels = {sample["question_id"]: sample["label"] for sample in samples}
        folder = data_dir / f"rose-vec/recorded/rose-vec/rose-vec-{benchmark}" / judge
        for row in json.loads((folder / "eval_results.json").read_text()):
            key = row["question_id"]
            found.append(
                Scored(
                    id=str(key),
                    score=row["score"],
                    label=row["label"] if own_labels else labels[key],
                    benchmark=benchmark,
                )
            )
    return found


@pytest.fixture(scope="module")
def agreement(data_dir: Path) -> Agreement:
    return agree({judge: recorded(data_dir, judge) for judge in PUBLISHED}, bootstrap=200)


@pytest.mark.parametrize("judge", PUBLISHED)
def test_kappa_as_published(agreement: Agreement, judge: str) -> None:
    found = next(j for j in agreement.judges if j.name == judge)
    kappas = (found.kappa, *(row.kappa for row in found.by_benchmark))
    assert tuple(round(100 * (kappa or 0), 2) for kappa in kappas) == PUBLISHED[judge]
    assert (found.n, found.n_scored, found.coverage) == (302, 302, 1.0)
    assert {row.value: row.n for row in found.by_benchmark} == SIZES


def test_pairs_are_complete(agreement: Agreement) -> None:
    assert len(agreement.pairs) == 21
    assert {pair.n for pair in agreement.pairs} == {302}
    assert agreement.notes == ()
    rose = next(p for p in agreement.pairs if (p.first, p.second) == ("o3/ProverOnly", "o3/ROSE"))
    assert (rose.only_first + rose.only_second + rose.both + rose.neither) == 302


@pytest.mark.parametrize("judge", PUBLISHED)
def test_recorded_labels_of_these_are_the_experts(data_dir: Path, judge: str) -> None:
    assert recorded(data_dir, judge, own_labels=True) == recorded(data_dir, judge)


@pytest.mark.parametrize(("model", "n"), [("deepseek-r1-distill-qwen-32b", 43), ("qwen3-235b", 27)])
def test_files_with_labels_of_their_own_are_noticed(data_dir: Path, model: str, n: int) -> None:
    judge = f"{model}/FLEX"
    inputs = {
        "own": recorded(data_dir, judge, own_labels=True, benchmarks=["bird"]),
        "experts": recorded(data_dir, judge, benchmarks=["bird"]),
    }
    found = agree(inputs, bootstrap=0)
    assert (found.pairs[0].n, found.pairs[0].n_left_out) == (168 - n, n)
    assert f"different labels for {n} of 168 cases" in found.notes[0]
