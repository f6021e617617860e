"""What one session of a server on this machine holds in memory, read from ``/proc``.

PostgreSQL has no limit on what one statement allocates, and no way to ask from outside how much
it did. Where the server runs beside us, the system knows.
"""

from __future__ import annotations

import os
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class BackendMemory:
    """The memory of one server process, as long as it is the one we talk to.

    Args:
        pid: what the server says.
        port: our own end of the connection, None on a Unix socket. A server in a container
            counts processes in its own way; its title tells whether the number is right.
    """

    def __init__(self, pid: int, port: int | None) -> None:
        self._folder = Path(f"/proc/{pid}")
        self._peer = f"({port})" if port else "[local]"

    def known(self) -> bool:
        """Whether the process can be seen, and is the one meant."""
        title = self._text("cmdline")
        return title.startswith("postgres") and self._peer in title and self.held() > 0

    def held(self) -> int:
        """Bytes of its own (without the memory that all sessions share); 0 where it is gone."""
        pages = self._text("statm").split()
        return (int(pages[1]) - int(pages[2])) * _PAGE if len(pages) > 2 else 0

    def _text(self, name: str) -> str:
        try:
            return (self._folder / name).read_text(errors="replace").replace("\0", " ")
        except OSError:
            return ""
