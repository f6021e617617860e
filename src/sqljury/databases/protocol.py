"""The small protocol behind which every engine stands."""

from __future__ import annotations

from typing import Protocol

from sqljury.execution import Execution, Limits
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
