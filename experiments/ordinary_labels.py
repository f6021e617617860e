"""What readers say of ordinary predictions, and how near judges are to them.

    python experiments/ordinary_labels.py [--run FOLDER] [--part fit]

`ordinary_labels.jsonl` has a line for each case that `ordinary_cases.py` draws. Two readings, each
made without the other and without a judge's verdict, and a third where they differ, gave `label`.
Without --run: how far the readings agree, and the share of right predictions by stratum and in the
whole, each case counted by the predictions it stands for. With the FOLDER that `ordinary_cases.py`
filled (`--run`): κ, AUC and the share of wrong among accepted, for each judge, on one part of the
labels. The part `aside` holds other databases and is for one question a release.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.metrics import cohen_kappa_score, roc_auc_score

import sqljury as sj

LABELS = Path(__file__).with_suffix(".jsonl")


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--part", choices=("fit", "aside"), default="fit")
    options = parser.parse_args()
    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    if options.run is None:
        show_labels(rows)
    else:
        show_judges([row for row in rows if row["part"] == options.part], options.run)


def show_labels(rows: Sequence[dict[str, Any]]) -> None:
    """Agreement of the readings; the share of right predictions."""
    first, second = ([row["readings"][place] for row in rows] for place in (0, 1))
    third = sum(len(row["readings"]) > 2 for row in rows)
    print(
        f"{len(rows):,} cases, κ {100 * cohen_kappa_score(first, second):.1f}, {third} read again"
    )
    for flag in ("gold_fault", "ambiguous"):
        print(f"{flag}: {sum(bool(row.get(flag)) for row in rows):,} cases")
    strata: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        strata[row["stratum"]].append(row)
    for name, group in strata.items():
        right = np.mean([row["label"] for row in group])
        stands_for = sum(row["weight"] for row in group)
        print(f"{name:36} {len(group):5,} cases for {stands_for:7,.0f}: {right:4.0%} right")
    for population in ("spider-dev", "spider-dk", "bird-dev"):
        group = [row for row in rows if row["id"].startswith(population)]
        weights = [row["weight"] for row in group]
        right = np.average([row["label"] for row in group], weights=weights)
        print(f"{population}: {right:.1%} of {sum(weights):,.0f} predictions right")


def show_judges(rows: Sequence[dict[str, Any]], run: Path) -> None:
    """Each judge against the labels: all cases, those whose rows are equal, those whose differ."""
    verdicts: dict[str, dict[str, sj.Verdict]] = defaultdict(dict)
    for folder in ("spider", "dk", "superhero"):
        with sj.load_run(run / folder) as found:
            for record in found.records():
                verdicts[record.judge][record.case.id] = record.verdict
    parts = {
        "all": [True for _ in rows],
        "same rows": ["same" in row["stratum"] for row in rows],
        "same rows, suite differs": ["suite differs" in row["stratum"] for row in rows],
        "rows differ": ["rows differ" in row["stratum"] for row in rows],
    }
    known = np.array([row["label"] for row in rows])
    weights = np.array([row["weight"] for row in rows])
    for judge, of_case in verdicts.items():
        found = [of_case[row["id"]] for row in rows]
        said = np.array([verdict.outcome is sj.Outcome.CORRECT for verdict in found])
        score = np.array([0.5 if one.score is None else one.score for one in found])
        for name, chosen in parts.items():
            here = np.array(chosen)
            kappa = cohen_kappa_score(known[here], said[here])
            weighed = cohen_kappa_score(known[here], said[here], sample_weight=weights[here])
            wrong = np.mean(~known[here][said[here]]) if said[here].any() else np.nan
            print(
                f"{judge:18} {name:26} n {here.sum():5,} right {known[here].mean():4.0%} "
                f"κ {100 * kappa:5.1f} weighted {100 * weighed:5.1f} "
                f"AUC {100 * roc_auc_score(known[here], score[here]):5.1f} "
                f"wrong among accepted {wrong:4.0%}"
            )


if __name__ == "__main__":
    main()
