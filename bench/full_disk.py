"""A run whose disk fills at random moments, enlarged and resumed: the same bytes in the end?

    python bench/full_disk.py --data FOLDER [--cases 100000] [--moments 10] [--seed 0]

For root on Linux: the run's folder is a tmpfs that is made smaller than what it needs at a random
moment of the run, and large again before the same command goes on. FOLDER holds
candidates/spider-dev-17-systems.jsonl.gz and spider/databases (docs/reproduce.md); its pairs are
repeated under new ids.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_LARGE = "4g"
_DISK_FULL, _OK = 3, 0


def main() -> None:
    """Run once undisturbed, once disturbed; compare."""
    options = _options()
    draw = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        cases = folder / "cases.jsonl"
        _write_cases(options.data, cases, options.cases)
        databases = options.data / "spider" / "databases"
        command = _Command(cases, databases, options.workers)
        start = time.perf_counter()
        command.finish(folder / "undisturbed")
        seconds = time.perf_counter() - start
        print(f"undisturbed: {options.cases:,} cases in {seconds:.0f} s", flush=True)
        disk = folder / "disk"
        disk.mkdir()
        _mount(disk, _LARGE)
        try:
            hit = _disturbed(command, disk, options.moments, seconds, draw)
            command.finish(disk / "run")
            found = _digest(disk / "run")
        finally:
            subprocess.run(["umount", disk], check=True)
        same = found == _digest(folder / "undisturbed")
        print(f"{hit} of {options.moments} moments hit; the same export: {same}  {found[:16]}")
        sys.exit(0 if same and hit == options.moments else 1)


class _Command:
    """`sqljury evaluate` over the cases."""

    def __init__(self, cases: Path, databases: Path, workers: int) -> None:
        self._line = [
            *(sys.executable, "-m", "sqljury", "evaluate", str(cases)),
            *("-d", str(databases), "--workers", str(workers), "--json"),
        ]

    def start(self, run: Path) -> subprocess.Popen[str]:
        """The command, under way."""
        files = ("--run", str(run), "--export", str(run / "export.jsonl"))
        return subprocess.Popen(
            [*self._line, *files], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )

    def finish(self, run: Path) -> None:
        """The command, to its end."""
        process = self.start(run)
        _, said = process.communicate()
        if process.returncode != _OK:
            sys.exit(f"exit code {process.returncode}: {said}")


def _disturbed(
    command: _Command, disk: Path, moments: int, seconds: float, draw: random.Random
) -> int:
    """How many of the moments ended the run as they should; those after its end do not count."""
    hit = came = 0
    while came < moments:
        process = command.start(disk / "run")
        moment = draw.uniform(0, seconds)
        deadline = time.monotonic() + moment
        while process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        _make_small(disk, draw)
        start = time.monotonic()
        _, said = process.communicate()
        taken = time.monotonic() - start
        came += process.returncode != _OK
        if process.returncode == _DISK_FULL and "SJ802" in said and "Traceback" not in said:
            hit += 1
        elif process.returncode != _OK:
            print(said)
        lines = said.strip().splitlines()
        print(
            f"{came}: full after {moment:.1f} s, ended {taken:.1f} s later with exit code "
            f"{process.returncode}: {lines[-1][:90] if lines else ''}",
            flush=True,
        )
        _mount(disk, _LARGE, again=True)
        if process.returncode == _OK:
            # It was through before: what is judged is judged, so begin anew.
            subprocess.run(["rm", "-rf", disk / "run"], check=True)
    return hit


def _make_small(disk: Path, draw: random.Random) -> None:
    """So that at most some pages more can be written."""
    while True:
        used = int(subprocess.check_output(["du", "-s", "--block-size=1", disk]).split()[0])
        if _mount(disk, str(used + draw.randrange(0, 16) * 4096), again=True):
            return


def _mount(disk: Path, size: str, *, again: bool = False) -> bool:
    options = f"{'remount,' if again else ''}size={size}"
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(disk)]
    # A disk in use may have grown since it was measured: then it does not become smaller.
    return subprocess.run(command, check=not again, capture_output=True).returncode == 0


def _digest(run: Path) -> str:
    return hashlib.sha256((run / "export.jsonl").read_bytes()).hexdigest()


def _write_cases(data: Path, path: Path, count: int) -> None:
    """The pairs of all systems, as often as it takes."""
    pool = data / "candidates" / "spider-dev-17-systems.jsonl.gz"
    with gzip.open(pool, "rt", encoding="utf-8") as file:
        questions = [json.loads(line) for line in file]
    written = 0
    with path.open("w", encoding="utf-8") as out:
        while written < count:
            for question in questions:
                for candidate in question["candidates"]:
                    if written == count:
                        return
                    case = {
                        "id": str(written),
                        "question": question["question"],
                        "db_id": question["db_id"],
                        "reference_sqls": [question["gold_sql"]],
                        "predicted_sql": candidate["sql"],
                    }
                    out.write(json.dumps(case) + "\n")
                    written += 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--moments", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


if __name__ == "__main__":
    main()
