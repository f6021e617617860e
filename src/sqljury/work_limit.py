"""A limit on the processor time of Python code that looks at queries nobody has read.

Statements have limits of their own, and their time does not count here.
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
"""A judge's first case imports what it needs."""
_AGAIN_SECONDS: Final = 1.0
_current = threading.local()


class _StopWorkError(BaseException):
    """Raised in the thread that has worked for too long; no ``except Exception`` takes it."""


class _Meter:
    """Stops its thread, from the watchdog's, when it has worked for so many seconds."""

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
                # Code that catches it nevertheless is stopped again, later: not while it ends.
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
        """Let what was raised arrive here, if it has not arrived.

        CPython 3.11 never forgets one that is taken back: each call is slower from then on, and
        one that is traced does not return.
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
    """The processor time that a judge may take for one case, its statements aside."""
    return max(limits.seconds, _LEAST_SECONDS)


def too_much_work(seconds: float) -> str:
    """Why there is no answer."""
    return f"the judge was stopped after {seconds:g} s of processor time"


def within_work_limit(do: Callable[[], T], seconds: float) -> T | None:
    """What the function returns; None where it was stopped after so many seconds of work."""
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
        # Whatever the code made of being stopped, in a callback of SQLite for instance.
        if not meter.fired:
            raise
        meter.close()
        _current.meter = outer
        return None


@contextmanager
def not_work() -> Iterator[None]:
    """A statement, whose engine limits it, and in which nothing is raised."""
    meter = getattr(_current, "meter", None)
    if meter is None:
        yield
    else:
        with meter.not_counted():
            yield
