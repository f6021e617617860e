"""Writes files atomically: a write that fails leaves the old file unchanged."""

from __future__ import annotations

import errno
import io
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO, TextIO

from sqljury.errors import InfrastructureError, InputError, SqljuryError

PathLike = str | os.PathLike[str]

# Lone surrogates cannot be UTF-8; str.splitlines and scripts end lines at line separators.
_NEEDS_ESCAPE = re.compile("[\ud800-\udfff\u2028\u2029\x85]")
_NUMBERS = count()
# Errors of the machine; for all others the user must name another file.
_MACHINE = frozenset(
    getattr(errno, name)
    for name in ("ENOSPC", "EDQUOT", "EFBIG", "EIO", "EMFILE", "ENFILE", "ENOMEM", "ESTALE")
    if hasattr(errno, name)
)


@contextmanager
def new_file(path: PathLike) -> Iterator[TextIO]:
    """A UTF-8 text file to write; it gets its name when the ``with`` block ends without an error.

    Raises:
        InputError: the file cannot be written.
        InfrastructureError: the disk is full, or fails.
    """
    with new_binary_file(path) as raw:
        text = io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", newline="\n")
        yield text
        text.flush()
        text.detach()


@contextmanager
def new_binary_file(path: PathLike) -> Iterator[IO[bytes]]:
    """A binary file to write; see :func:`new_file`."""
    target = Path(path)
    part: Path | None = None
    try:
        # A pipe or /dev/stdout is written to, not replaced.
        if target.exists() and not target.is_file():
            with target.open("wb") as file:
                yield file
            return
        part = _partial(target)
        with part.open("xb") as file:
            yield file
            file.flush()
            # Some disks report only here that they are full.
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        if part is not None:
            with suppress(OSError):
                part.unlink()


def check_output(path: Path | None) -> Path | None:
    """The path of a file to write later; raises now if it cannot be written.

    Raises:
        InputError: SJ801: it is a folder, or its folder is missing or may not be written to.
    """
    if path is None or (path.exists() and not path.is_file() and not path.is_dir()):
        return path  # a pipe or /dev/stdout is written to
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        probe = _partial(path)
        probe.touch(exist_ok=False)
        probe.unlink()
    except OSError as error:
        raise unwritable(path, error) from error
    return path


def _partial(target: Path) -> Path:
    """A temporary path in the target's folder. It is short: names have a limit of length."""
    return target.with_name(f".{os.getpid()}-{next(_NUMBERS)}.partial")


def write_text(path: PathLike, text: str) -> None:
    """Write a text file atomically.

    Raises:
        InputError, InfrastructureError: as :func:`new_file`.
    """
    with new_file(path) as file:
        file.write(text)


def write_json_lines(
    path: PathLike, objects: Iterable[Mapping[str, object]], *, sort_keys: bool = False
) -> None:
    """Write JSON objects to a file atomically, one a line.

    Raises:
        InputError, InfrastructureError: as :func:`new_file`.
    """
    with new_file(path) as file:
        for one in objects:
            file.write(json_line(one, sort_keys=sort_keys))


def is_begun(rest: bytes, start: bytes) -> bool:
    """True if the rest of a file after its last line end may be cut off: it is empty, or a line
    of ours that a killed process left, which begins with ``start``."""
    return rest.startswith(start) or start.startswith(rest)


def new_folder(path: PathLike, *, private: bool = False) -> Path:
    """Make a folder if it does not exist; return its path.

    Args:
        private: no other user may read a folder that is made.

    Raises:
        InputError, InfrastructureError: the folder cannot be made.
    """
    folder = Path(path)
    try:
        folder.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    return folder


def unwritable(path: PathLike, error: OSError) -> SqljuryError:
    """The error for a path that cannot be written, by the user's fault (exit code 2) or not (3)."""
    what = f"cannot write {shown_path(path)}: {error.strerror or error}."
    if error.errno in _MACHINE:
        return InfrastructureError(
            "SJ802",
            what,
            hint="What was there before is left as it was: make room, or name another disk, and "
            "run the same command again.",
        )
    return InputError(
        "SJ801", what, hint="Name a file in a folder that exists and that you may write to."
    )


def shown_path(path: PathLike, most: int = 200) -> str:
    """A path as text for messages; a very long one is shortened in the middle."""
    text = os.fspath(path)
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}…{text[-most // 2 :]} ({len(text):,} characters)"


def encodable(text: str) -> str:
    """The text with lone surrogates escaped, which cannot be UTF-8.

    Queries of models, and values from some drivers, may contain them.
    """
    if text.isascii():
        return text
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def json_line(value: object, *, sort_keys: bool = False) -> str:
    """The value as JSON on one line, which ends with a line end."""
    return json_line_safe(json.dumps(value, ensure_ascii=False, sort_keys=sort_keys)) + "\n"


def json_line_safe(text: str) -> str:
    """JSON text with the characters escaped that would end a line or cannot be encoded."""
    return _NEEDS_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
