"""Shows progress: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from sqljury.cli.streams import echo


@contextlib.contextmanager
def progress(doing: str = "judging", done: str = "judged") -> Iterator[Callable[[int, int], None]]:
    """A callback for done and total: updates a bar on a terminal, else prints a line every 10 s."""
    if sys.stderr.isatty():
        with _bar(doing) as update:
            yield update
    else:
        yield _lines(done)


@contextlib.contextmanager
def _bar(doing: str) -> Iterator[Callable[[int, int], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Eta

    columns = (
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]}"),
        Eta(),
    )
    bar = Progress(*columns, console=Console(stderr=True), transient=True)
    task = bar.add_task(doing, total=None, rate="")
    start: list[tuple[float, int]] = []
    totals: list[int] = []

    def update(done: int, total: int) -> None:
        # A command may judge several times: a new total starts a new rate.
        if totals != [total]:
            totals[:], start[:] = [total], [(time.monotonic(), done)]
        seconds = time.monotonic() - start[0][0]
        rate = f"{(done - start[0][1]) / seconds:,.0f}/s" if seconds > 0.5 else ""
        bar.update(task, completed=done, total=total, rate=rate)

    with bar:
        yield update


def _lines(did: str, every: float = 10.0) -> Callable[[int, int], None]:
    state = {"next": time.monotonic() + every, "first": 0, "total": -1, "start": 0.0, "last": -1}

    def update(done: int, total: int) -> None:
        now = time.monotonic()
        # A command may judge several times: a new total starts a new rate.
        if total != state["total"]:
            state.update(first=done, total=total, start=now)
        if now < state["next"]:
            return
        state["next"] = now + every
        rate = (done - state["first"]) / max(now - state["start"], 1e-9)
        # While nothing gets done, the estimate of the time left only grows: do not print it.
        goes_on, state["last"] = done > state["last"], done
        eta = f", {(total - done) / rate:,.0f} s left" if rate > 0 and goes_on else ""
        echo(f"{did} {done:,} of {total:,} ({rate:,.0f}/s{eta})", err=True)

    return update
