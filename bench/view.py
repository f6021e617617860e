"""How long pages of the browser app take on a large run.

    python bench/view.py --data FOLDER --cases 100000 [--folder FOLDER]
    python bench/view.py --run RUN

Without --run, a run is made as by `bench/scale.py --fake`: questions of Spider dev with the answers
of 17 systems, with verdicts of a real run of 2,000 cases. The list of cases is asked for right
after the server has started, while its index is being made, and each filter after that: the first
time, then again (median of several), when the server has kept what it found. A time is that of the
whole answer over loopback. FOLDER holds candidates/ and spider/databases (docs/reproduce.md).
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import scale
import sqljury as sj
from sqljury.runs.judge_groups import JudgeGroup
from sqljury.runs.store import VerdictRow, WorkItem

_JUDGES = ["execution", "execution:bird"]
_SAMPLE = 2000
_TRIES = 7
FILTERS = {
    "first page": "",
    "last page": "page=100000",
    "outcome": "outcome=incorrect",
    "judge and outcome": "judge=1&outcome=incorrect",
    "judges disagree": "split=1",
    "cause": "cause=number+of+rows",
    "database": "db=car_1",
    "search, rare": "q=greenwich",
    "search, frequent": "q=select",
    "search and outcome": "q=count+singer&outcome=incorrect",
    "sorted by question": "sort=question",
    "sorted by score": "sort=score&judge=0",
    "outcome, sorted by question": "outcome=incorrect&sort=question",
}


def main() -> None:
    """Measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--folder", type=Path, help="where the run is made and removed again")
    options = parser.parse_args()
    if options.run is not None:
        _measure(options.run)
        return
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        _measure(_make(options.data, options.cases, Path(name)))


def _make(data: Path, number: int, folder: Path) -> Path:
    file, databases = folder / "cases.jsonl", data / "spider" / "databases"
    scale._write_cases(data / "candidates" / "spider-dev-17-systems.jsonl.gz", number, file)
    with file.open() as lines:
        sample = [json.loads(line) for line in islice(lines, _SAMPLE)]
    with sj.evaluate(sample, _JUDGES, databases, workers=1) as found:
        rows = [
            [VerdictRow.of(0, i, record.verdict, 0.001) for record in found.records()
             if record.judge == judge.name]
            for i, judge in enumerate(found.run.judges)
        ]  # fmt: skip
    JudgeGroup.pool = lambda *_: _Pool(rows)  # type: ignore[method-assign]
    sj.evaluate([file], _JUDGES, databases, run=folder / "run", workers=1).close()
    return folder / "run"


class _Pool(scale._FakePool):
    """Gives the sample's verdicts of each judge at once."""

    def __init__(self, rows: list[list[VerdictRow]]) -> None:
        self._of_judges = rows

    def run(self, items: Iterable[WorkItem]) -> Iterator[tuple[VerdictRow, ...]]:
        """Verdicts for all of them."""
        source = iter(items)
        while some := list(islice(source, 128)):
            yield tuple(
                rows[item.number % len(rows)]._replace(number=item.number)
                for item in some
                for rows in self._of_judges
            )


def _measure(run: Path) -> None:
    start = time.perf_counter()
    command = [sys.executable, "-m", "sqljury", "view", str(run)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        print(f"server ready after {time.perf_counter() - start:.2f} s")
        try:
            _ask(address)
        finally:
            server.terminate()


def _ask(address: str) -> None:
    host, _, rest = address.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(host)
    path, _, token = rest.partition("?")
    connection.request("GET", f"/{path}?{token}")
    answer = connection.getresponse()
    answer.read()
    headers = {"Cookie": (answer.getheader("set-cookie") or "").partition(";")[0]}

    def get(query: str, **more: str) -> tuple[float, str]:
        start = time.perf_counter()
        connection.request("GET", f"/{path}/cases?{query}", headers=headers | more)
        text = connection.getresponse().read().decode()
        return 1000 * (time.perf_counter() - start), text

    print(f"{'first list of cases':32}{get('')[0]:8.0f} ms")
    start = time.perf_counter()
    while "indexed so far" in get("")[1]:
        time.sleep(0.2)
    print(f"{'index made after':32}{time.perf_counter() - start:8.1f} s")
    print(f"{'':32}{'first':>8}{'again':>8}")
    for name, query in FILTERS.items():
        htmx = {} if name == "first page" else {"HX-Request": "true"}
        first, *again = [get(query, **htmx)[0] for _ in range(_TRIES)]
        print(f"{name:32}{first:8.0f}{statistics.median(again):8.0f} ms")


if __name__ == "__main__":
    main()
