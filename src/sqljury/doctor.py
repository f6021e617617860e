"""What this machine has: engines, drivers, versions, and the command that fixes each."""

from __future__ import annotations

import importlib
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Literal

from sqljury.databases import open_databases
from sqljury.errors import SqljuryError

# Module, extra, what for.
_DRIVERS = (
    ("duckdb", "duckdb", "DuckDB files"),
    ("psycopg", "postgresql", "PostgreSQL"),
    ("pymysql", "mysql", "MySQL and MariaDB"),
    ("sqlalchemy", "sqlalchemy", "other databases"),
    ("pyarrow", "parquet", "Parquet files"),
    ("openai", "llm", "OpenAI and compatible chat models"),
    ("anthropic", "anthropic", "Anthropic's chat models"),
    ("sklearn", "learning", "detectors that are trained"),
    ("z3", "prove", "proofs that two queries are equal"),
)

# What pip calls a module, where it is another name.
_PACKAGES = {"sklearn": "scikit-learn", "z3": "z3-solver"}


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the doctor's report."""

    name: str
    mark: Literal["ok", "missing", "warning"]
    detail: str


def checks() -> Iterator[Check]:
    """What is installed, and the pip command for what is not."""
    yield Check("python", "ok", sys.version.split()[0])
    yield Check("sqlite", "ok", f"{sqlite3.sqlite_version} (in Python)")
    for module, extra, purpose in _DRIVERS:
        yield _driver(module, extra, purpose)


def _driver(module: str, extra: str, purpose: str) -> Check:
    try:
        importlib.import_module(module)
    except ImportError:
        return Check(module, "missing", f'for {purpose}. Run: pip install "sqljury[{extra}]"')
    return Check(module, "ok", f"{version(_PACKAGES.get(module, module))} ({purpose})")


def database_checks(spec: str, db_id: str | None) -> Iterator[Check]:
    """Whether a database can be opened, and what its owner should know."""
    try:
        databases = open_databases(spec)
        ids = databases.ids() or ()
        name = db_id or (ids[0] if ids else "")
        database = databases.open(name)
    except SqljuryError as error:
        yield Check("databases", "missing", str(error))
        return
    if database is None:
        yield Check("databases", "missing", f"no database {name!r} in {spec}. Name one: --db-id")
        return
    tables = len(database.schema().tables)
    yield Check(name or "database", "ok", f"{database.engine}, {tables} tables, read-only")
    for warning in getattr(database, "warnings", list)():
        yield Check(name or "database", "warning", warning)
    database.close()
