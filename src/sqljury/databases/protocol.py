"""The protocol that every engine implements."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from sqljury.execution import Execution, Limits
from sqljury.registry import Registry
from sqljury.schema import Schema


class Database(Protocol):
    """One open database: read-only, with limits, one statement at a time."""

    @property
    def db_id(self) -> str:
        """The name by which cases refer to it."""

    @property
    def dialect(self) -> str:
        """sqlglot's name of its SQL dialect: sqlite, duckdb, postgres, mysql, …"""

    @property
    def engine(self) -> str:
        """Engine and version for signatures: ``sqlite3.45.1``, ``postgresql15.4``."""

    def schema(self) -> Schema:
        """Tables, columns, keys and descriptions; read once."""

    def execute(self, sql: str, limits: Limits) -> Execution:
        """Runs one statement; whatever the statement does, it raises nothing."""

    def fingerprint(self) -> str:
        """A hash that changes when the contents change, as far as this can be computed cheaply."""

    def close(self) -> None:
        """Closes it; a statement that still runs is cancelled."""


class Databases(Protocol):
    """A source of databases: a folder, a URL with ``{db_id}``, one file."""

    @property
    def spec(self) -> str:
        """The text that :func:`open_databases` turns into an equal source."""

    def open(self, db_id: str) -> Database | None:
        """The database of that name, or None if there is none.

        Raises:
            InfrastructureError: the database exists but cannot be opened (server down, driver
                missing).
        """

    def ids(self) -> tuple[str, ...] | None:
        """All names, sorted; None if they cannot be listed."""


# ------------------------------------------------------------
# Engines for URLs, by scheme.

Describe = Callable[[Schema], Schema]
"""Adds descriptions to a schema; each engine gets one."""


@dataclass(frozen=True, slots=True)
class Engine:
    """How databases of one kind are opened and listed."""

    open_url: Callable[[str, str, Describe], Database | None]
    """Connects to a URL, under a db_id; returns None if the server has no such database. Raises
    InfrastructureError if the server cannot be reached or refuses the login."""
    list_ids: Callable[[str], tuple[str, ...] | None]
    """The names that ``{db_id}`` may be replaced with, sorted; None if they cannot be listed."""
    bills: bool = False
    """True if statements cost money: results are kept in the run, and counted by --max-cost."""


ENGINES: Final[Registry[Engine]] = Registry(
    "sqljury.databases",
    "sqljury.databases.warehouses",
    group="sqljury.engines",
    modules={"postgres": "postgresql", "mariadb": "mysql"},
)
"""Engines by URL scheme. Each is imported on first use: drivers are heavy and optional."""


# ------------------------------------------------------------
# Detect changes of database files without reading large ones completely.

_WHOLE = 64 * 1024 * 1024
_SAMPLES = 64
_SAMPLE = 64 * 1024


def fingerprint_files(*paths: Path) -> str:
    """Hash of size and contents; it does not depend on file names and times.

    Files up to 64 MiB are read whole. Of larger ones the first block and 63 further blocks,
    evenly spread, are read: the first holds the change counter (SQLite) or the number of the
    last checkpoint (DuckDB), which every commit raises.
    """
    digest = hashlib.sha256()
    for path in paths:
        size = path.stat().st_size
        digest.update(f"{size};".encode())
        with path.open("rb") as file:
            if size <= _WHOLE:
                digest.update(hashlib.file_digest(file, "sha256").digest())
            else:
                for i in range(_SAMPLES):
                    file.seek((size - _SAMPLE) * i // (_SAMPLES - 1))
                    digest.update(file.read(_SAMPLE))
    return digest.hexdigest()
