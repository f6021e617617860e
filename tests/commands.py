"""`sqljury …` as a user types it, without importing everything again for each command."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

from template import template


def run(*arguments: object, cwd: Path | None = None, **environment: str) -> CompletedProcess[str]:
    """Run the command to its end: exit code, and what it wrote to its two outputs."""
    words = ["sqljury", *map(str, arguments)]
    request = {
        "arguments": words,
        "folder": str(cwd or Path.cwd()),
        "environment": {**os.environ, **environment},
    }
    with (
        Path(os.devnull).open("rb") as nothing,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        files = [nothing.fileno(), out.fileno(), err.fileno()]
        _, status = os.waitpid(template().fork("command", request, files), 0)
        return CompletedProcess(words, os.waitstatus_to_exitcode(status), _text(out), _text(err))


def _text(file: Any) -> str:
    file.seek(0)
    return file.read().decode()
