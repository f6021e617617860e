"""What the site puts into pages: tables that are CSV files, and the JSON that commands print."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

_TABLE = re.compile(r"^\[[^\]]+\]\(([\w/-]+\.csv)\)$", re.MULTILINE)
_ROW = re.compile(r"^\|.*$", re.MULTILINE)
_CODE = re.compile(r"`[^`]+`")
_CONSOLE = re.compile(r"^```console\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
_WIDTH = 100
_SHOWN = 1
"""How many items of a list are shown."""


def with_tables(page: str, folder: Path) -> str:
    """The page with the table of a CSV file below each line that is a link to one."""

    def shown(link: re.Match[str]) -> str:
        with (folder / link[1]).open(encoding="utf-8", newline="") as file:
            names, *rows = csv.reader(file)
        lines = [names, ["---"] * len(names), *rows]
        return link[0] + "\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines)

    return _TABLE.sub(shown, page)


def with_bars(page: str) -> str:
    """The page with `|` for `\\|` in the code of its tables: only GitHub needs the backslash."""

    def bare(row: re.Match[str]) -> str:
        return _CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0])

    return _ROW.sub(bare, page)


def with_output(page: str) -> str:
    """The page with a block of JSON below each console block whose commands print JSON.

    The commands run in a temporary folder, one after the other.

    Raises: CalledProcessError if a command fails.
    """
    with TemporaryDirectory() as folder:

        def shown(block: re.Match[str]) -> str:
            commands = block[1].replace("$ ", "").splitlines()
            printed = [_printed(command, Path(folder)) for command in commands]
            values = [json.loads(text) for text in printed if text.startswith("{")]
            return block[0] + "".join(f"\n```json\n{_laid_out(value)}\n```\n" for value in values)

        return _CONSOLE.sub(shown, page)


def _printed(command: str, folder: Path) -> str:
    own = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    run = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=os.environ | own,
        check=True,
        stdout=subprocess.PIPE,
        encoding="utf-8",
    )
    return run.stdout


def _laid_out(value: Any, indent: str = "") -> str:
    """JSON in which what fits stands on one line, and the ends of long lists are left out."""
    if isinstance(value, float):
        return json.dumps(round(value, 4))
    if not isinstance(value, dict | list) or not value:
        return json.dumps(value, ensure_ascii=False)
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(name)}: {_laid_out(one, inner)}" for name, one in value.items()]
    else:
        parts = [_laid_out(one, inner) for one in value[:_SHOWN]]
        parts += ["…"] * (len(value) > _SHOWN)
    first, last = "{}" if isinstance(value, dict) else "[]"
    line = f"{first}{', '.join(parts)}{last}"
    if len(indent) + len(line) <= _WIDTH and "\n" not in line:
        return line
    return f"{first}\n{inner}" + f",\n{inner}".join(parts) + f"\n{indent}{last}"
