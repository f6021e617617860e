"""What this machine has: engines, drivers, versions, and the command that fixes each."""

from __future__ import annotations

import importlib
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass

from sqljury.databases import open_databases
from sqljury.errors import SqljuryError

# Module, extra, what for.
_DRIVERS = (
    ("duckdb", "duckdb", "DuckDB files"),
    ("psycopg", "postgresql", "PostgreSQL"),
    ("pymysql", "mysql", "MySQL and MariaDB"),
    ("sqlalchemy", "sqlalchemy", "other databases"),
    ("pyarrow", "parquet", "Parquet files"),
)


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor's report."""

    name: str
    ok: bool
    detail: str


def checks() -> Iterator[Check]:
    """What is installed, and the pip command for what is not."""
    yield Check("python", True, sys.version.split()[0])
    yield Check("sqlite", True, f"{sqlite3.sqlite_version} (in Python)")
    for module, extra, purpose in _DRIVERS:
        yield _driver(module, extra, purpose)


def _driver(module: str, extra: str, purpose: str) -> Check:
    try:
        found = importlib.import_module(module)
    except ImportError:
        return Check(module, False, f'for {purpose}. Run: pip install "sqljury[{extra}]"')
    return Check(module, True, f"{getattr(found, '__version__', '?')} ({purpose})")


def database_checks(spec: str, db_id: str | None) -> Iterator[Check]:
    """Whether a database can be opened, and what its owner should know."""
    try:
        databases = open_databases(spec)
        ids = databases.ids() or ()
        name = db_id or (ids[0] if ids else "")
        database = databases.open(name)
    except SqljuryError as error:
        yield Check("databases", False, str(error))
        return
    if database is None:
        yield Check("databases", False, f"no database {name!r} in {spec}. Name one: --db-id")
        return
    tables = len(database.schema().tables)
    yield Check(name or "database", True, f"{database.engine}, {tables} tables, read-only")
    for warning in getattr(database, "warnings", list)():
        yield Check(name or "database", False, warning)
    database.close()
