"""Rewards a second: candidates of 17 systems for Spider dev, in batches, with warm databases.

    python bench/rewards.py --data FOLDER [--batch 256] [--workers 2]

Each batch is timed as a training would see it. The first pass opens the databases and runs the
references; the second pass is the figure. As a baseline the same queries are run by Python's
sqlite3 alone in this process, without limits, a sandbox or a comparison. FOLDER: see
docs/reproduce.md.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import time
from contextlib import suppress
from pathlib import Path

import sqljury as sj
from sqljury.guests.rewards import PARTIAL, SQLReward


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--workers", type=int, default=2)
    options = parser.parse_args()
    databases = options.data / "spider" / "databases"
    every = sj.read_cases(options.data / "candidates" / "spider-dev-17-systems.jsonl.gz")
    cases = [case for case in every if (databases / case.db_id).is_dir()][::4]
    began = time.perf_counter()
    for case in cases:
        path = databases / case.db_id / f"{case.db_id}.sqlite"
        with suppress(sqlite3.Error):
            sqlite3.connect(path).execute(str(case.predicted_sql)).fetchall()
    alone = len(cases) / (time.perf_counter() - began)
    print(f"{len(cases):,} queries; sqlite3 alone: {alone:,.0f} a second")
    for title, judges in (("execution:strict", "execution:strict"), ("partial credit", PARTIAL)):
        with SQLReward(databases, judges, workers=options.workers) as reward:
            for name in ("first pass", "second pass"):
                began = time.perf_counter()
                for start in range(0, len(cases), options.batch):
                    reward.rewards(cases[start : start + options.batch])
                rate = len(cases) / (time.perf_counter() - began)
                print(f"{title:18} {name:12} {rate:7,.0f} a second, {rate / alone:.2f} x")


if __name__ == "__main__":
    main()
