"""Folders that the user trusts: their files may run code, name servers or write files.

The absolute path is stored with a digest of the files that can do more than be read. When one of
these files changes, the folder is no longer trusted.
"""

from __future__ import annotations

import os
import re
import site
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqljury.errors import InputError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

VARIABLE = "SQLJURY_TRUST_FOLDER"
"""The environment variable that trusts every folder if it is 1."""
PROJECT_FILE = "sqljury.toml"
_SCRIPTS = (".py", ".sh", ".js", ".rb", ".pl")
_OFFERS = ("*-info/entry_points.txt", "*/*-info/entry_points.txt")


def check_trusted(folder: Path, wants: Iterable[str], what: str) -> None:
    """Raise if a folder's files want something that needs trust and the folder is not trusted.

    Args:
        wants: what the files want to do that needs trust, a line each; may be empty.
        what: the file that wants it.

    Raises:
        InputError: SJ009: the user has not trusted the folder, or its files have changed since.
    """
    lines = list(wants)
    if lines and not is_trusted(folder):
        raise InputError(
            "SJ009",
            f"the folder is not trusted, and {what} wants:\n"
            + "".join(f"  {line}\n" for line in lines)
            + "Nothing of it was done.",
            where=str(folder.resolve()),
            hint="Look at its files, then run `sqljury trust-folder` there; for one command: "
            "sqljury --trust-folder COMMAND.",
        )


def is_trusted(folder: Path) -> bool:
    """True if the user has trusted the folder and its files have not changed since, or if the
    environment variable SQLJURY_TRUST_FOLDER is 1."""
    if os.environ.get(VARIABLE) == "1":
        return True
    return _remembered().get(str(folder.resolve())) == folder_digest(folder)


def names_server(databases: str) -> bool:
    """True if one of the places of databases, joined by commas, is on a server."""
    return "://" in re.sub(r"(sqlite|duckdb)://", "", databases)


def trust(folder: Path) -> Path:
    """Store that the user trusts the folder as it is now; return the file it is stored in."""
    import json

    file = _store()
    file.parent.mkdir(parents=True, exist_ok=True)
    known = _remembered() | {str(folder.resolve()): folder_digest(folder)}
    part = file.with_name(f".{os.getpid()}.partial")
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as opened:
        json.dump(known, opened, indent=1, sort_keys=True)
    part.replace(file)
    return file


def folder_digest(folder: Path) -> str:
    """A digest of the files in a folder that need trust.

    These are the project file, the entry points of packages, and the code files that both name.
    """
    from hashlib import sha256

    folder = folder.resolve()
    files = [folder / PROJECT_FILE, *_offering(folder)]
    for text in (*_texts(folder / PROJECT_FILE), *(code for _, _, code in offered(folder))):
        for name in re.split(r"""[,;="'\s]""", text):
            files += _code_files(folder, name)
    digest = sha256()
    for path in sorted({path for path in files if path.is_file()}):
        digest.update(f"{path}\0{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def offered(folder: Path) -> Iterator[tuple[str, str, str]]:
    """The plugins that packages inside a folder offer to sqljury: group, name and code of each."""
    from configparser import ConfigParser, Error

    for file in _offering(folder):
        parser = ConfigParser(delimiters="=", strict=False, interpolation=None)
        with suppress(Error):
            parser.read_string(file.read_text("utf-8", "replace"))
        for group in parser.sections():
            if group.startswith("sqljury."):
                yield from ((group, name, code) for name, code in parser.items(group))


def is_brought_along(point: EntryPoint) -> bool:
    """True if an entry point's package is in the current folder and not installed in Python."""
    distribution: Any = getattr(point, "dist", None)
    if distribution is None:
        return False
    place, here = Path(str(distribution.locate_file(""))).resolve(), Path.cwd().resolve()
    homes = {sys.prefix, sys.base_prefix, *site.getsitepackages(), site.getusersitepackages()}
    return place.is_relative_to(here) and not any(place.is_relative_to(home) for home in homes)


def _offering(folder: Path) -> list[Path]:
    return sorted(path for pattern in _OFFERS for path in folder.glob(pattern))


def _texts(project_file: Path) -> Iterator[str]:
    """All texts in the project file, as TOML parses them."""
    import tomllib

    try:
        waiting: list[Any] = [tomllib.loads(project_file.read_text(encoding="utf-8"))]
    except (OSError, ValueError, RecursionError):
        return
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict | list):
            waiting += value.values() if isinstance(value, dict) else value
        elif isinstance(value, str):
            yield value


def _code_files(folder: Path, name: str) -> Iterator[Path]:
    """The files with the code of a name: ``file.py:Class``, ``package.module:Class``, a program."""
    for part in name.split(":"):
        if part.endswith(_SCRIPTS) or (part and os.access(folder / part, os.X_OK)):
            yield folder / part  # perhaps a folder, which may be entered: it is left out later
        elif re.fullmatch(r"\w[\w.]*", part):
            top = part.partition(".")[0]
            yield from (folder / f"{top}.py", *(folder / top).rglob("*.py"))


def _store() -> Path:
    named = Path(os.environ.get("XDG_CONFIG_HOME", ""))
    folder = named if named.is_absolute() else Path("~/.config").expanduser()
    return folder / "sqljury" / "trusted.json"


def _remembered() -> dict[str, str]:
    import json

    try:
        known = json.loads(_store().read_text(encoding="utf-8"))
    except (OSError, ValueError, RuntimeError):  # none yet, broken, or no home
        return {}
    return known if isinstance(known, dict) else {}
