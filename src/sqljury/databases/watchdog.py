"""One thread that calls back when a deadline passes, for engines that do not watch the clock."""

from __future__ import annotations

from collections.abc import Callable
from threading import Condition, Thread
from time import monotonic
from typing import Final

_AGAIN: Final = 0.05


class Watchdog:
    """Calls back when a deadline passes, and again and again until :meth:`release`.

    Again, because an interrupt that arrives just before the query starts is lost. After
    ``release`` has returned there are no further calls, so none hits the next query.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._watched: dict[object, tuple[float, Callable[[], None]]] = {}
        self._fired: set[object] = set()
        self._wakes = 0.0
        self._thread: Thread | None = None

    def watch(self, seconds: float, call: Callable[[], None]) -> object:
        """Have ``call`` called after that many seconds; the token is for :meth:`release`."""
        token = object()
        deadline = monotonic() + seconds
        with self._changed:
            self._watched[token] = (deadline, call)
            if self._thread is None or not self._thread.is_alive():  # dead in a forked child
                self._wakes = deadline
                self._thread = Thread(target=self._run, name="sqljury-watchdog", daemon=True)
                self._thread.start()
            elif deadline < self._wakes:
                self._changed.notify()
        return token

    def release(self, token: object) -> bool:
        """Stop watching; tells whether the deadline had passed."""
        with self._changed:
            del self._watched[token]
            fired = token in self._fired
            self._fired.discard(token)
            return fired

    def _run(self) -> None:
        with self._changed:
            while True:
                self._call_overdue()
                deadlines = (deadline for deadline, _ in self._watched.values())
                self._wakes = min(deadlines, default=monotonic() + 60)
                self._changed.wait(self._wakes - monotonic())

    def _call_overdue(self) -> None:
        now = monotonic()
        for token, (deadline, call) in self._watched.items():
            if deadline <= now:
                self._fired.add(token)
                self._watched[token] = (now + _AGAIN, call)
                call()


WATCHDOG: Final = Watchdog()
"""Shared by all databases of this process."""
