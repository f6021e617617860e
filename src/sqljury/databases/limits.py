"""Limits of statements: seconds, rows and bytes.

Deadlines count only the time in which this process was awake: while it is stopped (Ctrl-Z, SIGSTOP,
a laptop that sleeps), it does nothing, and nothing that it waits for is late.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from sys import getsizeof
from threading import Condition, Thread, get_ident
from time import monotonic, process_time
from typing import Any, Protocol

from sqljury.execution import Limits, ResultTable

_AGAIN = 0.05
_TICK = 0.5
_LATEST = 0.75
"""Most seconds that count between two ticks; if more have passed, the process was stopped."""
WAIT_FACTOR = 10
"""A statement that does not work but waits (for a disk) may take this many times its limit."""


@dataclass(slots=True)
class _WatchedStatement:
    deadline: float
    call: Callable[[], None]
    fired: bool = False


class Watchdog:
    """Calls back when a deadline has passed, and repeats it until :meth:`release`.

    It repeats because an interrupt that arrives just before the query starts is lost. After
    ``release`` has returned there are no further calls, so none can hit the next query.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._watched: dict[object, _WatchedStatement] = {}
        self._wakes = 0.0
        self._thread: Thread | None = None
        self._ticked = monotonic()
        self._awake = 0.0

    def awake(self) -> float:
        """A clock of the seconds in which this process was awake; only differences have a
        meaning."""
        with self._changed:
            self._start()
            return self._now()

    def watch(self, seconds: float, call: Callable[[], None]) -> object:
        """Calls ``call`` after this many seconds; returns a token for :meth:`release`."""
        token = object()
        with self._changed:
            self._start()
            deadline = self._now() + seconds
            self._watched[token] = _WatchedStatement(deadline, call)
            if deadline < self._wakes:
                self._changed.notify()
        return token

    def release(self, token: object) -> bool:
        """Stops watching; True if the deadline had passed."""
        with self._changed:
            found = self._watched.pop(token, None)
            return found is not None and found.fired

    def _start(self) -> None:
        # the thread does not survive a fork
        if self._thread is None or not self._thread.is_alive():
            self._ticked = monotonic()
            self._wakes = self._awake + _TICK
            self._thread = Thread(target=self._run, name="sqljury-watchdog", daemon=True)
            self._thread.start()

    def _tick(self) -> None:
        now = monotonic()
        self._awake += min(now - self._ticked, _LATEST)
        self._ticked = now

    def _now(self) -> float:
        return self._awake + min(monotonic() - self._ticked, _LATEST)

    def _run(self) -> None:
        with self._changed:
            while True:
                self._tick()
                self._call_overdue()
                deadlines = (one.deadline for one in self._watched.values())
                self._wakes = min(self._awake + _TICK, *deadlines, float("inf"))
                self._changed.wait(max(0.0, self._wakes - self._now()))

    def _call_overdue(self) -> None:
        for one in self._watched.values():
            if one.deadline <= self._awake:
                one.fired = True
                one.deadline = self._awake + _AGAIN
                one.call()


WATCHDOG = Watchdog()
"""Shared by all databases of this process."""


def awake() -> float:
    """A clock for timeouts: it does not advance while this process is stopped."""
    return WATCHDOG.awake()


def own_processor_time() -> Callable[[], float]:
    """The processor time of the calling thread, as a clock that any thread may read."""
    if not hasattr(time, "pthread_getcpuclockid"):  # not Linux
        return process_time
    return partial(time.clock_gettime, time.pthread_getcpuclockid(get_ident()))


class WorkLimit:
    """Interrupts this thread's statement after so many seconds of processor time, or after
    :data:`WAIT_FACTOR` times as many seconds in which it was awake.

    Attributes:
        worked: True if the processor time was used up, known at the end of the block.
        waited: True if the waiting time was used up.
    """

    def __init__(self, seconds: float, interrupt: Callable[[], None]) -> None:
        self.worked = self.waited = False
        self._seconds = seconds
        self._interrupt = interrupt

    def __enter__(self) -> WorkLimit:
        self._clock, self._since = own_processor_time(), awake()
        self._began = self._clock()
        self._token = WATCHDOG.watch(self._seconds, self._look)
        return self

    def __exit__(self, *_: object) -> None:
        WATCHDOG.release(self._token)
        self.worked = self._clock() - self._began >= self._seconds

    def _look(self) -> None:
        self.waited = awake() - self._since >= WAIT_FACTOR * self._seconds
        if self.waited or self._clock() - self._began >= self._seconds:
            self._interrupt()


# ------------------------------------------------------------
# Read a result to its last row, or stop at the limit that it exceeds.

_CHUNK = 1000
_ROW_BYTES = 64  # an empty tuple and its slot in the list
_FIXED_BYTES = 32
_FIXED = frozenset({int, float, bool, type(None)})
_NESTED = frozenset({list, tuple, dict})


class FetchesMany(Protocol):
    """The method of a DB-API cursor that is used here."""

    def fetchmany(self, size: int, /) -> Sequence[tuple[Any, ...]]:
        """Returns up to ``size`` further rows."""


def fetch_limited(
    cursor: FetchesMany,
    columns: tuple[str, ...],
    limits: Limits,
    *,
    largest_cell: int | None = None,
) -> ResultTable | str:
    """All rows, or a message that says which limit they exceed.

    Args:
        largest_cell: the most bytes that a cell can have, if the engine guarantees it. Chunks are
            then so small that none exceeds the byte limit before it is measured, and the first
            chunk needs no measuring.
    """
    chunk, unmeasured = _CHUNK, False
    if largest_cell is not None:
        row = (largest_cell + _ROW_BYTES) * max(1, len(columns))
        chunk, unmeasured = max(1, min(_CHUNK, limits.bytes // row)), row <= limits.bytes
    chunk = min(chunk, limits.rows + 1)
    rows = list(cursor.fetchmany(chunk))
    if len(rows) > limits.rows:
        return _too_many(limits)
    if len(rows) < chunk and unmeasured:
        return ResultTable(columns, rows)
    used = estimated_bytes(rows)
    while used <= limits.bytes:
        more = cursor.fetchmany(chunk)
        if not more:
            return ResultTable(columns, rows)
        rows += more
        if len(rows) > limits.rows:
            return _too_many(limits)
        used += estimated_bytes(more)
    return f"more than {limits.bytes} bytes, the limit"


def _too_many(limits: Limits) -> str:
    return f"more than {limits.rows} rows, the limit"


def exceeded(limits: Limits) -> str:
    """The message for a statement that took longer than its limit."""
    return f"exceeded {limits.seconds:g} s"


def estimated_bytes(rows: Sequence[tuple[Any, ...]]) -> int:
    """The size of the rows in this process: of every cell, and a share for each row."""
    return len(rows) * _ROW_BYTES + sum(map(_column_bytes, zip(*rows, strict=True)))


def _column_bytes(column: tuple[Any, ...]) -> int:
    kinds = set(map(type, column))
    if kinds <= _FIXED:
        return len(column) * _FIXED_BYTES  # all have the same size
    return sum(map(_deep_size if kinds & _NESTED else getsizeof, column))


def _deep_size(value: object) -> int:
    parts: Iterable[object] = ()
    if isinstance(value, dict):
        parts = chain(value.keys(), value.values())
    elif isinstance(value, list | tuple):
        parts = value
    return getsizeof(value) + sum(map(_deep_size, parts))
