"""Labels and weights beside the features of ordinary predictions, to train the jury on.

    python experiments/ordinary_features.py FEATURES.jsonl … --out TABLE.jsonl [--part fit]

FEATURES are tables that `sqljury evaluate --features` wrote for the cases of `ordinary_cases.py`.
Each row of the chosen part gets its label of `ordinary_labels.jsonl`, and as its weight the cube
root of the number of predictions that it stands for, so that common kinds count for more without
drowning the rare ones; the mean weight is 1.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

LABELS = Path(__file__).with_name("ordinary_labels.jsonl")


def main() -> None:
    """Join, weigh, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("features", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", choices=("fit", "aside"), default="fit")
    options = parser.parse_args()
    labels = {one["id"]: one for one in map(json.loads, LABELS.read_text("utf-8").splitlines())}
    rows = [json.loads(line) for path in options.features for line in path.open(encoding="utf-8")]
    rows = [row for row in rows if labels[row["id"]]["part"] == options.part]
    weights = [labels[row["id"]]["weight"] ** (1 / 3) for row in rows]
    mean = sum(weights) / len(weights)
    with options.out.open("w", encoding="utf-8") as file:
        for row, weight in zip(rows, weights, strict=True):
            label = labels[row["id"]]["label"]
            file.write(json.dumps({**row, "label": label, "weight": weight / mean}) + "\n")


if __name__ == "__main__":
    main()
