"""How near to people is the judge `jury:offline`?

    python experiments/jury.py SILVER.jsonl --experts BIRD.jsonl SPIDER.jsonl [--seeds 5]

Tables are of `sqljury features`: SILVER of what `jury_cases.py` writes, the experts' of ROSE-VEC.
Each fifth of the experts' questions is judged by a jury that was trained on the silver cases and on
the other four fifths; within these its calibration has folds of its own. κ and AUC, in percent,
with the range over the seeds; expected calibration error; κ of the surest cases.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score, roc_auc_score
from sklearn.model_selection import StratifiedKFold

from sqljury.api.jury_training import train_jury_on
from sqljury.learning.calibration import reliability

WEIGHTS = {"methods": 0.7, "bugs": 0.7, "rose-vec-bird": 5.0, "rose-vec-spider": 5.0}
GROUPS = "execution+tables+differences+faults+verifier+linking+difficulty+question"
COVERAGES = (1.0, 0.8, 0.6, 0.4)


def main() -> None:
    """Judge each fold, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("silver", type=Path)
    parser.add_argument("--experts", type=Path, nargs="+", required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--groups", default=GROUPS)
    options = parser.parse_args()
    lines = [line for path in options.experts for line in path.read_text().splitlines()]
    rows = [row_of(line) for line in lines]
    found = [judged(options.silver, lines, rows, seed, options.groups)
             for seed in range(options.seeds)]  # fmt: skip
    for name, chosen in parts(rows).items():
        show(name, [one[chosen] for one in found], labels(rows)[chosen])


def judged(silver: Path, lines: list[str], rows: list[Any], seed: int, groups: str) -> Any:
    """The probability of each expert's case, by a jury that has not seen its question."""
    out = np.empty(len(rows))
    splits = StratifiedKFold(5, shuffle=True, random_state=seed)
    with TemporaryDirectory() as folder:
        known, model = Path(folder) / "known.jsonl", Path(folder) / "jury.npz"
        for rest, left_out in splits.split(rows, labels(rows)):
            known.write_text("".join(f"{lines[at]}\n" for at in rest))
            jury = train_jury_on([silver, known], model, weights=WEIGHTS, groups=groups, seed=seed)
            table = [[rows[at].get(name) for name in jury.names] for at in left_out]
            out[left_out] = jury.probabilities(np.array(table, dtype=float))
    return out


def row_of(line: str) -> Any:
    """A row of a table."""
    return json.loads(line)


def labels(rows: list[Any]) -> Any:
    """What the experts say."""
    return np.array([row["label"] for row in rows], dtype=bool)


def parts(rows: list[Any]) -> dict[str, Any]:
    """The cases of each benchmark, those with rows, and all."""
    names = np.array([row["benchmark"] for row in rows])
    has_rows = np.array([row["execution_prediction_runs"] is not None for row in rows])
    found = {str(name): names == name for name in dict.fromkeys(names)}
    return {**found, "with a database": has_rows, "all": names == names}


def show(name: str, found: list[Any], known: Any) -> None:
    """The figures of one part."""
    kappas = [100 * cohen_kappa_score(known, one >= 0.5) for one in found]
    aucs = [100 * roc_auc_score(known, one) for one in found]
    mean = np.mean(found, axis=0)
    print(
        f"{name}: n {len(known)}, κ {np.mean(kappas):.1f} ({min(kappas):.1f}–{max(kappas):.1f}), "
        f"AUC {np.mean(aucs):.1f} ({min(aucs):.1f}–{max(aucs):.1f}), "
        f"ECE {np.mean([reliability(one.tolist(), known.tolist()).ece for one in found]):.3f}"
    )
    order = np.argsort(-np.abs(mean - 0.5))
    for coverage in COVERAGES:
        kept = order[: round(coverage * len(order))]
        kappa = 100 * cohen_kappa_score(known[kept], mean[kept] >= 0.5)
        print(f"  surest {coverage:.0%}: κ {kappa:.1f}")


if __name__ == "__main__":
    main()
