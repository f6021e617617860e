"""The bundled demonstration: three small invented databases, and cases with questions on them."""

from __future__ import annotations

import gzip
import hashlib
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from sqljury.errors import InputError
from sqljury.execution import Limits
from sqljury.writing import new_binary_file, new_folder

__all__ = ["DATABASES", "LIMITS", "ROSE", "DemoFiles", "script", "write_demo"]

LIMITS = Limits(seconds=2.0, rows=100_000)
"""The limits that the cases are made for: one query exceeds the time, one the rows."""

ROSE = "rose,model=scripted:witness:answer"
"""The judge whose recorded answers are bundled. A script made them, tools/witness.py: no model."""

DATABASES = ("ferry_line", "instrument_workshop", "seed_library")
"""The names of the databases, sorted."""

_WRITTEN = ".sqljury-demo.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoFiles:
    """The files and folders that :func:`write_demo` wrote."""

    cases: Path
    """The cases, in the format of ROSE's files."""
    databases: Path
    """A folder with ``DB_ID/DB_ID.sqlite``."""
    descriptions: Path
    """A folder with ``DB_ID_schema.json``: what the columns mean."""
    scripts: Path
    """A folder with ``DB_ID.sql``, which other engines load."""
    ledger: Path
    """Recorded answers for the judge :data:`ROSE`, as a ledger's JSONL."""


def script(db_id: str) -> str:
    """The SQL that makes a database: SQLite, DuckDB, PostgreSQL and MariaDB load it unchanged.

    Each statement ends with a semicolon at the end of a line. No value has a semicolon at the end
    of a line, so a split there is safe.
    """
    return _bundled(f"databases/{db_id}.sql").decode()


def write_demo(folder: Path) -> DemoFiles:
    """Write the demonstration into a folder; files that are already right stay as they are.

    Files of an earlier version are replaced. A file that the demonstration did not write, or that
    was changed since, is never overwritten.

    Raises:
        InputError: SJ010: such a file is in the way; nothing is written then.
    """
    record = folder / _WRITTEN
    written = _read_record(record)
    contents = _contents()
    stale = [name for name in contents if _is_stale(folder, name, contents[name], written)]
    for name in stale:
        _write(folder / name, contents[name])
    digests = {name: _digest(content) for name, content in contents.items()}
    if digests != written:
        _write(record, json.dumps(digests, indent=2, sort_keys=True).encode())
    return DemoFiles(
        cases=folder / "cases.json",
        databases=folder / "databases",
        descriptions=folder / "descriptions",
        scripts=folder / "scripts",
        ledger=folder / "ledger.jsonl",
    )


def _contents() -> dict[str, bytes]:
    contents = {
        "cases.json": _bundled("cases.json"),
        "ledger.jsonl": gzip.decompress(_bundled("ledger.jsonl.gz")),
    }
    for db_id in DATABASES:
        contents[f"databases/{db_id}/{db_id}.sqlite"] = _sqlite_file(script(db_id))
        contents[f"descriptions/{db_id}_schema.json"] = _bundled(
            f"descriptions/{db_id}_schema.json"
        )
        contents[f"scripts/{db_id}.sql"] = _bundled(f"databases/{db_id}.sql")
    return contents


def _bundled(name: str) -> bytes:
    return files(__name__).joinpath(name).read_bytes()


def _sqlite_file(sql: str) -> bytes:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(sql)
        return connection.serialize()


def _is_stale(folder: Path, name: str, content: bytes, written: Mapping[str, str]) -> bool:
    file = folder / name
    if not file.exists():
        return True
    if file.is_file():
        found = file.read_bytes()
        if found == content:
            return False
        if _digest(found) == written.get(name):
            return True
    raise InputError(
        "SJ010",
        "the demonstration would overwrite this, which is not (or no longer) its own.",
        where=str(file),
        hint="Move it away, or choose another folder.",
    )


def _read_record(record: Path) -> Mapping[str, str]:
    try:
        found = json.loads(record.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _write(file: Path, content: bytes) -> None:
    new_folder(file.parent)
    # Atomic: half a file left by an interrupted run would look like somebody else's to the next
    # run, which would then refuse to overwrite it.
    with new_binary_file(file) as stream:
        stream.write(content)
