"""What confining workers costs `evaluate`, and what kills of its processes change: nothing.

    python bench/isolation.py --data FOLDER [--repeats 5] [--kills 20]

The cost: the same run on Spider's development set with two workers, with the sandbox and without
it, in turn, and the mean of the differences. The kills: workers, and then the command itself, at
random moments; what is exported in the end is compared with that of a run which nobody disturbed.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from checks.kills import Trial, write_spider_cases

_RUN = """
import sys
import sqljury
from sqljury.isolation import sandbox
from sqljury.runs import judge_groups, settings
cases, databases, run, confined = sys.argv[1:]
if confined == "no":
    free = settings.Confinement(None, __import__("os").environ)
    judge_groups.confinement = lambda judges, options: free
sqljury.evaluate([cases], ["execution"], databases, run=run, workers=2).close()
"""


def main() -> None:
    """Measure, print."""
    options = _options()
    databases = options.data / "spider" / "databases"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = write_spider_cases(options.data, folder / "cases.jsonl")
        if options.repeats:
            _cost(cases, databases, folder, options.repeats)
        if options.kills:
            _kills(Trial(cases, databases, folder, random.Random(options.seed)), options.kills)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _cost(cases: Path, databases: Path, folder: Path, repeats: int) -> None:
    seconds: dict[str, list[float]] = {"yes": [], "no": []}
    used: dict[str, list[float]] = {"yes": [], "no": []}
    for repeat in range(repeats):
        for confined in ("yes", "no") if repeat % 2 else ("no", "yes"):
            run = tempfile.mkdtemp(dir=folder)
            command = [sys.executable, "-c", _RUN, str(cases), str(databases), run, confined]
            before, start = os.times(), time.perf_counter()
            subprocess.run(command, check=True)
            after = os.times()
            seconds[confined].append(time.perf_counter() - start)
            used[confined].append(
                after.children_user + after.children_system
                - before.children_user - before.children_system
            )  # fmt: skip
    for what, found in (("seconds", seconds), ("processor seconds", used)):
        with_it, without = statistics.median(found["yes"]), statistics.median(found["no"])
        pairs = [a / b - 1 for a, b in zip(found["yes"], found["no"], strict=True)]
        print(
            f"{what:18} {with_it:6.2f} confined  {without:6.2f} not  "
            f"{statistics.median(pairs):+.1%} (median of {repeats} pairs, "
            f"{min(pairs):+.1%} to {max(pairs):+.1%})"
        )


def _kills(trial: Trial, most: int) -> None:
    expected = trial.undisturbed("undisturbed")
    for whom, kill in (("workers", trial.kill_workers), ("the command", trial.kill_parents)):
        trial.killed = runs = same = 0
        while trial.killed < most:
            run = f"{whom}{runs}"
            kill(run, most - trial.killed)
            same += trial.undisturbed(run) == expected
            runs += 1
        print(f"{trial.killed} kills of {whom} in {runs} run(s): {same} exported the same bytes")


if __name__ == "__main__":
    main()
