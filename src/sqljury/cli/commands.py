"""The names of the commands, and which module adds which."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from sqljury.trusted import PROJECT_FILE

PANELS: Final[Mapping[str, Mapping[str, str]]] = {
    "Judge": {
        "evaluate": "evaluate",
        "gate": "gate",
        "report": "runs",
        "view": "view",
        "runs": "runs",
        "agree": "agree",
        "label-cases": "labels",
    },
    "Queries": dict.fromkeys(("compare", "diff", "plan"), "queries"),
    "References": {"audit": "audit", "build": "build"},
    "Candidates": dict.fromkeys(("generate", "label", "select", "trust"), "candidates"),
    "Models": {"train": "train"},
    "Services": dict.fromkeys(("serve", "mcp"), "serve"),
    "Help": dict.fromkeys(("list", "doctor", "demo", "trust-folder"), "help"),
    "Papers": dict.fromkeys(("paper", "ledger"), "papers"),
}
"""By panel, in the order of ``sqljury --help``: each command, and the module that adds it."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A command as its module declares it.

    Args:
        group: the group that it belongs to; empty for a command of the root.
        function: takes the values of its options.
    """

    group: str
    name: str
    function: Callable[..., None]
    hidden: bool = False


DECLARED: Final[list[Declared]] = []
"""The commands of the modules that are imported."""


def all_modules() -> list[str]:
    """The modules of all commands."""
    return list(dict.fromkeys(_modules().values()))


def typed_modules() -> list[str]:
    """The modules that the command line needs: those of all commands, if not one alone."""
    one = plain_command()
    return [_modules()[one]] if one else all_modules()


def plain_command() -> str:
    """The typed command if nothing needs the others; empty if something does.

    Help, old names and a project file need all commands, and so do other programs that import this
    room.
    """
    program, *words = sys.argv or [""]
    typed = next((word for word in words if not word.startswith("-")), "")
    known = _is_ours(Path(program)) and typed in _modules()
    return typed if known and not Path(PROJECT_FILE).exists() else ""


def _is_ours(program: Path) -> bool:
    """True for the installed script, and for ``python -m sqljury``."""
    return program.stem == "sqljury" or program.parts[-2:] == ("sqljury", "__main__.py")


def _modules() -> dict[str, str]:
    return {name: module for panel in PANELS.values() for name, module in panel.items()}
