"""A pool of workers in which each worker may die and is replaced.

The parent hands out batches, collects verdicts, and watches. If an engine does not stop a statement
in time, the parent kills the process at once, and a new worker takes over. The case that it was
judging is judged again, with that execution recorded as a timeout.

If a worker dies for another reason, this proves nothing yet: the cases it was judging are judged
again, one at a time, by a new worker while the others wait. If that one dies in the same way, its
statement is the cause.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import queue
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, TYPE_CHECKING

from sqljury.errors import InfrastructureError
from sqljury.execution import MIB, Execution
from sqljury.isolation import SentError, TemporaryFolder, start_isolated, started_ahead
from sqljury.runs.ahead import WORKER
from sqljury.runs.deaths import (
    MOST_DEATHS,
    Death,
    Kill,
    ProcessState,
    blamed,
    memory_kills,
    process_state,
    resident_bytes,
    timed_out,
)
from sqljury.runs.messages import (
    SEVERAL,
    WATCH,
    WATCH_BEAT,
    WATCH_CASE,
    WATCH_SIZE,
    Batch,
    Beginning,
    Progress,
    Setup,
    heard,
    tell,
)
from sqljury.runs.store import VerdictRow, WorkItem
from sqljury.verdict import Outcome, Verdict
from sqljury.work_limit import too_much_work, work_seconds

if TYPE_CHECKING:
    from sqljury.llm import Request, Spent

_POLL_SECONDS = 0.1
_GRACE_SECONDS = 1.0
_TERM_SECONDS = 2.0
_LONGEST_LOOK = 1.0
"""Most seconds that count between two checks of the workers."""
_WAIT_FACTOR = 4
_LONGEST_LOCK = 5.0
"""A statement that does not work may take its limit times a factor, plus these seconds: SQLite
waits this long for a lock."""
_STOPPED_SECONDS = 5.0
"""A worker that is stopped for longer than this is replaced."""
_SILENT_SECONDS = 60.0
"""A worker that neither works nor sends a heartbeat for longer than this is replaced."""
_BATCH_SECONDS = 0.25
"""Target duration of a batch: long enough to hide the hand-over, short enough at the end of a
run."""
_LARGEST_BATCH = 128
_LARGEST_BATCH_BYTES = 1 << 20
_LARGEST_GROUP = 1024
"""Most cases of one question that stay in one batch, if judges take several at once."""
_MOST_BARREN_DEATHS = 5
_AHEAD = 2
"""Batches that a worker holds, so that it does not wait for the parent."""
_OUTCOMES = frozenset(Outcome)
_FEATURES = re.compile(r"[a-z0-9_:+ ]*")


@dataclass(eq=False, slots=True)
class _Worker:
    process: subprocess.Popen[bytes]
    watch: mmap.mmap
    watch_file: Path
    outbox: queue.SimpleQueue[Beginning | Batch | None]
    memory_kills: int | None
    """The system's count of kills for lack of memory when the worker started."""
    alone: bool = True
    """True if it never had more than one case at a time."""
    handed: dict[int, WorkItem] = field(default_factory=dict)
    """The cases that it has not judged yet, by case number."""
    last_batch: int = 0
    """The number of cases in its last batch."""
    is_foreign: bool = False
    """True if it reported cases that it was not given: none of its messages count any more."""
    killed: Kill | None = None
    """Why the parent ended it; None if it did not."""
    waited: float = 0.0
    """Seconds for which the parent saw it run the statement that began at :attr:`waits_since`."""
    waits_since: float = 0.0
    lifeless: float = 0.0
    """Seconds for which the parent saw no sign of life."""
    last_sign: tuple[float, float] = (0.0, 0.0)
    """Its last heartbeat, and its processor time then."""

    def executing(self) -> tuple[float, float, int, bytes, int]:
        """The fields of :data:`WATCH`: start (0 when it runs no statement), processor time then,
        thread, token, and the number of the case."""
        found: tuple[float, float, int, bytes, int] = WATCH.unpack(self.watch[: WATCH.size])
        return found

    def judging(self) -> tuple[int, int, float]:
        """The fields of :data:`WATCH_CASE`: the case (0 before the first), the judge, and the
        processor time at its start."""
        found: tuple[int, int, float] = WATCH_CASE.unpack(self.watch[WATCH.size : -WATCH_BEAT.size])
        return found

    def beat(self) -> float:
        """When it was last alive, on its own clock; 0 before the first heartbeat."""
        (found,) = WATCH_BEAT.unpack(self.watch[-WATCH_BEAT.size :])
        return float(found)


class WorkerPool:
    """Workers for one run.

    Args:
        setup: sent to each worker once.
        workers: the number of processes.
        environment: their environment variables.
        check: called with the names of databases of new verdicts, before these are returned.

    Attributes:
        missing: requests whose answers cases without a verdict wait for, by key.
        spent: what the workers spent on models; None if they asked none.
    """

    def __init__(
        self,
        setup: Setup,
        workers: int,
        *,
        environment: Mapping[str, str],
        check: Callable[[Iterable[str]], None] = lambda _: None,
    ) -> None:
        self._setup = setup
        self._size = workers
        self._environment = environment
        self._check = check
        self._folder: TemporaryFolder | None = None
        self._workers: list[_Worker] = []
        self._inbox: queue.SimpleQueue[tuple[_Worker, object]] = queue.SimpleQueue()
        self._again: deque[WorkItem] = deque()
        self._known: dict[bytes, Execution] = {}
        self._suspects: deque[WorkItem] = deque()
        """Cases that were being judged in workers that died."""
        self._deaths: dict[int, list[Death]] = {}
        """The ends of workers that had only one case, by the case's number."""
        self._barren_deaths = 0
        self._seconds_per_case = 0.0
        self._last_watch = 0.0
        self.missing: dict[str, Request] = {}
        self.spent: Spent | None = None
        # The engine's memory limit, the fetched rows as Python objects, and the interpreter.
        # Engines keep to their limit themselves, except for single huge values in some.
        limits = setup.settings.limits
        self._most_resident = limits.memory + 4 * limits.bytes + 512 * MIB

    def __enter__(self) -> WorkerPool:
        self._folder = TemporaryFolder()
        scratch = self._folder.path / "scratch"
        scratch.mkdir()
        self._settle_in(str(scratch))
        self._workers.append(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def run(self, items: Iterable[WorkItem]) -> Iterator[tuple[VerdictRow, ...]]:
        """Judges all items; yields verdicts as they are found, in no particular order.

        Raises:
            SqljuryError: the workers cannot work at all.
        """
        under_way = {number for worker in self._workers for number in worker.handed}
        under_way |= {item.number for item in (*self._again, *self._suspects)}
        source = (item for item in items if item.number not in under_way)
        self._fill(source)
        while any(worker.handed for worker in self._workers):
            yield from self._next_messages()
            self._fill(source)

    def judge_meanwhile(self, waiting: deque[WorkItem]) -> Iterator[tuple[VerdictRow, ...]]:
        """Gives waiting cases to workers that have room, and yields the verdicts found so far.

        Cases that are still being judged then are finished by :meth:`run`.

        Raises:
            SqljuryError: the workers cannot work at all.
        """
        self._fill(_taken(waiting))
        while not self._inbox.empty():
            yield from self._next_messages()
            self._fill(_taken(waiting))

    def _settle_in(self, scratch: str) -> None:
        """Gives the workers a folder for temporary files, the only one they may write to in a
        sandbox."""
        self._environment = {**self._environment, "TMPDIR": scratch}
        sandbox = self._setup.sandbox
        if sandbox is None:
            return
        if sandbox.uid is not None:
            os.chown(scratch, sandbox.uid, sandbox.uid)
            Path(scratch).parent.chmod(0o711)  # lets the worker's user pass through
        if sandbox.writes is not None:
            sandbox = replace(sandbox, writes=(*sandbox.writes, scratch))
        self._setup = replace(self._setup, sandbox=sandbox)

    # ------------------------------------------------------------ handing out

    def _fill(self, source: Iterator[WorkItem]) -> None:
        if self._suspects:
            self._hand_suspect()
            return
        # Breadth first: each worker gets its first batch before any gets a second one.
        for depth in range(_AHEAD):
            for slot in range(self._size):
                worker = self._workers[slot] if slot < len(self._workers) else None
                if worker is not None and len(worker.handed) > depth * worker.last_batch:
                    continue
                items = self._next_items(source)
                if not items:
                    return
                if worker is None:  # start a worker only when there is work for it
                    worker = self._start()
                    self._workers.append(worker)
                worker.alone = False
                self._hand(worker, items)

    def _hand_suspect(self) -> None:
        """Gives one case to a worker that never had several at once, while all others wait."""
        if any(worker.handed for worker in self._workers):
            return
        worker = next((worker for worker in self._workers if worker.alone), None)
        if worker is None:
            worker = self._replaced(self._workers[0])
        self._hand(worker, (self._suspects.popleft(),))

    def _next_items(self, source: Iterator[WorkItem]) -> tuple[WorkItem, ...]:
        size = _LARGEST_BATCH
        if self._seconds_per_case * size > _BATCH_SECONDS:
            size = max(1, int(_BATCH_SECONDS / self._seconds_per_case))
        elif self._seconds_per_case == 0.0:
            size = 8
        size = max(size, _AHEAD * self._setup.threads, self._setup.batch_size)
        items: list[WorkItem] = []
        weight = 0
        while (item := self._next_item(source)) is not None:
            full = len(items) >= size or weight >= _LARGEST_BATCH_BYTES
            if full and not self._parting(items, item):
                # A network's results depend in the last digits on the cases it computes together,
                # so a question's candidates always go into one batch.
                self._again.appendleft(item)
                break
            items.append(item)
            weight += len(item.body)
        return tuple(items)

    def _next_item(self, source: Iterator[WorkItem]) -> WorkItem | None:
        return self._again.popleft() if self._again else next(source, None)

    def _parting(self, items: Sequence[WorkItem], item: WorkItem) -> bool:
        """True if a batch that ends before this case would separate cases that are judged
        together."""
        if self._setup.batch_size == 1 or items[-1].group != item.group:
            return False
        return len(items) < _LARGEST_GROUP

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
            yield ()  # lets the caller act, e.g. save verdicts
            return
        if isinstance(message, Progress):
            yield self._collect(worker, message)
        elif isinstance(message, SentError):
            raise message.error()
        elif worker in self._workers:
            yield self._bury(worker)
        if time.monotonic() - self._last_watch > _POLL_SECONDS:
            self._watch()

    def _collect(self, worker: _Worker, progress: Progress) -> tuple[VerdictRow, ...]:
        if worker.is_foreign or not _is_about(progress, worker.handed):
            worker.is_foreign = True
            worker.process.kill()
            return ()
        self._check(progress.databases)
        for number in progress.cases:
            worker.handed.pop(number, None)
            self._deaths.pop(number, None)
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
        # A moving mean, so that batch sizes follow the work from database to database.
        weight = 0.5 if self._seconds_per_case else 1.0
        self._seconds_per_case += weight * (seconds - self._seconds_per_case)

    # ------------------------------------------------------------ watching

    def _watch(self) -> None:
        now = time.monotonic()
        # Only time in which this process was awake counts: while it is stopped, no worker is late.
        passed = min(now - self._last_watch, _LONGEST_LOOK)
        self._last_watch = now
        for worker in self._workers:
            if worker.killed is None:
                worker.killed = self._overdue(worker, passed)
                if worker.killed is not None:
                    worker.process.kill()

    def _overdue(self, worker: _Worker, passed: float) -> Kill | None:
        """Why a worker must be ended now; None if it may go on."""
        start, before, thread, _, _ = worker.executing()
        state = process_state(worker.process.pid, thread if start else 0)
        if self._is_lifeless(worker, state, passed):
            return Kill.STOPPED
        limits = self._setup.settings.limits
        if not start:
            _, place, began = worker.judging()
            # normally the judge stops itself before
            most = 2 * work_seconds(limits) + _GRACE_SECONDS
            if place and state is not None and state.worked - began > most:
                return Kill.JUDGED
            return None
        if worker.waits_since != start:
            worker.waits_since, worker.waited = start, 0.0
        if state is None or not state.is_stopped:
            worker.waited += passed
        limit = limits.seconds + _GRACE_SECONDS
        worked = worker.waited if state is None else state.worked - before
        if worker.waited > limit and worked > limit:
            return Kill.WORKED
        if worker.waited > _WAIT_FACTOR * limits.seconds + _LONGEST_LOCK:
            return Kill.WAITED
        if resident_bytes(worker.process.pid) > self._most_resident:
            return Kill.OUT_OF_MEMORY
        return None

    @staticmethod
    def _is_lifeless(worker: _Worker, state: ProcessState | None, passed: float) -> bool:
        if state is None:
            return False
        sign = worker.beat(), state.worked
        starts = not sign[0] and not state.is_stopped  # it has not sent its first heartbeat
        if sign != worker.last_sign or starts or not worker.handed:
            worker.last_sign, worker.lifeless = sign, 0.0
        else:
            worker.lifeless += passed
        return worker.lifeless > (_STOPPED_SECONDS if state.is_stopped else _SILENT_SECONDS)

    def _bury(self, worker: _Worker) -> tuple[VerdictRow, ...]:
        """Handles the end of a worker: its other cases are judged again, and the cause is found."""
        code = self._end(worker)
        start, _, _, token, _ = worker.executing()
        _, place, _ = worker.judging()
        suspects = [] if worker.killed is Kill.STOPPED else self._suspected(worker)
        rest = [item for item in worker.handed.values() if item not in suspects]
        death = Death(
            code,
            token if start else None,
            worker.killed,
            _more(worker.memory_kills, memory_kills()),
        )
        self._again.extendleft(reversed(rest))
        self._replaced(worker)
        limits = self._setup.settings.limits
        if worker.killed is Kill.WORKED and token not in self._known:
            self._known[token] = timed_out(limits)
            self._again.extendleft(suspects)
        elif worker.killed is Kill.JUDGED and len(suspects) == 1:
            return self._without(suspects[0], place - 1)
        elif not suspects:
            self._give_up_if_hopeless(death)
        elif worker.alone:
            return self._convict(suspects[0], death)
        else:
            self._suspects.extend(suspects)
        return ()

    def _suspected(self, worker: _Worker) -> list[WorkItem]:
        """The cases that a worker may have been judging when it ended."""
        start, _, _, _, number = worker.executing()
        judging, _, _ = worker.judging()
        found = worker.handed.get(number if start else judging)
        if found is None and not start and judging != SEVERAL:
            return []  # it was between two cases, or had not begun
        if found is None or (not start and self._setup.threads > 1):
            return list(worker.handed.values())  # it could have been any of them
        return [found]

    def _convict(self, item: WorkItem, death: Death) -> tuple[VerdictRow, ...]:
        """A worker with only this case died: record its statement's failure, try again, or give
        up."""
        deaths = self._deaths.setdefault(item.number, [])
        deaths.append(death)
        execution = blamed(deaths, self._setup.settings.limits)
        if execution is not None and death.token is not None:
            del self._deaths[item.number]  # its other statements start anew
            self._known[death.token] = execution
            self._again.appendleft(item)
            return ()
        if len(deaths) < MOST_DEATHS:
            self._suspects.appendleft(item)
            return ()
        reason = f"the worker died while judging ({death.text})"
        verdict = Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=reason)
        return tuple(VerdictRow.of(item.number, judge, verdict) for judge in item.judges)

    def _without(self, item: WorkItem, judge: int) -> tuple[VerdictRow, ...]:
        """A judge could not be stopped from inside: its verdict is unknown, the other judges go
        on."""
        others = tuple(place for place in item.judges if place != judge)
        if others:
            self._again.appendleft(item._replace(judges=others))
        reason = too_much_work(work_seconds(self._setup.settings.limits))
        verdict = Verdict(outcome=Outcome.UNKNOWN, reason=reason)
        return (VerdictRow.of(item.number, judge, verdict),)

    def _give_up_if_hopeless(self, death: Death) -> None:
        self._barren_deaths += 1
        if self._barren_deaths > _MOST_BARREN_DEATHS:
            raise InfrastructureError(
                "SJ406",
                f"workers die before they judge anything ({death.text}).",
                hint="Their own words are above; `sqljury doctor` checks the installation.",
            )

    # ------------------------------------------------------------ processes

    def _start(self) -> _Worker:
        assert self._folder is not None, "the pool was entered"
        handle, name = tempfile.mkstemp(dir=self._folder.path, prefix="watch-")
        os.write(handle, bytes(WATCH_SIZE))
        watch = mmap.mmap(handle, WATCH_SIZE)
        os.close(handle)
        process = started_ahead(WORKER) or start_isolated(WORKER, environment=self._environment)
        worker = _Worker(process, watch, Path(name), queue.SimpleQueue(), memory_kills())
        worker.outbox.put(Beginning(self._setup, name, dict(self._environment)))
        threading.Thread(target=_write, args=(worker,), daemon=True).start()
        threading.Thread(target=_read, args=(worker, self._inbox), daemon=True).start()
        return worker

    def _replaced(self, worker: _Worker) -> _Worker:
        """Replaces a worker that has ended or is idle by a new one."""
        self._dispose(worker)
        fresh = self._start()
        self._workers[self._workers.index(worker)] = fresh
        return fresh

    def _dispose(self, worker: _Worker) -> None:
        worker.outbox.put(None)
        worker.watch.close()
        worker.watch_file.unlink(missing_ok=True)

    @staticmethod
    def _end(worker: _Worker) -> int:
        """The exit code; a process that closed its pipe but still runs is killed."""
        try:
            return worker.process.wait(_TERM_SECONDS)
        except subprocess.TimeoutExpired:
            worker.process.kill()
            return worker.process.wait()

    def close(self) -> None:
        """Ends all workers: first by request, so that they cancel statements on servers; then by
        kill."""
        for worker in self._workers:
            if not worker.last_batch and self._setup.settings.llm is None:
                worker.process.kill()  # it had no work, so it has opened nothing
            worker.outbox.put(None)  # enough for a worker that waits for work
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
        if self._folder is not None:
            self._folder.close()


def _taken(waiting: deque[WorkItem]) -> Iterator[WorkItem]:
    while waiting:
        yield waiting.popleft()


def _is_about(progress: Progress, handed: Mapping[int, WorkItem]) -> bool:
    """True if a worker reports only cases that it was given."""
    return all(number in handed for number in progress.cases) and all(
        row.number in handed
        and row.judge in handed[row.number].judges
        and row.outcome in _OUTCOMES
        and _FEATURES.fullmatch(row.features or "")
        for row in progress.verdicts
    )


def _more(before: int | None, now: int | None) -> int | None:
    return None if before is None or now is None else now - before


def _write(worker: _Worker) -> None:
    """Sends what is put in the outbox; in its own thread, because a busy worker does not read."""
    assert worker.process.stdin is not None
    with contextlib.suppress(OSError, ValueError):
        while (message := worker.outbox.get()) is not None:
            tell(worker.process.stdin, message)
    with contextlib.suppress(OSError):
        worker.process.stdin.close()


def _read(worker: _Worker, inbox: queue.SimpleQueue[tuple[_Worker, object]]) -> None:
    """Puts a worker's messages into the inbox; None at its end."""
    replies: IO[bytes] | None = worker.process.stdout
    assert replies is not None
    try:
        while True:
            inbox.put((worker, heard(replies)))
    except (EOFError, OSError):
        pass
    except ValueError:
        worker.process.kill()  # its message is not one that a worker sends
    finally:
        inbox.put((worker, None))
