"""Standard output and error that nothing which happens to them can end a command by.

Whoever reads our output may go (``| head -1``), its disk may be full (``> /dev/full``), its
encoding may know no "é". None of that may cost the files that are still to be written, nor change
what a gate says: output goes on into nothing, and the command says at its end what happened.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path
from typing import Any, TextIO


class SafeOutput(io.FileIO):
    """A file descriptor that takes everything; ``failure`` is why it was not written."""

    failure: OSError | None = None

    def write(self, data: Any, /) -> int:
        """Write, or throw away where that cannot be."""
        if self.failure is None:
            try:
                return super().write(data) or 0
            except OSError as error:
                self.failure = error
        return memoryview(data).nbytes


def make_safe() -> SafeOutput | None:
    """Replace standard output and error; what standard output is written through.

    None where it is not a file, as in tests.
    """
    _keep_descriptors()
    sys.stderr = _safe(sys.stderr)[0]
    sys.stdout, written = _safe(sys.stdout)
    return written


def _keep_descriptors() -> None:
    """Where a caller closed a standard stream, the next file we open must not take its place."""
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
