"""What Linux tells of a process from outside: whether it is stopped, and how much it has worked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

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
