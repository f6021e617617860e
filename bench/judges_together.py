"""Seconds of judges on trees, each alone and all together: whole commands on the same pairs.

    python bench/judges_together.py --data FOLDER [--pairs N] [--workers 2]

`sqljury evaluate` on FuncEvalGMN's pairs of Spider, start and report included; one judge first, on
a few pairs, so that nothing is read from the disk for the first time. Together they share what is
found out of a query, and the start.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

JUDGES = ("relpm", "canonical", "tree_match", "equivalence", "graph_match")
WARM = 20


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--pairs", type=int, help="this many, evenly taken")
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    file = options.data / "pairs" / "Spider_pair_dev.csv.gz"
    if not file.exists():
        sys.exit(f"{file} is not there: pass --data FOLDER (see docs/reproduce.md)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few = taken(file, folder / "few.csv", WARM)
        seconds(few[0], JUDGES, options.workers, folder / "warm")
        pairs, count = taken(file, folder / "pairs.csv", options.pairs)
        print(f"{count:,} pairs, {options.workers} workers")
        alone = {}
        for judge in JUDGES:
            alone[judge] = seconds(pairs, (judge,), options.workers, folder / judge)
            print(f"{judge:14}{alone[judge]:8.1f} s{count / alone[judge]:8.0f} pairs/s", flush=True)
        together = seconds(pairs, JUDGES, options.workers, folder / "all")
    slowest = max(alone.values())
    print(f"{'together':14}{together:8.1f} s{count / together:8.0f} pairs/s")
    print(f"together takes {together / slowest:.2f} x the slowest alone", end=", ")
    print(f"{together / sum(alone.values()):.2f} x one after the other")


def taken(file: Path, to: Path, count: int | None) -> tuple[Path, int]:
    """A file of so many of the pairs, evenly taken; and how many they are."""
    csv.field_size_limit(10**9)
    with gzip.open(file, "rt", encoding="utf-8", newline="") as lines:
        header, *rows = csv.reader(lines)
    chosen = rows[:: max(1, len(rows) // (count or len(rows)))][: count or None]
    with to.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([header, *chosen])
    return to, len(chosen)


def seconds(pairs: Path, judges: tuple[str, ...], workers: int, run: Path) -> float:
    """The time of one command."""
    chosen = [part for judge in judges for part in ("--judge", judge)]
    command = [sys.executable, "-m", "sqljury", "evaluate", str(pairs), *chosen]
    start = time.perf_counter()
    subprocess.run(
        [*command, "--workers", str(workers), "--run", str(run)],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
