"""How fast a model may be asked: so many per minute, and not before a server says so."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

Clock = Callable[[], float]
Sleep = Callable[[float], None]


class Bucket:
    """A token bucket that holds one second's worth: over any minute the rate is kept.

    Whoever takes more than there is goes into debt and waits until it is paid: nobody
    overtakes, and a request larger than the bucket still passes.
    """

    def __init__(
        self, per_minute: int, clock: Clock = time.monotonic, sleep: Sleep = time.sleep
    ) -> None:
        self._rate = per_minute / 60
        self._capacity = max(1.0, self._rate)
        self._level = self._capacity
        self._clock = clock
        self._sleep = sleep
        self._filled = clock()
        self._lock = threading.Lock()

    def take(self, amount: float) -> None:
        """Take, and wait for it."""
        with self._lock:
            now = self._clock()
            self._level = min(self._capacity, self._level + (now - self._filled) * self._rate)
            self._filled = now
            self._level -= amount
            debt = -self._level
        if debt > 0:
            self._sleep(debt / self._rate)

    def correct(self, amount: float) -> None:
        """Take that much more, or less, than was thought; whoever comes next waits for it."""
        with self._lock:
            self._level = min(self._capacity, self._level - amount)


class Pause:
    """A server that asks one caller to wait asks all of them."""

    def __init__(self, clock: Clock = time.monotonic, sleep: Sleep = time.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._until = 0.0

    def ask(self, seconds: float) -> None:
        """Nobody calls for so long."""
        self._until = max(self._until, self._clock() + seconds)

    def wait(self) -> None:
        """Wait until calling is allowed."""
        while (left := self._until - self._clock()) > 0:
            self._sleep(left)
