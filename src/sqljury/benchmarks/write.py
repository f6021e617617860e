"""Write cases, in a format that can be read back."""

from __future__ import annotations

import gzip
import io
import lzma
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from sqljury.benchmarks.files import PathLike
from sqljury.benchmarks.formats import format_named
from sqljury.case import Case
from sqljury.writing import new_binary_file


def write_cases(cases: Iterable[Case], path: PathLike, format: str = "sqljury") -> None:
    """Write cases to a file, compressed if its name ends in .gz or .xz.

    Args:
        format: ``sqljury`` (JSON lines, nothing lost) or ``rose``.

    Raises:
        InputError: SJ115, SJ119: a format that there is not, or is only read; SJ801: a file that
            cannot be written. What was there is then left as it was.
        InfrastructureError: SJ802: the disk is full, or fails.
    """
    chosen = format_named(format)
    with new_binary_file(path) as raw, _compressing(raw, Path(path).suffix) as stream:
        chosen.write(cases, stream)


@contextmanager
def _compressing(raw: IO[bytes], suffix: str) -> Iterator[IO[str]]:
    """Text that is compressed as the suffix says; no time and no name in it, so bytes repeat."""
    stream: IO[bytes] = raw
    if suffix == ".gz":
        stream = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)  # type: ignore[assignment]
    elif suffix == ".xz":
        stream = lzma.LZMAFile(raw, mode="wb")  # noqa: SIM115
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
    yield text
    text.flush()
    text.detach()
    if stream is not raw:
        stream.close()
