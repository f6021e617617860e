"""A limit on the processor time of Python code that works on untrusted queries.

The time of SQL statements does not count: they have limits of their own.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TypeVar

from sqljury.databases.limits import WATCHDOG, own_processor_time
from sqljury.execution import Limits

T = TypeVar("T")

_LEAST_SECONDS: Final = 10.0
"""The lowest limit: on its first case a judge also imports its modules."""
_AGAIN_SECONDS: Final = 1.0
_current = threading.local()


class _StopWorkError(BaseException):
    """Raised in a thread that exceeds the limit; ``except Exception`` does not catch it."""


class _Meter:
    """Measures a thread's processor time; the watchdog's thread stops it at the limit."""

    def __init__(self, seconds: float) -> None:
        self.fired = False
        self.paused = False
        self._lock = threading.Lock()
        self._thread = ctypes.c_ulong(threading.get_ident())
        self._clock = own_processor_time()
        self._end = self._clock() + seconds
        self._token = WATCHDOG.watch(seconds, self._look)

    def _look(self) -> None:
        with self._lock:
            if not self.paused and self._clock() >= self._end:
                self.fired = True
                # Code that catches the error is stopped again, after time for its clean-up.
                self._end = self._clock() + _AGAIN_SECONDS
                self._raise()

    def _raise(self) -> None:
        stop = ctypes.py_object(_StopWorkError)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(self._thread, stop)

    def close(self) -> None:
        with self._lock:
            self.paused = True
        if self.fired:
            self._receive()
        WATCHDOG.release(self._token)

    def _receive(self) -> None:
        """Raise the error once more and catch it here, so that none is pending afterwards.

        Cancelling a pending error instead does not work in CPython 3.11: each call is slower from
        then on, and a traced call does not return.
        """
        try:
            self._raise()
            while True:
                pass
        except _StopWorkError:
            pass

    @contextmanager
    def not_counted(self) -> Iterator[None]:
        before = self._clock()
        with self._lock:
            self.paused = True
        try:
            yield
        finally:
            with self._lock:
                self._end += self._clock() - before
                self.paused = False


def work_seconds(limits: Limits) -> float:
    """The limit on a judge's processor time for one case, without its SQL statements."""
    return max(limits.seconds, _LEAST_SECONDS)


def too_much_work(seconds: float) -> str:
    """The reason of a verdict that the limit stopped."""
    return f"the judge was stopped after {seconds:g} s of processor time"


def within_work_limit(do: Callable[[], T], seconds: float) -> T | None:
    """Call a function; return its result, or None if it was stopped after ``seconds`` of work."""
    meter = _Meter(seconds)
    outer, _current.meter = getattr(_current, "meter", None), meter
    try:
        try:
            found = do()
        finally:
            meter.close()
            _current.meter = outer
        return None if meter.fired else found
    except BaseException:
        # The stopped code may have turned the error into another, as a callback of SQLite does.
        if not meter.fired:
            raise
        meter.close()
        _current.meter = outer
        return None


@contextmanager
def not_work() -> Iterator[None]:
    """A ``with`` block whose time does not count and in which the limit does not raise.

    It is for SQL statements, which the engine limits.
    """
    meter = getattr(_current, "meter", None)
    if meter is None:
        yield
    else:
        with meter.not_counted():
            yield
