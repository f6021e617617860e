"""Labels and weights beside the features of ordinary predictions, to train the jury on.

    python experiments/ordinary_features.py FEATURES.jsonl … --out TABLE.jsonl [--part fit]
        [--linking LINKING.jsonl]

FEATURES are tables that `sqljury evaluate --features` wrote for the cases of `ordinary_cases.py`.
Each row of the chosen part gets its label of `ordinary_labels.jsonl`, and as its weight the cube
root of the number of predictions that it stands for, so that common kinds count for more without
drowning the rare ones; the mean weight is 1. The verifier, and what linking knows of likely
columns, were trained on Spider's training questions: of rows on these, both are removed, or, with
what `ordinary_linking.py` wrote, linking is that of a verifier without their databases.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

LABELS: Final = Path(__file__).with_name("ordinary_labels.jsonl")
TRAINED: Final = re.compile(r"verifier_|linking_(regret|tables_regret|missed|more_)")


def main() -> None:
    """Join, weigh, write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("features", type=Path, nargs="+")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--part", choices=("fit", "aside"), default="fit")
    parser.add_argument("--linking", type=Path)
    options = parser.parse_args()
    linking = {} if options.linking is None else _by_id(options.linking)
    rows = [json.loads(line) for path in options.features for line in path.open(encoding="utf-8")]
    chosen = list(labelled(rows, options.part, linking))
    with options.out.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in chosen)
    print(f"{len(chosen):,} rows, {sum(row['label'] for row in chosen):,} of them right")


def _by_id(path: Path) -> dict[str, Any]:
    return {one["id"]: one for one in map(json.loads, path.open(encoding="utf-8"))}


def labelled(rows: list[Any], part: str, linking: Mapping[str, Any]) -> Iterator[Any]:
    """The rows of one part with labels and weights.

    Args:
        linking: by id, features of linking in place of those that were trained on the question.
    """
    lines = LABELS.read_text(encoding="utf-8").splitlines()
    labels = {one["id"]: one for one in map(json.loads, lines) if one["part"] == part}
    rows = [row for row in rows if row["id"] in labels]
    weights = [labels[row["id"]]["weight"] ** (1 / 3) for row in rows]
    mean = sum(weights) / len(weights)
    for row, weight in zip(rows, weights, strict=True):
        seen = unlearned(row) if row["benchmark"] == "spider-train" else row
        yield {
            **seen,
            **linking.get(row["id"], {}),
            "label": labels[row["id"]]["label"],
            "weight": weight / mean,
        }


def unlearned(row: Any) -> Any:
    """The row without what was trained on its question."""
    return {name: value for name, value in row.items() if not TRAINED.match(name)}


if __name__ == "__main__":
    main()
