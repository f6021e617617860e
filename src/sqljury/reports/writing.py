"""Files written whole or not at all."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from sqljury.errors import InputError

PathLike = str | os.PathLike[str]

# A lone surrogate is no UTF-8; a line separator ends a line for str.splitlines and in scripts.
_NEEDS_ESCAPE = re.compile("[\ud800-\udfff\u2028\u2029\x85]")


@contextmanager
def new_file(path: PathLike) -> Iterator[TextIO]:
    """A UTF-8 text file that takes its name when the block ends well.

    Raises:
        InputError: the file cannot be written.
    """
    target = Path(path)
    # A pipe or /dev/stdout is written to, not replaced.
    in_place = target.exists() and not target.is_file()
    name = target if in_place else target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        with name.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            yield file
        if not in_place:
            name.replace(target)
    except OSError as error:
        raise InputError(
            "SJ801",
            f"cannot write {target}: {error.strerror or error}.",
            hint="Name a file in a folder that exists and that you may write to.",
        ) from error
    finally:
        if not in_place:
            with suppress(OSError):
                name.unlink()


def json_line_safe(text: str) -> str:
    """JSON text without the characters that would break a line or cannot be encoded."""
    return _NEEDS_ESCAPE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
