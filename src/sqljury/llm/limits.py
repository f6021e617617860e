"""How fast a model may be called, and when a failed call is repeated."""

from __future__ import annotations

import random
import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqljury.secrets import redacted

Clock = Callable[[], float]
Sleep = Callable[[float], None]


class Bucket:
    """A token bucket with one second's worth of capacity: over any minute the rate is kept.

    A caller that takes more than there is goes into debt and waits until it is paid. So no caller
    overtakes another, and a request larger than the bucket still passes.
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
        """Takes an amount, and waits until it is available."""
        with self._lock:
            now = self._clock()
            self._level = min(self._capacity, self._level + (now - self._filled) * self._rate)
            self._filled = now
            self._level -= amount
            debt = -self._level
        if debt > 0:
            self._sleep(debt / self._rate)

    def correct(self, amount: float) -> None:
        """Takes a further amount (or returns one, if negative); the next caller waits for it."""
        with self._lock:
            self._level = min(self._capacity, self._level - amount)


class Pause:
    """If a server asks one caller to wait, all callers wait."""

    def __init__(self, clock: Clock = time.monotonic, sleep: Sleep = time.sleep) -> None:
        self._clock = clock
        self._sleep = sleep
        self._until = 0.0

    def ask(self, seconds: float) -> None:
        """Stops all callers for this many seconds."""
        self._until = max(self._until, self._clock() + seconds)

    def wait(self) -> None:
        """Waits until calls are allowed."""
        while (left := self._until - self._clock()) > 0:
            self._sleep(left)


_LONGEST_PAUSE = 60.0
_AGAIN = frozenset({408, 409, 425, 429})
# Errors that apply to every question: a wrong key, no such model, no money left.
_FATAL = frozenset({401, 402, 403, 404})
_NO_MONEY = re.compile(r"insufficient_quota|billing|spend limit|credit balance", re.IGNORECASE)
# Errors that apply to this question only: its length, its content.
_ABOUT_THE_TEXT = re.compile(
    r"context.{0,12}(length|size|window)|too (long|large|many (input )?tokens)|maximum context"
    r"|exceeds? .{0,40}(tokens|context)|content.?(filter|management|policy)|invalid_prompt"
    r"|\bflagged\b|\bsafety\b",
    re.IGNORECASE,
)


@dataclass
class CallFailedError(Exception):
    """A call that gave no reply.

    Args:
        again: True if another attempt may help.
        wait: seconds that the server asks to wait.
        is_fatal: True if other questions would fail too.
        charged: True if the server may have done the work, and charge for it.
        absent: True if no server accepted the connection.
    """

    message: str
    again: bool = False
    wait: float | None = None
    is_fatal: bool = False
    charged: bool = False
    absent: bool = False

    def __post_init__(self) -> None:
        self.message = redacted(self.message)

    def __str__(self) -> str:
        return self.message


# A limit that the user set: another value solves it.
_OUR_LIMIT = re.compile(r"max_(completion_)?tokens")


def refused_for_its_text(status: int, message: str) -> bool:
    """True if the endpoint refuses this text as such: that counts as an answer, not as a
    failure."""
    about_it = _ABOUT_THE_TEXT.search(message) and not _OUR_LIMIT.search(message)
    return status == 413 or (status in (400, 422) and bool(about_it))


def failure(
    status: int, headers: Mapping[str, str], message: str, now: datetime | None = None
) -> CallFailedError:
    """The error that an HTTP status means."""
    no_money = status == 429 and bool(_NO_MONEY.search(message))
    return CallFailedError(
        f"HTTP {status}: {' '.join(message.split())[:300]}",
        again=(status in _AGAIN or status >= 500) and not no_money,
        wait=retry_after(headers, now),
        is_fatal=status in _FATAL or no_money,
    )


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """Seconds to wait, from ``Retry-After`` (seconds or a date) or ``retry-after-ms``; None
    without."""
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("retry-after")
    seconds = _seconds(text)
    if seconds is not None or not text:
        return seconds
    from email.utils import parsedate_to_datetime

    try:
        at = parsedate_to_datetime(text)
    except ValueError:
        return None
    at = at if at.tzinfo else at.replace(tzinfo=UTC)
    return max(0.0, (at - (now or datetime.now(UTC))).total_seconds())


def _seconds(text: str | None) -> float | None:
    # Not float(), which accepts "nan", "inf" and "1_0".
    if text is None or not re.fullmatch(r"\s*\d{1,9}(\.\d*)?\s*", text):
        return None
    return float(text)


def backoff(base: float, turn: int, seed: str) -> float:
    """Seconds before the next attempt: doubled each time, with a jitter that the seed
    determines."""
    jitter = random.Random(f"{seed}:{turn}").uniform(0.5, 1.5)
    return min(_LONGEST_PAUSE, base * 2.0**turn) * jitter
