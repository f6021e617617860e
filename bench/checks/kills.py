"""Runs over Spider's development set that somebody kills or stops at random moments."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


def write_spider_cases(data_dir: Path, place: Path, every: int = 1) -> Path:
    """What seventeen systems predicted, each of these queries once, as a file of cases."""
    pool = data_dir / "candidates" / "spider-dev-17-systems.jsonl.gz"
    with gzip.open(pool, "rt", encoding="utf-8") as lines, place.open("w") as out:
        groups = [group for group in map(json.loads, lines) if group["has_db"]]
        for group in groups[::every]:
            for number, candidate in enumerate(group["candidates"]):
                case = {
                    "id": f"{group['index']}-{number}",
                    "db_id": group["db_id"],
                    "question": group["question"],
                    "predicted_sql": candidate["sql"],
                    "reference_sql": group["gold_sql"],
                }
                out.write(json.dumps(case) + "\n")
    return place


@dataclass
class Trial:
    """One command, run again and again while it is disturbed.

    Attributes:
        killed: processes that were killed, in all.
        stopped: processes, or groups of them, that were stopped, in all.
        commands: how often the command was started.
    """

    cases: Path
    databases: Path
    folder: Path
    chance: random.Random
    pause: tuple[float, float] = (0.1, 0.7)
    killed: int = 0
    stopped: int = 0
    commands: int = 0

    def undisturbed(self, run: str) -> bytes:
        """What is exported when nobody kills anything."""
        self._start(run).wait()
        return (self.folder / f"{run}.jsonl").read_bytes()

    def kill_workers(self, run: str, most: int) -> None:
        """Run to the end; up to so many workers are killed meanwhile."""
        process = self._start(run)
        while process.poll() is None:
            time.sleep(self.chance.uniform(*self.pause))
            if workers := _children(process.pid) if most else []:
                os.kill(self.chance.choice(workers), signal.SIGKILL)
                self.killed += 1
                most -= 1

    def kill_parents(self, run: str, most: int) -> None:
        """Start so many times, and never let it end; workers must be gone soon after."""
        while most:
            process = self._start(run)
            time.sleep(self.chance.uniform(*self.pause) * 3)
            if process.poll() is not None:
                return
            workers = _children(process.pid)
            process.kill()
            process.wait()
            self.killed += 1
            most -= 1
            _wait_until_gone(workers)

    def stop_workers(self, run: str, most: int) -> None:
        """Run to the end; up to so many workers are stopped meanwhile, and never go on."""
        process = self._start(run)
        while process.poll() is None:
            time.sleep(self.chance.uniform(*self.pause))
            if workers := _children(process.pid) if most else []:
                with suppress(ProcessLookupError):
                    os.kill(self.chance.choice(workers), signal.SIGSTOP)
                    self.stopped += 1
                most -= 1

    def pause_command(self, run: str, times: int, seconds: float, *, everything: bool) -> None:
        """Run to the end; the parent, or it and its workers, are stopped and go on, so often."""
        process = self._start(run)
        tell = os.killpg if everything else os.kill
        while process.poll() is None:
            time.sleep(self.chance.uniform(*self.pause))
            if times and process.poll() is None:
                tell(process.pid, signal.SIGSTOP)
                time.sleep(seconds)
                tell(process.pid, signal.SIGCONT)
                self.stopped += 1
                times -= 1

    def orphan_stopped_workers(self, run: str) -> None:
        """Stop all workers, kill the parent; workers must be gone soon after."""
        process = self._start(run)
        while len(workers := _children(process.pid)) < 2:
            time.sleep(0.05)
        time.sleep(self.chance.uniform(*self.pause) * 3)
        for worker in workers:
            os.kill(worker, signal.SIGSTOP)
        process.kill()
        process.wait()
        self.killed += 1
        _wait_until_gone(workers)

    def _start(self, run: str) -> subprocess.Popen[bytes]:
        self.commands += 1
        command = [sys.executable, "-m", "sqljury.cli", "evaluate", str(self.cases)]
        command += ["-d", str(self.databases), "--workers", "2", "--run", str(self.folder / run)]
        command += ["--export", str(self.folder / f"{run}.jsonl"), "-j", "execution"]
        return subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )


def _children(pid: int) -> list[int]:
    try:
        text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in text.split()]


def _wait_until_gone(pids: list[int], seconds: float = 5.0) -> None:
    deadline = time.monotonic() + seconds
    while any(Path(f"/proc/{pid}").exists() for pid in pids):
        assert time.monotonic() < deadline, "a worker outlived its parent"
        time.sleep(0.05)
