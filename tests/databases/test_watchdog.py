"""The watchdog calls when a deadline passes, again until released, and never afterwards."""

from __future__ import annotations

import time

from servers import wait_for

from sqljury.databases.limits import Watchdog


def test_calls_when_overdue_and_never_after_release() -> None:
    watchdog = Watchdog()
    calls: list[float] = []
    start = time.monotonic()
    token = watchdog.watch(0.1, lambda: calls.append(time.monotonic() - start))
    wait_for(lambda: len(calls) >= 2, 30)
    assert watchdog.release(token)
    seen = len(calls)
    assert calls[0] >= 0.1
    time.sleep(0.15)
    assert len(calls) == seen


def test_in_time_there_is_no_call() -> None:
    watchdog = Watchdog()
    calls: list[int] = []
    for _ in range(100):
        assert not watchdog.release(watchdog.watch(0.5, lambda: calls.append(1)))
    time.sleep(0.6)
    assert calls == []


def test_a_shorter_deadline_overtakes_a_longer_one() -> None:
    watchdog = Watchdog()
    calls: list[str] = []
    long = watchdog.watch(60, lambda: calls.append("long"))
    short = watchdog.watch(0.05, lambda: calls.append("short"))
    wait_for(lambda: bool(calls), 30)
    assert watchdog.release(short)
    assert not watchdog.release(long)
    assert set(calls) == {"short"}
