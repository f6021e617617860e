"""Why a worker died and who is to blame for it; what Linux tells of a process from outside."""

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
"""As often is a case judged alone before it is given up."""


class Kill(Enum):
    """Why we ended a worker."""

    WORKED = auto()
    """Its statement worked for longer than the limit."""
    WAITED = auto()
    """Its statement neither ended nor worked for several times the limit."""
    OUT_OF_MEMORY = auto()
    JUDGED = auto()
    """A judge worked for much longer than judges may."""
    STOPPED = auto()
    """Somebody stopped it, or it shows no sign of life: its work is done again."""


@dataclass(frozen=True, slots=True)
class Death:
    """The end of a worker that had one case and no other.

    Args:
        code: what the process ended with.
        token: the statement it ran, or None.
        kill: why we ended it; None where we did not.
        memory_kills: how often the system killed a process for want of memory while it lived;
            None where the system does not tell.
    """

    code: int
    token: bytes | None
    kill: Kill | None = None
    memory_kills: int | None = None

    @property
    def text(self) -> str:
        """How the process ended, in words."""
        if self.code >= 0:
            return f"exit code {self.code}"
        try:
            return signal.Signals(-self.code).name
        except ValueError:
            return f"signal {-self.code}"


def timed_out(limits: Limits) -> Execution:
    """The execution of a statement that had to be ended from outside."""
    return Execution(Status.TIMEOUT, None, f"exceeded {limits.seconds:g} s", limits.seconds)


def blamed(deaths: Sequence[Death], limits: Limits) -> Execution | None:
    """What became of the statement that a worker died with, alone, again; None: it is not proven
    to be the statement's doing.

    Args:
        deaths: of workers that had this case only.
        limits: what a statement may take.
    """
    last = deaths[-1]
    if last.token is None or any(death.token != last.token for death in deaths):
        return None
    if last.kill is Kill.WAITED:  # as it did before, when it was not alone
        return timed_out(limits)
    if last.kill is Kill.OUT_OF_MEMORY:
        message = f"needs more than {limits.memory} bytes of memory"
        return Execution(Status.OUT_OF_MEMORY, None, message)
    if -last.code in _CRASHES:
        return Execution(Status.ERROR, None, f"the engine crashed ({last.text})")
    if last.code != -signal.SIGKILL:
        return None
    # Somebody else killed it. Where the system counts what it kills for memory, that tells;
    # where it does not, nothing but memory kills one statement each time.
    counted = last.memory_kills
    if counted or (counted is None and len(deaths) >= MOST_DEATHS):
        return Execution(Status.OUT_OF_MEMORY, None, "the system killed the worker (memory)")
    return None


# ------------------------------------------------------------
# Whether a process that was killed was killed for want of memory: Linux counts.

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def resident_bytes(pid: int) -> int:
    """Memory that a process holds, in bytes; 0 where the system does not tell (not Linux)."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return 0
    return pages * _PAGE


def memory_kills() -> int | None:
    """How often the system killed a process of our control group, or of this machine where there
    is no such group, because memory ran out; None where it does not tell."""
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
                yield root / "memory" / "memory.oom_control"  # as seen inside a container
            elif not controllers:
                yield root / group.lstrip("/") / "memory.events"
    yield Path("/proc/vmstat")


# ------------------------------------------------------------
# What Linux tells of a process from outside: whether it is stopped, and how much it has worked.

_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


@dataclass(frozen=True, slots=True)
class ProcessState:
    """A process, or one thread of it, at one moment."""

    is_stopped: bool
    """By a signal: it does nothing until somebody lets it go on."""
    worked: float
    """Seconds of processor time since its start."""


def process_state(pid: int, thread: int = 0) -> ProcessState | None:
    """The state of a process, or of its thread; None where the system does not tell."""
    place = f"/proc/{pid}/task/{thread}/stat" if thread else f"/proc/{pid}/stat"
    try:
        # The second field is the program's name, in parentheses, and may hold anything.
        state, *fields = Path(place).read_text().rpartition(")")[2].split()
        return ProcessState(state == "T", (int(fields[10]) + int(fields[11])) / _TICKS)
    except (OSError, ValueError, IndexError):
        return None
