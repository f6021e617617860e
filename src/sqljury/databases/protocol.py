"""The small protocol behind which every engine stands."""

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
    """One open database: read-only, limited, one statement at a time."""

    @property
    def db_id(self) -> str:
        """The name by which cases know it."""

    @property
    def dialect(self) -> str:
        """sqlglot's name of its SQL: sqlite, duckdb, postgres, mysql, …"""

    @property
    def engine(self) -> str:
        """Engine and version for signatures: ``sqlite3.45.1``, ``postgresql15.4``."""

    def schema(self) -> Schema:
        """Tables, columns, keys, descriptions; read once."""

    def execute(self, sql: str, limits: Limits) -> Execution:
        """Run one statement. Never raises for what the statement does."""

    def fingerprint(self) -> str:
        """Changes when the contents change, as far as that can be told cheaply."""

    def close(self) -> None:
        """Give the connection back; a statement still running is cancelled."""


class Databases(Protocol):
    """Where databases come from: a folder, a URL with ``{db_id}``, one file."""

    @property
    def spec(self) -> str:
        """The text it was made from; :func:`open_databases` turns it back into an equal one."""

    def open(self, db_id: str) -> Database | None:
        """The database of that name, or None where there is none.

        Raises:
            InfrastructureError: it is there but cannot be opened (server down, driver missing).
        """

    def ids(self) -> tuple[str, ...] | None:
        """All names, sorted, where they can be listed."""


# ------------------------------------------------------------
# Engines that are reached by a URL, known by its scheme.

Describe = Callable[[Schema], Schema]
"""Adds descriptions to a schema; handed to every engine."""


@dataclass(frozen=True, slots=True)
class Engine:
    """How databases of a kind are opened and listed."""

    open_url: Callable[[str, str, Describe], Database | None]
    """Connects to a URL under a db_id; None where the server says that it has no such database.
    Raises InfrastructureError where it cannot be reached or refuses the login."""
    list_ids: Callable[[str], tuple[str, ...] | None]
    """The names that may stand for ``{db_id}``, sorted; None where they cannot be listed."""


ENGINES: Final[Registry[Engine]] = Registry(
    "sqljury.databases",
    group="sqljury.engines",
    modules={"postgres": "postgresql", "mariadb": "mysql"},
)
"""Engines by scheme. One is imported on first use: drivers are heavy and optional."""


# ------------------------------------------------------------
# Tell whether the contents of database files changed, without reading large ones whole.

_WHOLE = 64 * 1024 * 1024
_SAMPLES = 64
_SAMPLE = 64 * 1024


def fingerprint_files(*paths: Path) -> str:
    """A hash of size and contents; independent of names and times.

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
