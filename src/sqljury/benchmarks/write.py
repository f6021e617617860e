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
from sqljury.errors import InputError


def write_cases(cases: Iterable[Case], path: PathLike, format: str = "sqljury") -> None:
    """Write cases to a file, compressed if its name ends in .gz or .xz.

    Args:
        format: ``sqljury`` (JSON lines, nothing lost) or ``rose``.

    Raises:
        InputError: SJ115, SJ119: a format that there is not, or is only read; SJ117: a file that
            cannot be written. What was there is then left as it was.
    """
    chosen = format_named(format)
    target = Path(path)
    part = target.with_name(f"{target.name}.part")
    try:
        with _opened(part, target.suffix) as stream:
            chosen.write(cases, stream)
        part.replace(target)
    except OSError as error:
        raise InputError(
            "SJ117", f"cannot be written: {error.strerror or error}.", where=str(target)
        ) from None
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _opened(path: Path, suffix: str) -> Iterator[IO[str]]:
    """Text that is compressed as the suffix says; no time and no name in it, so bytes repeat."""
    with path.open("wb") as raw:
        stream: IO[bytes] = raw
        if suffix == ".gz":
            stream = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)  # type: ignore[assignment]
        elif suffix == ".xz":
            stream = lzma.LZMAFile(raw, mode="wb")  # noqa: SIM115
        with stream, io.TextIOWrapper(stream, encoding="utf-8", newline="\n") as text:
            yield text
