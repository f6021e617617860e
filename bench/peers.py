"""Seconds of the whole `evaluate` for 1 to 100,000 cases, beside other evaluators.

    python bench/peers.py --data FOLDER [--bird FOLDER] [--sizes 1 4 100] [--all]

Wall and processor time of whole commands, the middle of several, in turn. The cases are the
answers of 17 systems for Spider dev, one system after the other; a comment makes the queries of
each further turn texts of their own. --bird is the folder of BIRD's `evaluation_ex.py`
(bird-bench/mini_dev, folder `evaluation`; pip install func_timeout), told to use as many processes.
--all also measures the offline jury and judges together (`bench/judges_together.py`).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import judges_together

SIZES = (1, 4, 32, 100, 972, 3_000, 10_000, 16_524, 30_000, 100_000)
JURY_CASES = 600
_MOST_SECONDS = 20.0
"""A size whose first command takes longer is measured once."""
Row = dict[str, str]


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--bird", type=Path, help="folder of BIRD's evaluation_ex.py")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--all", action="store_true", help="the jury and judges together, too")
    options = parser.parse_args()
    pool = options.data / "candidates" / "spider-dev-17-systems.jsonl.gz"
    if not pool.exists():
        sys.exit(f"{pool} is not there: pass --data FOLDER (see docs/reproduce.md)")
    databases = (options.data / "spider" / "databases").resolve()
    print(f"{options.workers} workers, load {os.getloadavg()[0]:.1f}; seconds, wall (processor)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        rows = answers(pool)
        for size in options.sizes:
            curve(rows, size, databases, options, folder)
        if options.all:
            jury(rows, databases, options, folder)
    if options.all:
        pairs = ["--data", str(options.data), "--pairs", "400", "--workers", str(options.workers)]
        subprocess.run([sys.executable, judges_together.__file__, *pairs], check=True)


def answers(pool: Path) -> list[Row]:
    """All answers to questions whose database is there, by system."""
    by_system: dict[str, list[Row]] = {}
    with gzip.open(pool, "rt", encoding="utf-8") as lines:
        for line in lines:
            group = json.loads(line)
            for one in group["candidates"] if group["has_db"] else ():
                row = {key: group[key] for key in ("db_id", "question", "gold_sql")}
                for system in one["systems"]:
                    found = row | {"predicted_sql": one["sql"], "source": system}
                    by_system.setdefault(system, []).append(found | {"id": str(group["index"])})
    return [row for system in sorted(by_system) for row in by_system[system]]


def taken(rows: list[Row], size: int) -> Iterator[Row]:
    """So many cases; each turn through all rows has texts of its own."""
    for number in range(size):
        turn, place = divmod(number, len(rows))
        row = rows[place]
        yield (
            row
            if not turn
            else {
                **row,
                "source": f"{row['source']}-{turn}",
                "predicted_sql": f"{row['predicted_sql']} -- {turn}",
            }
        )


def curve(
    rows: list[Row], size: int, databases: Path, options: argparse.Namespace, folder: Path
) -> None:
    """Measure and print one size."""
    cases = folder / "cases.jsonl"
    cases.write_text("".join(f"{json.dumps(row)}\n" for row in taken(rows, size)))
    commands = {"sqljury": lambda: evaluate(cases, databases, options.workers, folder)}
    if options.bird:
        write_for_bird(list(taken(rows, size)), folder)
        commands["BIRD"] = lambda: bird(options.bird, databases, options.workers, folder)
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for command in commands.values():
        command()  # so that nothing is read from the disk for the first time
    for _ in range(options.repeats):
        for name, command in commands.items():
            found[name].append(command())
        if max(walls[-1][0] for walls in found.values()) > _MOST_SECONDS:
            break
    text = "   ".join(
        f"{name} {statistics.median(wall for wall, _ in times):7.3f} "
        f"({statistics.median(worked for _, worked in times):6.3f})"
        for name, times in found.items()
    )
    if options.bird:
        ratios = (a[0] / b[0] for a, b in zip(found["sqljury"], found["BIRD"], strict=True))
        text += f"   {statistics.median(ratios):.2f} x"
    print(f"{size:8,} cases   {text}", flush=True)


def evaluate(
    cases: Path, databases: Path, workers: int, folder: Path, judge: str = "execution:bird"
) -> tuple[float, float]:
    """One command of ours, into a new run."""
    with tempfile.TemporaryDirectory(dir=folder) as run:
        command = [sys.executable, "-m", "sqljury", "evaluate", str(cases), "-d", str(databases)]
        return timed([*command, "-j", judge, "-w", str(workers), "--run", f"{run}/run"])


def write_for_bird(rows: list[Row], folder: Path) -> None:
    """The three files that BIRD's evaluator reads, and drivers of servers that it imports."""
    kinds = ("simple", "moderate", "challenging")
    predictions = {
        str(place): f"{row['predicted_sql']}\t----- bird -----\t{row['db_id']}"
        for place, row in enumerate(rows)
    }
    (folder / "bird.json").write_text(json.dumps(predictions))
    gold = (f"{' '.join(row['gold_sql'].split())}\t{row['db_id']}\n" for row in rows)
    (folder / "gold.sql").write_text("".join(gold))
    levels = (f"{json.dumps({'difficulty': kinds[place % 3]})}\n" for place in range(len(rows)))
    (folder / "levels.jsonl").write_text("".join(levels))
    for driver in ("psycopg2", "pymysql"):
        (folder / "drivers").mkdir(exist_ok=True)
        (folder / "drivers" / f"{driver}.py").touch()


def bird(evaluator: Path, databases: Path, workers: int, folder: Path) -> tuple[float, float]:
    """One command of BIRD's. It ends with an error behind the work if there are less than three."""
    command = [sys.executable, str(evaluator / "evaluation_ex.py")]
    command += ["--predicted_sql_path", str(folder / "bird.json")]
    command += ["--ground_truth_path", str(folder / "gold.sql"), "--db_root_path", f"{databases}/"]
    command += ["--diff_json_path", str(folder / "levels.jsonl"), "--num_cpus", str(workers)]
    path = os.pathsep.join([str(folder / "drivers"), os.environ.get("PYTHONPATH", "")])
    return timed([*command, "--output_log_path", os.devnull], PYTHONPATH=path)


def timed(command: list[str], **environment: str) -> tuple[float, float]:
    """Wall and processor time of a command and the processes it waits for."""
    variables = {**os.environ, **environment}
    variables.pop("PYTHONDONTWRITEBYTECODE", None)  # users have compiled files
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        command,
        env=variables,
        check=False,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    # BIRD's evaluator divides by the number of cases of a difficulty once it has judged them.
    if done.returncode and "ZeroDivisionError" not in done.stderr:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, sum(after[:2]) - sum(before[:2])


def jury(rows: list[Row], databases: Path, options: argparse.Namespace, folder: Path) -> None:
    """The offline jury on the first cases, start and report included."""
    cases = folder / "cases.jsonl"
    cases.write_text("".join(f"{json.dumps(row)}\n" for row in rows[:JURY_CASES]))
    wall, worked = evaluate(cases, databases, options.workers, folder, "jury:offline")
    print(f"jury:offline, {JURY_CASES} cases: {wall:.1f} ({worked:.1f}), {JURY_CASES / wall:.0f}/s")


if __name__ == "__main__":
    main()
