"""Pages as tests read them: files that a page shows, and commands with what they print.

A block with a title is a file (```` ```json title="mine.json" ````), a block of ``diff`` changes
files, and in a block of ``console`` each line after ``$ `` is a command, followed by its output;
``…`` stands for anything. A line ``--8<-- "FILE"`` stands for that file of the repository, as on the
site.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

_ROOT = Path(__file__).parents[2]
_SNIPPET = re.compile(r'^--8<-- "(.+)"\n', re.MULTILINE)
_BLOCK = re.compile(
    r'^```(?: \{ \.)?(\w+)(?: title="([^"]+)")?(?: \})?\n(.*?)^```$', re.DOTALL | re.MULTILINE
)
_COMMAND = re.compile(r"^\$ ((?:.*\\\n)*.*)\n", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its title (the name of a file) or "", its text."""

    language: str
    title: str
    text: str


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page that have a language."""
    whole = _SNIPPET.sub(lambda found: (_ROOT / found[1]).read_text("utf-8"), text)
    return [Block(kind, title, body) for kind, title, body in _BLOCK.findall(whole)]


def follow(steps: list[Block], folder: Path, *, path: Path | None = None) -> list[str]:
    """Do what the blocks say, in a folder; what came out otherwise than the page says.

    ``path`` is where Python looks for packages first.
    """
    wrong: list[str] = []
    for step in steps:
        if step.title:
            file = folder / step.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.text, encoding="utf-8")
        elif step.language == "diff":
            apply = ["git", "apply", "-"]
            subprocess.run(apply, cwd=folder, input=step.text, text=True, check=True)
        elif step.language == "console":
            wrong += _run_all(step.text, folder, path)
    return wrong


def _run_all(text: str, folder: Path, path: Path | None) -> list[str]:
    _, *parts = _COMMAND.split(text)
    wrong = []
    for command, expected in zip(parts[::2], parts[1::2], strict=True):
        printed = _printed(command, folder, path)
        if not _agrees(expected, printed):
            wrong.append(f"$ {command}\n{printed}")
    return wrong


def _printed(command: str, folder: Path, path: Path | None) -> str:
    own = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
        "PYTHONIOENCODING": "utf-8",
    }
    if path is not None:
        own["PYTHONPATH"] = str(path)
    run = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | own,
        capture_output=True,
        encoding="utf-8",
    )
    # Progress, which a slow machine prints, goes to stderr, too: it counts only after a failure.
    return run.stdout + (run.stderr if run.returncode else "")


def _agrees(expected: str, printed: str) -> bool:
    """Whether a page shows what was printed, but for spaces at the ends of lines."""
    wanted, got = _bare(expected).replace("…", "..."), _bare(printed)
    return doctest.OutputChecker().check_output(wanted, got, doctest.ELLIPSIS)


def _bare(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n"
