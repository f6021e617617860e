"""How near to people is the judge `jury` when it may ask, and at what price?

    python experiments/jury_cascade.py SILVER.jsonl --experts BIRD.jsonl SPIDER.jsonl --data DATA \
        --kept FOLDER [--seeds 5] [--write jury_fusion.json]

Tables are of `sqljury features`, as for `jury.py`; models' answers are ROSE's recordings in DATA.
Cross-validated by question, with the folds of `jury.py`: a fold of the experts' cases is judged by
trees and rates that have not seen it. Slope, overlap and offset are fitted on the other folds, on
log-odds of juries that have not seen the case in question, but have seen the fold left out: three
numbers of which it may know. What juries say is kept in FOLDER, as by `jury.py`.
`--write` fits on all cases instead and writes the file that ships.

Prices are US dollars for a call of 3,000 tokens, answered by 2,500: recordings hold no counts.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from jury import FOLDS, Juries, labels
from sklearn.metrics import cohen_kappa_score

import sqljury as sj
from sqljury.benchmarks import read_rose_output
from sqljury.judges.jurors import ROWS, Asking, Consultation, Juror, answer_of, consult, jurors_of
from sqljury.learning.calibration import reliability
from sqljury.learning.fusion import Fusion, Opinions, fit_fusion
from sqljury.uses.statistics.paired import mcnemar_exact

TARGETS = (0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
PRICES = {
    "o3": 0.026,
    "gemini-2.5-pro": 0.045,
    "deepseek-r1": 0.0019,
    "qwen3-235b": 0.0019,
    "qwen3-30b": 0.0011,
    "deepseek-r1-distill-qwen-32b": 0.001,
}
OPEN = ("qwen3-30b", "qwen3-235b", "deepseek-r1-distill-qwen-32b")
SETS = [
    *[(model,) for model in PRICES],
    OPEN,
    ("o3", *OPEN),
    ("o3", "gemini-2.5-pro", "deepseek-r1"),
    tuple(PRICES),
]
ON_BOTH = ("o3", "gemini-2.5-pro", "deepseek-r1")
"""Models that are recorded on both halves."""


@dataclass(frozen=True)
class Material:
    """The experts' cases, in the order of the tables."""

    cases: list[sj.Case]
    has_rows: list[bool]
    known: Any
    """What the experts say."""


def main() -> None:
    """Train, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("silver", type=Path)
    parser.add_argument("--experts", type=Path, nargs="+", required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--kept", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--write", type=Path)
    given = parser.parse_args()
    juries = Juries(given.silver, given.experts, given.kept)
    material = material_of(given.data, juries.rows)
    recorded = str(given.data / "rose-vec/recorded")
    seats = jurors_of(tuple(PRICES), Fusion(1, 0, 0, {}, PRICES), recorded, "")
    answers = [answers_of(seats, case, rows)
               for case, rows in zip(material.cases, material.has_rows, strict=True)]  # fmt: skip
    if given.write:
        offline = [float(one) for one in juries.outer(0)]
        card = {
            "cases": len(juries.rows),
            "of": "ROSE-VEC, shared half",
            "prices": "a call, US dollars",
        }
        fit_fusion(offline, answers, material.known.tolist(), prices=PRICES, card=card).save(
            given.write
        )
        return
    fitted = {seed: [*folds(juries, seed, answers)] for seed in range(given.seeds)}
    rose = {model: rose_of(given.data, model, material) for model in PRICES}
    for models in SETS:
        of_set = [one for one in seats if one.asked == ROWS or one.asked[1] in models]
        for target in TARGETS:
            found = [judged(material, of_set, fitted[s], target) for s in range(given.seeds)]
            show(models, target, found, material, rose)
    for model, recording in rose.items():
        show_rose(model, recording, material)
    show_readings(juries, given.seeds, material, rose["o3"])


def material_of(data: Path, rows: list[Any]) -> Material:
    """The cases of the tables' rows."""
    files = [data / f"rose-vec/rose-vec-{name}.json" for name in ("bird", "spider")]
    cases = {(case.benchmark, case.id): case for case in sj.read_cases(files)}
    has_rows = [row["execution_prediction_runs"] is not None for row in rows]
    return Material([cases[row["benchmark"], row["id"]] for row in rows], has_rows, labels(rows))


def answers_of(seats: Sequence[Juror], case: sj.Case, has_rows: bool) -> Opinions:
    """All recorded answers on a case; recorded rows where there are no others."""
    consulted = (one for one in seats if one.asked != ROWS or not has_rows)
    found = {one.asked: answer_of(one.asked[0], one.opinion(case, evidence(has_rows)))
             for one in consulted}  # fmt: skip
    return {asked: answer for asked, answer in found.items() if answer is not None}


def evidence(has_rows: bool) -> Any:
    """All that a recorded answer needs to know."""
    return SimpleNamespace(has_database=has_rows)


def folds(
    juries: Juries, seed: int, answers: Sequence[Opinions]
) -> Iterator[tuple[Any, Any, Fusion]]:
    """Of each fold its cases, their offline log-odds, and a fusion that has not seen them."""
    fold, known, outer = juries.fold_of(seed), labels(juries.rows), juries.outer(seed)
    for number in range(FOLDS):
        rest = np.flatnonzero(fold != number)
        fusion = fit_fusion(
            outer[rest].tolist(), [answers[at] for at in rest], known[rest].tolist(), prices=PRICES
        )
        yield np.flatnonzero(fold == number), outer, fusion


def judged(
    material: Material, seats: Sequence[Juror], fitted: Sequence[Any], target: float
) -> tuple[Any, list[Consultation]]:
    """The probability of each case and the answers on it."""
    asking = Asking(target, 0, 0.0, 0.0)
    found = np.empty(len(material.cases))
    consultations = [Consultation() for _ in material.cases]
    for left_out, offline, fusion in fitted:
        for at in left_out:
            odds = float(offline[at])
            known = evidence(material.has_rows[at])
            consulted = consult(seats, fusion, odds, asking, material.cases[at], known)
            found[at] = 1 / (1 + np.exp(-fusion.log_odds(odds, consulted.opinions)))
            consultations[at] = consulted
    return found, consultations


def rose_of(data: Path, model: str, material: Material) -> dict[int, tuple[bool, int]]:
    """ROSE's recorded verdicts and calls, by the place of the case."""
    found = {}
    for name in ("rose-vec-bird", "rose-vec-spider"):
        folder = data / "rose-vec/recorded/rose-vec" / name / model / "ROSE"
        rows = read_rose_output(folder) if folder.is_dir() else {}
        raw = {str(one["question_id"]): one for one in _read(folder / "eval_results.json")}
        for at, case in enumerate(material.cases):
            if case.benchmark == name and case.id in rows:
                stages = (raw[case.id]["prover_result"], raw[case.id]["refuter_result"])
                calls = sum(stage is not None for stage in stages)
                found[at] = (rows[case.id].score == 1, calls)
    return found


def _read(path: Path) -> Any:
    return json.loads(path.read_text()) if path.exists() else []


def parts(models: Sequence[str], material: Material) -> dict[str, Any]:
    """Places of the cases of each part on which all models are recorded."""
    names = np.array([case.benchmark for case in material.cases])
    found = {"BIRD": np.flatnonzero(names == "rose-vec-bird")}
    if set(models) <= set(ON_BOTH):
        found["Spider"] = np.flatnonzero(names == "rose-vec-spider")
        found["all"] = np.arange(len(names))
    return found


def show(
    models: Sequence[str], target: float, found: Any, material: Material, rose: dict[str, Any]
) -> None:
    """κ, AUC-free: agreement, calibration, calls, dollars, and McNemar's test against ROSE."""
    for part, places in parts(models, material).items():
        known = material.known[places]
        kappas = [100 * cohen_kappa_score(known, one[places] >= 0.5) for one, _ in found]
        eces = [reliability(one[places].tolist(), known.tolist()).ece for one, _ in found]
        calls = np.mean([[consulted[at].calls for at in places] for _, consulted in found])
        money = np.mean([[consulted[at].money for at in places] for _, consulted in found])
        line = (
            f"{'+'.join(models)}, target {target:g}, {part}: n {len(places)}, "
            f"κ {np.mean(kappas):.1f} ({min(kappas):.1f}–{max(kappas):.1f}), "
            f"ECE {np.mean(eces):.3f}, calls {calls:.2f}, dollars {money:.4f}"
        )
        best = next((name for name in PRICES if name in models), models[0])
        ours = np.mean([one for one, _ in found], axis=0)[places] >= 0.5
        theirs = np.array([rose[best][at][0] for at in places])
        only = [int(((one == known) & (two != known)).sum())
                for one, two in ((ours, theirs), (theirs, ours))]  # fmt: skip
        print(f"{line}; against ROSE of {best} p {mcnemar_exact(*only):.3f}")


def show_rose(model: str, recording: dict[int, tuple[bool, int]], material: Material) -> None:
    """The recorded ROSE of a model."""
    for part, places in parts((model,), material).items():
        said = [recording[at][0] for at in places]
        calls = np.mean([recording[at][1] for at in places])
        kappa = 100 * cohen_kappa_score(material.known[places], said)
        print(f"ROSE of {model}, {part}: κ {kappa:.1f}, calls {calls:.2f}, "
              f"dollars {calls * PRICES[model]:.4f}")  # fmt: skip


def show_readings(
    juries: Juries, seeds: int, material: Material, rose: dict[int, tuple[bool, int]]
) -> None:
    """Where only the jury without models is right, and where only o3's ROSE: surest first."""
    mean = np.mean([1 / (1 + np.exp(-juries.outer(seed))) for seed in range(seeds)], axis=0)
    ours = (mean >= 0.5) == material.known
    theirs = np.array([rose[at][0] for at in range(len(mean))]) == material.known
    for title, chosen in (("without models", ours & ~theirs), ("ROSE of o3", theirs & ~ours)):
        places = sorted(np.flatnonzero(chosen), key=lambda at: -abs(mean[at] - 0.5))
        names = [f"{material.cases[at].benchmark}/{material.cases[at].id}" for at in places[:10]]
        print(f"only {title} is right: {len(places)} of {len(mean)}: {', '.join(names)}, …")


if __name__ == "__main__":
    main()
