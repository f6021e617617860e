"""Why a worker died and what caused it; what Linux shows about a process from outside."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from sqljury.execution import Execution, Limits, Status

_CRASHES = frozenset(
    {signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGSYS}
)
MOST_DEATHS = 2
"""How often a case may be judged alone and kill its worker before it is given up."""


class Kill(Enum):
    """Why the parent ended a worker."""

    WORKED = auto()
    """Its statement worked for longer than the limit."""
    WAITED = auto()
    """Its statement neither ended nor worked, for several times the limit."""
    OUT_OF_MEMORY = auto()
    JUDGED = auto()
    """A judge worked much longer than its limit."""
    STOPPED = auto()
    """Somebody stopped it, or it shows no sign of life: its cases are judged again."""


@dataclass(frozen=True, slots=True)
class Death:
    """The end of a worker that had only one case.

    Args:
        code: the exit code of the process.
        token: the statement it was executing, or None.
        kill: why the parent ended it; None if it did not.
        memory_kills: how many processes the system killed for lack of memory while the worker
            lived; None if the system does not count them.
    """

    code: int
    token: bytes | None
    kill: Kill | None = None
    memory_kills: int | None = None

    @property
    def text(self) -> str:
        """How the process ended, as text."""
        if self.code >= 0:
            return f"exit code {self.code}"
        try:
            return signal.Signals(-self.code).name
        except ValueError:
            return f"signal {-self.code}"


def timed_out(limits: Limits) -> Execution:
    """The execution of a statement that was ended from outside."""
    return Execution(Status.TIMEOUT, None, f"exceeded {limits.seconds:g} s", limits.seconds)


def blamed(deaths: Sequence[Death], limits: Limits) -> Execution | None:
    """The execution to record for the statement that killed a worker which had only this case; None
    if it is not proven that the statement was the cause.

    Args:
        deaths: those of workers that had this case only.
        limits: the limits of a statement.
    """
    last = deaths[-1]
    if last.token is None or any(death.token != last.token for death in deaths):
        return None
    if last.kill is Kill.WAITED:  # it did the same before, when the worker had other cases too
        return timed_out(limits)
    if last.kill is Kill.OUT_OF_MEMORY:
        message = f"needs more than {limits.memory} bytes of memory"
        return Execution(Status.OUT_OF_MEMORY, None, message)
    if -last.code in _CRASHES:
        return Execution(Status.ERROR, None, f"the engine crashed ({last.text})")
    if last.code != -signal.SIGKILL:
        return None
    # Another process killed it. If the system counts its kills for lack of memory, the count
    # decides; if not, a statement that is killed each time is taken to need too much memory.
    counted = last.memory_kills
    if counted or (counted is None and len(deaths) >= MOST_DEATHS):
        return Execution(Status.OUT_OF_MEMORY, None, "the system killed the worker (memory)")
    return None


# ------------------------------------------------------------
# Was a killed process killed for lack of memory? Linux counts such kills.

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def resident_bytes(pid: int) -> int:
    """Memory that a process uses, in bytes; 0 if the system does not show it (not Linux)."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * _PAGE


def memory_kills() -> int | None:
    """How many processes of our control group (or of this machine, if there is no such group) the
    system killed because memory ran out; None if it does not count them."""
    for file in _counters():
        with contextlib.suppress(OSError, ValueError, IndexError):
            for line in file.read_text().splitlines():
                if line.startswith("oom_kill "):
                    return int(line.split()[1])
    return None


def _counters() -> Iterator[Path]:
    root = Path("/sys/fs/cgroup")
    with contextlib.suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, group = line.split(":", 2)
            if "memory" in controllers.split(","):
                yield root / "memory" / group.lstrip("/") / "memory.oom_control"
                yield root / "memory" / "memory.oom_control"  # the path inside a container
            elif not controllers:
                yield root / group.lstrip("/") / "memory.events"
    yield Path("/proc/vmstat")


# ------------------------------------------------------------
# What Linux shows about a process from outside: whether it is stopped, how much it has worked.

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass(frozen=True, slots=True)
class ProcessState:
    """A process, or one of its threads, at one moment."""

    is_stopped: bool
    """Stopped by a signal: it does nothing until somebody continues it."""
    worked: float
    """Seconds of processor time since it started."""


def process_state(pid: int, thread: int = 0) -> ProcessState | None:
    """The state of a process, or of its thread; None if the system does not show it."""
    place = f"/proc/{pid}/task/{thread}/stat" if thread else f"/proc/{pid}/stat"
    try:
        # The second field is the program's name, in parentheses, and may contain anything.
        state, *fields = Path(place).read_text().rpartition(")")[2].split()
        return ProcessState(state == "T", (int(fields[10]) + int(fields[11])) / _TICKS)
    except (OSError, ValueError, IndexError):
        return None
