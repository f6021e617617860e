"""A pool of workers that outlives any of them.

The parent hands out batches, collects verdicts, and watches: a statement that its engine does
not stop in time ends with its process, at once, and a new worker takes over. The case that was
in flight is judged again with that execution known to be a timeout.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sqljury.errors import InfrastructureError
from sqljury.execution import MIB, Execution, Status
from sqljury.runs.messages import (
    WATCH,
    WATCH_CASE,
    WATCH_SIZE,
    Batch,
    Failure,
    Progress,
    Setup,
    receive,
    send,
)
from sqljury.runs.store import VerdictRow, WorkItem
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.llm import Request, Spent

_POLL_SECONDS = 0.1
_GRACE_SECONDS = 1.0
_TERM_SECONDS = 2.0
_BATCH_SECONDS = 0.25
"""Aim for this much work in a batch: long enough to hide the hand-over, short at the end."""
_LARGEST_BATCH = 128
_LARGEST_BATCH_BYTES = 1 << 20
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_MOST_BARREN_DEATHS = 5
_AHEAD = 2
"""Batches that a worker holds, so that it never waits for the parent."""


@dataclass(eq=False, slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    watch: mmap.mmap
    watch_path: Path
    outbox: queue.SimpleQueue[object]
    handed: dict[int, WorkItem] = field(default_factory=dict)
    """What it has yet to judge, by case number."""
    last_batch: int = 0
    """The size of its last batch."""
    killed: tuple[bytes, Execution] | None = None
    """The statement that the parent ended it for, and what became of that statement."""

    def executing(self) -> tuple[float, bytes]:
        """Monotonic start and token of the statement it runs; start is 0 when it runs none."""
        start, token = WATCH.unpack(self.watch[: WATCH.size])
        return start, token

    def judging(self) -> int | None:
        """The number of the case it is at, None before the first."""
        (number,) = WATCH_CASE.unpack(self.watch[WATCH.size :])
        return number or None


class Pool:
    """Workers for one run.

    Args:
        setup: what the workers are told once.
        workers: how many processes.

    Attributes:
        missing: what cases without a verdict wait for, by key.
        spent: what the workers spent on models; None where they asked nobody.
    """

    def __init__(self, setup: Setup, workers: int) -> None:
        self._setup = setup
        self._size = workers
        self._workers: list[_Worker] = []
        self._inbox: queue.SimpleQueue[tuple[_Worker, object]] = queue.SimpleQueue()
        self._again: deque[WorkItem] = deque()
        self._known: dict[bytes, Execution] = {}
        self._deaths: dict[int, int] = {}
        self._barren_deaths = 0
        self._seconds_per_case = 0.0
        self._last_watch = 0.0
        self.missing: dict[str, Request] = {}
        self.spent: Spent | None = None
        # The engine's share, the fetched rows as Python objects, and the interpreter. Engines
        # keep to their share on their own, save for single huge values in some.
        self._most_resident = setup.limits.memory + 4 * setup.limits.bytes + 512 * MIB

    def __enter__(self) -> Pool:
        self._workers.extend(self._start() for _ in range(self._size))
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, items: Iterable[WorkItem]) -> Iterator[tuple[VerdictRow, ...]]:
        """Judge all items; verdicts come as they are found, in no particular order.

        Raises:
            SqljuryError: the workers cannot work at all.
        """
        source = iter(items)
        self._fill(source)
        while any(worker.handed for worker in self._workers):
            yield from self._next_messages()
            self._fill(source)

    # ------------------------------------------------------------ handing out

    def _fill(self, source: Iterator[WorkItem]) -> None:
        # Breadth first: the second worker gets its first batch before the first its second.
        for depth in range(_AHEAD):
            for slot in range(self._size):
                worker = self._workers[slot]
                if len(worker.handed) > depth * worker.last_batch:
                    continue
                items = self._next_items(source)
                if not items:
                    return
                self._hand(worker, items)

    def _next_items(self, source: Iterator[WorkItem]) -> tuple[WorkItem, ...]:
        size = _LARGEST_BATCH
        if self._seconds_per_case * size > _BATCH_SECONDS:
            size = max(1, int(_BATCH_SECONDS / self._seconds_per_case))
        elif self._seconds_per_case == 0.0:
            size = 8
        size = max(size, _AHEAD * self._setup.threads)
        items: list[WorkItem] = []
        weight = 0
        while len(items) < size and weight < _LARGEST_BATCH_BYTES:
            item = self._again.popleft() if self._again else next(source, None)
            if item is None:
                break
            items.append(item)
            weight += len(item.body)
        return tuple(items)

    def _hand(self, worker: _Worker, items: tuple[WorkItem, ...]) -> None:
        worker.handed.update((item.number, item) for item in items)
        worker.last_batch = len(items)
        worker.outbox.put(Batch(items, dict(self._known)))

    # ------------------------------------------------------------ collecting

    def _next_messages(self) -> Iterator[tuple[VerdictRow, ...]]:
        try:
            worker, message = self._inbox.get(timeout=_POLL_SECONDS)
        except queue.Empty:
            self._watch()
            yield ()  # a turn for the caller, who may have something to save
            return
        if isinstance(message, Progress):
            yield self._collect(worker, message)
        elif isinstance(message, Failure):
            raise message.error
        elif worker in self._workers:
            yield self._bury(worker)
        if time.monotonic() - self._last_watch > _POLL_SECONDS:
            self._watch()

    def _collect(self, worker: _Worker, progress: Progress) -> tuple[VerdictRow, ...]:
        for number in progress.cases:
            worker.handed.pop(number, None)
        self.missing |= {request.key(): request for request in progress.missing}
        if progress.spent is not None:
            self.spent = progress.spent if self.spent is None else self.spent + progress.spent
        if progress.cases:
            self._barren_deaths = 0
            self._learn_speed(progress)
        return progress.verdicts

    def _learn_speed(self, progress: Progress) -> None:
        seconds = sum(row.seconds for row in progress.verdicts) / len(progress.cases)
        seconds /= self._setup.threads
        # A moving mean: the size of batches follows the work from database to database.
        weight = 0.5 if self._seconds_per_case else 1.0
        self._seconds_per_case += weight * (seconds - self._seconds_per_case)

    # ------------------------------------------------------------ watching

    def _watch(self) -> None:
        self._last_watch = now = time.monotonic()
        limits = self._setup.limits
        for worker in self._workers:
            start, token = worker.executing()
            if not start or worker.killed is not None:
                continue
            if now - start > limits.seconds + _GRACE_SECONDS:
                text = f"exceeded {limits.seconds:g} s"
                worker.killed = token, Execution(Status.TIMEOUT, None, text, limits.seconds)
            elif _resident_bytes(worker.process.pid) > self._most_resident:
                text = f"needs more than {limits.memory} bytes of memory"
                worker.killed = token, Execution(Status.OUT_OF_MEMORY, None, text)
            else:
                continue
            worker.process.kill()

    def _bury(self, worker: _Worker) -> tuple[VerdictRow, ...]:
        """A worker is gone: keep what it leaves to do, and blame what it was executing."""
        code = self._end(worker)
        start, token = worker.executing()
        number = worker.judging()
        slot = self._workers.index(worker)
        rest = list(worker.handed.values())
        self._dispose(worker)
        verdicts: tuple[VerdictRow, ...] = ()
        if worker.killed is not None:
            self._known[worker.killed[0]] = worker.killed[1]
        elif start:
            self._known[token] = _died(code)
        elif number is None:
            self._give_up_if_hopeless(code)
        else:
            verdicts = self._blame_judge(number, rest, code)
        self._again.extendleft(reversed(rest))
        self._workers[slot] = self._start()
        return verdicts

    def _give_up_if_hopeless(self, code: int) -> None:
        self._barren_deaths += 1
        if self._barren_deaths > _MOST_BARREN_DEATHS:
            raise InfrastructureError(
                "SJ406",
                f"workers die before they judge anything ({_exit_text(code)}).",
                hint="Their own words are above; `sqljury doctor` checks the installation.",
            )

    def _blame_judge(self, number: int, rest: list[WorkItem], code: int) -> tuple[VerdictRow, ...]:
        """The process died outside of any statement: once may be bad luck, twice is the case."""
        self._deaths[number] = self._deaths.get(number, 0) + 1
        suspect = next((item for item in rest if item.number == number), None)
        if suspect is None or self._deaths[number] < 2:
            return ()
        rest.remove(suspect)
        reason = f"the worker died while judging ({_exit_text(code)})"
        verdict = Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=reason)
        return tuple(VerdictRow.of(number, judge, verdict) for judge in suspect.judges)

    # ------------------------------------------------------------ processes

    def _start(self) -> _Worker:
        handle, name = tempfile.mkstemp(prefix="sqljury-worker-")
        os.write(handle, bytes(WATCH_SIZE))
        watch = mmap.mmap(handle, WATCH_SIZE)
        os.close(handle)
        try:
            process = subprocess.Popen(
                [sys.executable, "-m", "sqljury.runs.worker", name],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=os.environ | {"PYTHONPATH": os.pathsep.join(self._setup.python_path)},
            )
        except OSError as error:
            raise InfrastructureError("SJ405", f"cannot start a worker: {error}.") from error
        worker = _Worker(process, watch, Path(name), queue.SimpleQueue())
        worker.outbox.put(self._setup)
        threading.Thread(target=_write, args=(worker,), daemon=True).start()
        threading.Thread(target=_read, args=(worker, self._inbox), daemon=True).start()
        return worker

    def _dispose(self, worker: _Worker) -> None:
        worker.outbox.put(None)
        worker.watch.close()
        worker.watch_path.unlink(missing_ok=True)

    @staticmethod
    def _end(worker: _Worker) -> int:
        """The exit code; a process that closed its pipe but lives on is ended."""
        try:
            return worker.process.wait(_TERM_SECONDS)
        except subprocess.TimeoutExpired:
            worker.process.kill()
            return worker.process.wait()

    def close(self) -> None:
        """End all workers: asked first, so that servers are told to stop, then killed."""
        for worker in self._workers:
            worker.outbox.put(None)  # enough for one that waits for work
            if worker.handed:
                with contextlib.suppress(ProcessLookupError):
                    worker.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + _TERM_SECONDS
        for worker in self._workers:
            try:
                worker.process.wait(max(0.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            self._dispose(worker)
        self._workers.clear()


def _resident_bytes(pid: int) -> int:
    """Memory that a process holds, in bytes; 0 where the system does not tell (not Linux)."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * _PAGE


def _died(code: int) -> Execution:
    if code == -signal.SIGKILL:
        # Nobody here killed it: the operating system did, and memory is why it does.
        return Execution(Status.OUT_OF_MEMORY, None, "the system killed the worker (memory)")
    return Execution(Status.ERROR, None, f"the engine crashed ({_exit_text(code)})")


def _exit_text(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"


def _write(worker: _Worker) -> None:
    """Send what is put in the outbox; a thread of its own, since a busy worker does not read."""
    assert worker.process.stdin is not None
    with contextlib.suppress(OSError, ValueError):
        while (message := worker.outbox.get()) is not None:
            send(worker.process.stdin, message)
    with contextlib.suppress(OSError):
        worker.process.stdin.close()


def _read(worker: _Worker, inbox: queue.SimpleQueue[tuple[_Worker, object]]) -> None:
    """Pass on what a worker says; None at its end."""
    assert worker.process.stdout is not None
    try:
        with contextlib.suppress(EOFError, OSError, ValueError):
            while True:
                inbox.put((worker, receive(worker.process.stdout)))
    finally:
        inbox.put((worker, None))
