"""What a case costs when there are very many: store, seconds by phase, memory, the driver's rate.

    python bench/scale.py --data FOLDER --cases 100000 1000000 [--workers 2]
    python bench/scale.py --data FOLDER --cases 300000 2000000 --fake

Cases are the answers of 17 systems for Spider dev, again and again until there are enough; a
comment makes the queries of each turn texts of their own, so that every one is executed. They are
judged by `execution` as `sqljury evaluate` does it, evidence kept. With --fake nothing is executed:
verdicts of a real run of 2,000 cases are handed to the driver as fast as it takes them, so that the
driver alone is measured (reading, store, aggregation, merging). Each size runs in a process of its
own. FOLDER holds candidates/ and spider/databases (docs/reproduce.md).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from itertools import count, islice
from pathlib import Path

import sqljury as sj
from sqljury.reports.export import write_export, write_parquet
from sqljury.runs import merge_runs
from sqljury.runs.judge_groups import JudgeGroup
from sqljury.runs.store import RUN_FILE, VerdictRow, WorkItem
from sqljury.verdict import Verdict

_SAMPLE = 2000
_MIB = 2**20
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def main() -> None:
    """Measure, print."""
    options = _options()
    if options.child:
        print(json.dumps(asdict(_measured(options, options.child))))
        return
    pool = options.data / "candidates" / "spider-dev-17-systems.jsonl.gz"
    if not pool.is_file():
        sys.exit(f"{pool} is not there: pass --data FOLDER (see docs/reproduce.md)")
    for number in options.cases:
        with tempfile.TemporaryDirectory(dir=options.folder) as name:
            options.child = Path(name)
            _write_cases(pool, number, options.child / "cases.jsonl")
            _print(number, _in_a_process(options, number), options.fake)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cases", type=int, nargs="+", default=[100_000])
    parser.add_argument("--fake", action="store_true", help="the driver alone, no query is run")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where runs are made and removed again")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _write_cases(pool: Path, number: int, file: Path) -> None:
    with gzip.open(pool, "rt", encoding="utf-8") as lines:
        questions = [one for line in lines if (one := json.loads(line))["has_db"]]
    with file.open("w") as out:
        out.writelines(islice(_lines(questions), number))


def _lines(questions: list[dict[str, object]]) -> Iterator[str]:
    for turn in count():
        for question in questions:
            for place, candidate in enumerate(question["candidates"]):
                row = {
                    "id": f"{turn}-{question['index']}-{place}",
                    "db_id": question["db_id"],
                    "question": question["question"],
                    "predicted_sql": f"{candidate['sql']} -- {turn}",
                    "reference_sql": f"{question['gold_sql']} -- {turn}",
                }
                yield json.dumps(row) + "\n"


# ---------------------------------------------------------------- one size, in a process of its own


@dataclass(frozen=True, slots=True)
class Phase:
    """Seconds since the phase before: of the clock, of the driver's and the workers' processors."""

    clock: float
    driver: float
    workers: float
    peak: float
    """Of the driver's memory until its end, MiB."""


@dataclass(slots=True)
class Measured:
    """What one size took."""

    phases: dict[str, Phase]
    sizes: dict[str, int]
    """Of files, in bytes."""
    worker_peak: float
    """Memory of the largest worker, MiB."""


def _in_a_process(options: argparse.Namespace, number: int) -> Measured:
    command = [sys.executable, __file__, "--data", options.data, "--child", options.child]
    command += ["--workers", options.workers, "--cases", number, *(["--fake"] * options.fake)]
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE)
    found = json.loads(done.stdout)
    found["phases"] = {name: Phase(**phase) for name, phase in found["phases"].items()}
    return Measured(**found)


class _Clock:
    """Times the phases one after the other."""

    def __init__(self) -> None:
        self.phases: dict[str, Phase] = {}
        self._last = self._now()

    @staticmethod
    def _now() -> tuple[float, float, float]:
        own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        seconds = (used.ru_utime + used.ru_stime for used in (own, children))
        return (time.perf_counter(), *seconds)  # type: ignore[return-value]

    def ends(self, phase: str) -> None:
        """The phase since the last call was this."""
        now = self._now()
        spent = (after - before for after, before in zip(now, self._last, strict=True))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RSS_UNIT / _MIB
        self.phases[phase] = Phase(*spent, peak=peak)
        self._last = now


def _measured(options: argparse.Namespace, folder: Path) -> Measured:
    databases, file, run = (
        options.data / "spider" / "databases",
        folder / "cases.jsonl",
        folder / "run",
    )
    if options.fake:
        _fake_workers(file, databases)
    clock = _Clock()

    def on_progress(done: int, total: int) -> None:
        if "read" not in clock.phases:
            clock.ends("read")
        if done == total:
            clock.ends("judge")

    with sj.evaluate(
        [file], "execution", databases, run=run, workers=options.workers, on_progress=on_progress
    ) as found:
        clock.ends("aggregate")
        written = {} if options.fake else _write_files(found, folder, clock)
    merge_runs(folder / "merged", [run]).close()
    clock.ends("merge")
    # What a shard spends on cases of others: nearly all are.
    sj.evaluate([file], "exact_match", run=folder / "shard", shard="1/1000", workers=1).close()
    clock.ends("skip")
    written |= {"input": file, "store": run / RUN_FILE}
    return Measured(
        clock.phases,
        {name: path.stat().st_size for name, path in written.items()},
        resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * _RSS_UNIT / _MIB,
    )


def _write_files(found: sj.Evaluation, folder: Path, clock: _Clock) -> dict[str, Path]:
    page, lines, table = (folder / f"export.{suffix}" for suffix in ("html", "jsonl", "parquet"))
    found.to_html(page)
    clock.ends("report")
    write_export(lines, found.run.records(with_evidence=False))
    clock.ends("JSONL")
    write_parquet(table, found.run.records(with_evidence=False))
    clock.ends("Parquet")
    return {"JSONL": lines, "Parquet": table}


def _fake_workers(file: Path, databases: Path) -> None:
    """From now on every pool gives verdicts that a real run found, and runs nothing."""
    with file.open() as lines:
        cases = [json.loads(line) for line in islice(lines, _SAMPLE)]
    with sj.evaluate(cases, "execution", databases, workers=1) as found:
        verdicts = [record.verdict for record in found.records()]
    JudgeGroup.pool = lambda *_: _FakePool(verdicts)  # type: ignore[method-assign]


class _FakePool:
    """Gives verdicts at once, as many at a time as a worker's report has."""

    missing: dict[str, object] = {}  # noqa: RUF012
    spent = None

    def __init__(self, verdicts: list[Verdict]) -> None:
        self._rows = [VerdictRow.of(0, 0, verdict, 0.001) for verdict in verdicts]

    def __enter__(self) -> _FakePool:
        return self

    def __exit__(self, *_: object) -> None: ...

    def run(self, items: Iterable[WorkItem]) -> Iterator[tuple[VerdictRow, ...]]:
        """Verdicts for all of them."""
        source = iter(items)
        while some := list(islice(source, 128)):
            yield tuple(
                self._rows[item.number % len(self._rows)]._replace(number=item.number)
                for item in some
            )


# ---------------------------------------------------------------- print


def _print(number: int, found: Measured, fake: bool) -> None:
    print(f"\n{number:,} cases{', fake verdicts' if fake else ''}")
    load = ", ".join(f"{one:.1f}" for one in os.getloadavg())
    print(f"load of the machine at the end (1, 5, 15 minutes): {load}")
    print(f"{'':10}{'seconds':>10}{'driver cpu':>12}{'µs a case':>11}{'peak MiB':>10}")
    for name, phase in found.phases.items():
        print(
            f"{name:10}{phase.clock:10.1f}{phase.driver:12.1f}"
            f"{phase.driver / number * 1e6:11.1f}{phase.peak:10.0f}"
        )
    workers = sum(phase.workers for phase in found.phases.values())
    driver = sum(found.phases[name].driver for name in ("read", "judge"))
    print(f"workers: {workers:.1f} s of processor, {workers / number * 1e6:.0f} µs a case", end="")
    print(f", largest {found.worker_peak:.0f} MiB")
    sizes = (f"{name} {size / number:,.0f}" for name, size in found.sizes.items())
    print(f"bytes a case: {', '.join(sizes)}")
    rate = number / driver
    print(f"reading, handing out and taking verdicts: at most {rate:,.0f} cases/s", flush=True)


if __name__ == "__main__":
    main()
