"""The verifier that comes with the package, on what it never saw: a table of docs/verifier.md.

    python experiments/embedded_verifier.py --data $DATA [--runs FOLDER] [--workers N]

`candidates`: the answers of 17 systems on Spider dev against their recorded labels. `experts`:
ROSE-VEC against what people say. Picking by it is measured by experiments/selection.py.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import sqljury as sj
from sqljury.uses.agree.files import agree_files

LABELS = ("ex_colperm", "ts_colperm")
EXPERTS = {
    "ROSE-VEC Spider": ("rose-vec/rose-vec-spider.json", "spider/test_tables.json"),
    "ROSE-VEC BIRD": ("rose-vec/rose-vec-bird.json", "bird/dev_tables.json.gz"),
}


def main() -> None:
    """Judge, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--runs", type=Path)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        runs = options.runs or Path(scratch)
        print("| | cases | right | scored | AUC | accuracy | MCC | kappa |")
        print("|---|---|---|---|---|---|---|---|")
        pools = options.data / "candidates/spider-dev-17-systems.jsonl.gz"
        run = _judged(pools, options.data, None, runs / "dev", options.workers)
        for label in LABELS:
            _print(f"17 systems on Spider dev, `{label}`", run, label)
        for name, (file, schemas) in EXPERTS.items():
            folder = runs / file.rpartition("/")[2]
            run = _judged(
                options.data / file, options.data, options.data / schemas, folder, options.workers
            )
            _print(f"{name}, experts", run, "label")


def _judged(cases: Path, data: Path, schemas: Path | None, folder: Path, workers: int) -> Path:
    databases = [data / "spider/databases", data / "bird/databases"]
    with sj.evaluate(
        cases,
        ["verifier"],
        databases,
        schemas=schemas,
        workers=workers,
        run=folder,
    ):
        return folder


def _print(title: str, run: Path, label: str) -> None:
    found = agree_files([str(run)], label=label)
    (one,) = found.judges
    right = one.confusion.tp + one.confusion.fn
    cells = (one.auc, one.accuracy, one.mcc, one.kappa)
    figures = " | ".join("–" if cell is None else f"{100 * cell:.2f}" for cell in cells)
    print(f"| {title} | {one.n} | {right} | {one.n_scored} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
