"""Whether a process that was killed was killed for want of memory: Linux counts."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

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
