"""Errors for users: a stable code, what is wrong, where, and what to do.

Exceptions are for problems of the program or its input; a problem of one case is a
:class:`~sqljury.verdict.Verdict`.
"""

from __future__ import annotations

import importlib
import pkgutil
from importlib.util import find_spec
from itertools import chain
from pathlib import Path

EXIT_OK = 0
EXIT_BELOW_THRESHOLD = 1
EXIT_INPUT = 2
EXIT_INFRASTRUCTURE = 3


class SqljuryError(Exception):
    """An error whose text is written for the user.

    Args:
        code: a stable code out of :func:`catalogue` (``SJ104``).
        message: what is wrong.
        where: ``file:line``, a case id or a database; empty if the message says it.
        hint: what to do, ideally a command or a setting to copy.
    """

    exit_code = EXIT_INPUT

    def __init__(self, code: str, message: str, *, where: str = "", hint: str = "") -> None:
        self.code = code
        self.message = message
        self.where = where
        self.hint = hint
        super().__init__(str(self))

    def __str__(self) -> str:
        where = f"{self.where}: " if self.where else ""
        message = self.message.rstrip()
        # A message that ends with a server's text may end with two full stops: drop one.
        if message.endswith("..") and not message.endswith("..."):
            message = message[:-1]
        if self.hint and not message.endswith((".", "!", "?", "…")):
            message += "."
        hint = f" {self.hint}" if self.hint else ""
        return f"{self.code} {where}{message}{hint}"

    def __reduce__(self) -> tuple[object, ...]:
        # For pickling between processes, which by default loses keyword-only arguments.
        return (_rebuild, (type(self), self.code, self.message, self.where, self.hint))


def _rebuild(
    kind: type[SqljuryError], code: str, message: str, where: str, hint: str
) -> SqljuryError:
    return kind(code, message, where=where, hint=hint)


class InputError(SqljuryError):
    """Wrong usage, or input that cannot be used at all (exit code 2)."""


class InfrastructureError(SqljuryError):
    """A server, an endpoint, a driver or this machine failed (exit code 3)."""

    exit_code = EXIT_INFRASTRUCTURE


class MissingExtraError(InfrastructureError):
    """An optional package is not installed; the message has the pip command that installs it."""

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        super().__init__(
            "SJ001",
            f"{purpose} needs the package {package!r}, which is not installed.",
            hint=f'Run: pip install "sqljury[{extra}]"',
        )

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild_plain, (self.code, self.message, self.where, self.hint))


def _rebuild_plain(code: str, message: str, where: str, hint: str) -> InfrastructureError:
    return InfrastructureError(code, message, where=where, hint=hint)


# Codes that several packages use; the others are in the codes.py of their package.
_CODES: dict[str, tuple[str, str]] = {
    "SJ001": (
        "an optional dependency is missing",
        "The core installs light; engines and formats come as extras. Run the pip command that "
        "the message prints, or `sqljury doctor` to see all extras at once.",
    ),
    "SJ014": (
        "a server cannot listen on its address",
        "Another program uses the port, the host is not of this machine, or ports below 1024 are "
        "reserved. `--port 0` takes any free port.",
    ),
    "SJ417": (
        "a run or a ledger that another process holds",
        "Two commands want to write one file at the same time. Ledgers can be shared; a run is "
        "judged by one command at a time.",
    ),
    "SJ801": (
        "a file cannot be written",
        "The file is written under a temporary name in the same folder and renamed when it is "
        "complete, so the folder must exist and allow new files.",
    ),
    "SJ802": (
        "the disk is full, or fails",
        "Files are renamed to their place when they are complete: what was there before is left as "
        "it was. Make room (or raise the limit on the size of files) and run the same command.",
    ),
}


def catalogue() -> dict[str, tuple[str, str]]:
    """Title and explanation of every error code, sorted; `sqljury list codes CODE` prints one."""
    rooms = (room.name for room in pkgutil.iter_modules([str(Path(__file__).parent)]) if room.ispkg)
    modules = (f"sqljury.{name}.codes" for name in rooms)
    lists = (importlib.import_module(name).CODES for name in modules if find_spec(name))
    return dict(sorted(chain(_CODES.items(), *(codes.items() for codes in lists))))
