"""The folder of a trained verifier: weights as safetensors, and ``verifier.json``."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqljury.errors import InputError
from sqljury.version import __version__
from sqljury.writing import write_text

FACTS = "verifier.json"
VERSION = 1

PathLike = str | os.PathLike[str]


def write_facts(folder: PathLike, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Write verifier.json, last of all: a folder that has it is complete. What reading gives."""

    text = json.dumps({"version": VERSION, "sqljury": __version__, **facts}, indent=2)
    write_text(Path(folder) / FACTS, f"{text}\n")
    return dict(json.loads(text))


def read_facts(folder: PathLike) -> dict[str, Any] | None:
    """What verifier.json says; None where there is none.

    Raises:
        InputError: SJ031: it cannot be read; SJ030: it is of another version.
    """
    path = Path(folder) / FACTS
    if not path.is_file():
        return None
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        version = facts["version"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        raise InputError("SJ031", f"cannot be read: {error}.", where=str(path)) from None
    if version != VERSION:
        raise InputError("SJ030", f"is of version {version}, not {VERSION}.", where=str(path))
    return dict(facts)
