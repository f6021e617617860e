"""Two Ray nodes on this machine beside the local pool with two workers: the same cases.

    python bench/cluster.py --data FOLDER [--cases 100000] [--rounds 1]

Cases are the answers of 17 systems for Spider dev, each several times under other ids, judged by
`execution`. Whole commands are timed by the clock and, their workers included, by the processor; a
Ray cluster is started before and not timed. FOLDER holds candidates/ and spider/databases
(docs/reproduce.md).
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

from ray.cluster_utils import Cluster

import sqljury as sj


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    pool = options.data / "candidates" / "spider-dev-17-systems.jsonl.gz"
    if not pool.is_file():
        sys.exit(f"{pool} is not there: pass --data FOLDER")
    databases = options.data / "spider" / "databases"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    cluster.add_node(num_cpus=1)
    ways = {
        "local, 2 workers": ("-w", "2"),
        "2 nodes of 1": ("--executor", f"ray:{cluster.address}"),
    }
    best: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "cases.jsonl"
        file.write_text("".join(islice(_lines(pool), options.cases)))
        for number in range(options.rounds):
            for way, flags in ways.items():
                run = folder / f"{way}-{number}".replace(" ", "-")
                seconds = _seconds(file, databases, run, flags)
                best[way] = min(seconds, best.get(way, seconds))
                rate = options.cases / seconds
                print(f"{way:18} {seconds:7.1f} s {rate:9,.0f} cases/s", flush=True)
        same = len({_verdicts(folder / f"{way}-0".replace(" ", "-")) for way in ways}) == 1
    local, nodes = best.values()
    print(f"2 nodes take {nodes / local:.3f} x the time of the local pool; same verdicts: {same}")
    cluster.shutdown()


def _lines(pool: Path) -> Iterator[str]:
    with gzip.open(pool, "rt", encoding="utf-8") as file:
        questions = [json.loads(line) for line in file]
    for turn in count():
        for question in questions:
            for place, candidate in enumerate(question["candidates"]):
                row = {
                    "id": f"{turn}-{question['index']}-{place}",
                    "db_id": question["db_id"],
                    "gold_sql": question["gold_sql"],
                    "predicted_sql": candidate["sql"],
                }
                yield json.dumps(row) + "\n"


def _seconds(file: Path, databases: Path, run: Path, flags: tuple[str, ...]) -> float:
    command = (sys.executable, "-m", "sqljury", "evaluate", file, "-d", databases, "--run", run)
    start = time.perf_counter()
    subprocess.run([*command, *flags, "--json"], check=True, capture_output=True)
    return time.perf_counter() - start


def _verdicts(run: Path) -> int:
    with sj.load_run(run) as found:
        return hash(
            tuple((r.case.id, r.verdict.outcome, r.verdict.reason) for r in found.records())
        )


if __name__ == "__main__":
    main()
