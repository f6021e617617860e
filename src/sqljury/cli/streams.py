"""Standard output and error whose failures do not end the command.

The reader of our output may close the pipe (``| head -1``), its disk may be full
(``> /dev/full``), or its encoding may lack "é". The command must still write its files and return
the exit code of its gates. So output that cannot be written is dropped, and the command reports it
at its end.
"""

from __future__ import annotations

import io
import os
import re
import sys
from pathlib import Path
from typing import Any, TextIO

_STYLE = re.compile(r"\033\[[;?0-9]*[a-zA-Z]")


def echo(text: str = "", *, err: bool = False) -> None:
    """Print a line; colours are left out where no terminal shows them.

    Args:
        err: print to standard error.
    """
    stream = sys.stderr if err else sys.stdout
    print(text if stream.isatty() else _STYLE.sub("", text), file=stream, flush=True)


class SafeOutput(io.FileIO):
    """A file whose writes never fail; ``failure`` is the first error, None if there was none."""

    failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write the data; drop it if a write has failed. Returns the number of bytes taken."""
        if self.failure is None:
            try:
                return super().write(data) or 0
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


def make_safe() -> SafeOutput | None:
    """Replace standard output and error by safe ones; return the file below standard output.

    None if standard output is no file descriptor, as in tests.
    """
    _keep_descriptors()
    sys.stderr = _safe(sys.stderr)[0]
    sys.stdout, written = _safe(sys.stdout)
    return written


def _keep_descriptors() -> None:
    """Open /dev/null for each closed standard stream, so that no file of ours gets its number."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def _safe(stream: TextIO | None) -> tuple[TextIO, SafeOutput | None]:
    if stream is None:
        return Path(os.devnull).open("w", encoding="utf-8"), None
    try:
        descriptor = stream.fileno()
    except (OSError, AttributeError, ValueError):
        return stream, None
    stream.flush()
    raw = SafeOutput(descriptor, "w", closefd=False)
    text = io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors="backslashreplace",
        line_buffering=raw.isatty() or stream is sys.stderr,
        write_through=stream is sys.stderr,
    )
    return text, raw
