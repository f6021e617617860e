"""Pairs per second of the whole `evaluate`, against two baselines measured in the same run.

    python bench/evaluate.py --data FOLDER [--workers 1 2] [--repeats 3]

The floor is what no evaluation can beat by much: plain sqlite3, read-only, fetchall, and a
comparison of Counters, for each pair, with no limits, no explanation and nothing kept. The
other baseline runs each pair in a fresh process that imports pandas, on a sample.
FOLDER holds candidates/spider-dev-17-systems.jsonl.gz and spider/databases (docs/reproduce.md).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

Pair = tuple[str, str, str]

_FRESH_PROCESS = """
import sqlite3, sys
import pandas
path, reference, prediction = sys.argv[1:]
connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
a = pandas.read_sql_query(reference, connection)
b = pandas.read_sql_query(prediction, connection)
print(sorted(map(str, a.values.tolist())) == sorted(map(str, b.values.tolist())))
"""


def main() -> None:
    """Measure, print."""
    options = _options()
    pool = options.data / "candidates" / "spider-dev-17-systems.jsonl.gz"
    databases = options.data / "spider" / "databases"
    if not pool.exists():
        sys.exit(f"{pool} is not there: pass --data FOLDER (see docs/reproduce.md)")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases, pairs = _write_cases(pool, folder)
        print(f"{len(pairs):,} pairs on {len({pair[0] for pair in pairs})} databases")
        floor = min(_floor(pairs, databases) for _ in range(options.repeats))
        print(f"floor (plain sqlite3)       {len(pairs) / floor:9,.0f} pairs/s  {floor:6.2f} s")
        best: dict[int, float] = {}
        for workers in options.workers:
            runs = [_evaluate(cases, databases, workers, folder) for _ in range(options.repeats)]
            best[workers] = seconds = min(runs)
            print(
                f"evaluate, {workers} worker(s)       {len(pairs) / seconds:9,.0f} pairs/s  "
                f"{seconds:6.2f} s  {seconds / floor:5.2f} x the floor's time"
            )
        _steady(cases, databases, options, folder)
        _fresh(pairs, databases, options.sample, len(pairs) / best[options.workers[0]])
        _memory(cases, databases, folder)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    default = Path(os.environ.get("SQLJURY_TEST_DATA", "../shared/data"))
    parser.add_argument("--data", type=Path, default=default)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sample", type=int, default=200)
    return parser.parse_args()


def _write_cases(pool: Path, folder: Path) -> tuple[Path, list[Pair]]:
    cases, pairs = folder / "cases.jsonl", []
    with gzip.open(pool, "rt", encoding="utf-8") as lines, cases.open("w") as out:
        for line in lines:
            group = json.loads(line)
            if not group["has_db"]:
                continue
            for number, candidate in enumerate(group["candidates"]):
                pairs.append((group["db_id"], group["gold_sql"], candidate["sql"]))
                case = {
                    "id": f"{group['index']}-{number}",
                    "db_id": group["db_id"],
                    "question": group["question"],
                    "predicted_sql": candidate["sql"],
                    "reference_sql": group["gold_sql"],
                }
                out.write(json.dumps(case) + "\n")
    return cases, pairs


def _floor(pairs: list[Pair], databases: Path) -> float:
    connections: dict[str, sqlite3.Connection] = {}
    start = time.perf_counter()
    for db_id, reference, prediction in pairs:
        connection = connections.get(db_id)
        if connection is None:
            path = databases / db_id / f"{db_id}.sqlite"
            connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
            connection.text_factory = lambda raw: raw.decode(errors="ignore")
            connections[db_id] = connection
        try:
            left = connection.execute(reference).fetchall()
            right = connection.execute(prediction).fetchall()
            Counter(left) == Counter(right)  # noqa: B015  # the comparison is the work
        except sqlite3.Error:
            pass
    return time.perf_counter() - start


def _evaluate(
    cases: Path, databases: Path, workers: int, folder: Path, judge: str = "execution"
) -> float:
    run = tempfile.mkdtemp(dir=folder)
    command = [sys.executable, "-m", "sqljury", "evaluate", str(cases), "-d", str(databases)]
    command += ["-j", judge, "--workers", str(workers), "--run", run, "--json"]
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _steady(cases: Path, databases: Path, options: argparse.Namespace, folder: Path) -> None:
    """The rate at which verdicts are found once all workers are at work.

    The same cases four times over, a comment making each prediction a text of its own, so that
    every one is executed; measured between a fifth and nine tenths of the verdicts, which leaves
    out starting, reading the cases, and aggregating.
    """
    many = folder / "many.jsonl"
    with many.open("w") as out:
        for copy in range(4):
            for line in cases.read_text().splitlines():
                case = json.loads(line)
                case |= {"source": str(copy), "predicted_sql": f"{case['predicted_sql']} -- {copy}"}
                out.write(json.dumps(case) + "\n")
    rates = {workers: _rate(many, databases, workers, folder) for workers in options.workers}
    first, *rest = options.workers
    for workers, rate in rates.items():
        print(f"steady state, {workers} worker(s)   {rate:9,.0f} pairs/s")
    for workers in rest:
        ratio = rates[workers] / rates[first]
        print(f"steady state, {workers} against {first} worker(s): {ratio:.2f} x as fast")


def _rate(cases: Path, databases: Path, workers: int, folder: Path) -> float:
    import sqljury

    seen: list[tuple[float, int]] = []

    def on_progress(done: int, total: int) -> None:
        if 0.2 * total <= done <= 0.9 * total:
            seen.append((time.perf_counter(), done))

    run = tempfile.mkdtemp(dir=folder)
    sqljury.evaluate(
        [cases], ["execution"], databases, run=run, workers=workers, on_progress=on_progress
    ).close()
    (start, first), (end, last) = seen[0], seen[-1]
    return (last - first) / (end - start)


def _fresh(pairs: list[Pair], databases: Path, sample: int, ours: float) -> None:
    try:
        import pandas  # noqa: F401
    except ImportError:
        print("process per query: skipped (pip install pandas)")
        return
    step = max(1, len(pairs) // sample)
    chosen = pairs[::step][:sample]
    start = time.perf_counter()
    for db_id, reference, prediction in chosen:
        path = databases / db_id / f"{db_id}.sqlite"
        subprocess.run(
            [sys.executable, "-c", _FRESH_PROCESS, str(path), reference, prediction],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=False,
        )
    rate = len(chosen) / (time.perf_counter() - start)
    print(f"a process per pair (pandas) {rate:9.1f} pairs/s  evaluate is {ours / rate:,.0f} x")


def _memory(cases: Path, databases: Path, folder: Path) -> None:
    """Peak memory of the parent and of its workers, for an eighth and for four times as many."""
    few = folder / "few.jsonl"
    lines = cases.read_text().splitlines(keepends=True)
    few.write_text("".join(lines[::8]))
    for name, path in (("few", few), ("all", cases), ("4 x", folder / "many.jsonl")):
        peak = _peak_mib(path, databases, folder)
        with path.open() as file:
            count = sum(1 for _ in file)
        print(f"peak memory, {name:4} {count:7,} cases: largest process {peak:.0f} MiB")


def _peak_mib(cases: Path, databases: Path, folder: Path) -> float:
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    run = tempfile.mkdtemp(dir=folder)
    command = [sys.executable, "-m", "sqljury", "evaluate", str(cases), "-d", str(databases)]
    command += ["--workers", "1", "--run", run, "--json"]
    out = subprocess.run([sys.executable, "-c", code, *command], check=True, capture_output=True)
    unit = 1024 * 1024 if sys.platform == "darwin" else 1024
    return int(out.stdout) / unit


if __name__ == "__main__":
    main()
