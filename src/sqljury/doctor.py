"""Checks engines, drivers and the sandbox of this machine, with the command that fixes each."""

from __future__ import annotations

import importlib
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Literal

from sqljury.databases import open_databases
from sqljury.databases.server import Tried
from sqljury.errors import EXIT_INPUT, EXIT_OK, SqljuryError
from sqljury.isolation import missing, own_uid, runs_as_root

# Module, extra that installs it, and its purpose.
_DRIVERS = (
    ("duckdb", "duckdb", "DuckDB files"),
    ("psycopg", "postgresql", "PostgreSQL"),
    ("pgparse", "postgresql", "PostgreSQL's grammar"),
    ("pymysql", "mysql", "MySQL and MariaDB"),
    ("sqlalchemy", "sqlalchemy", "other databases"),
    ("pyarrow", "parquet", "Parquet files"),
    ("openai", "llm", "OpenAI and compatible chat models"),
    ("anthropic", "anthropic", "Anthropic's chat models"),
    ("sklearn", "learning", "detectors that are trained"),
    ("z3", "prove", "proofs that two queries are equal"),
    ("yaml", "yaml", "YAML files"),
)

# The same, for packages so large that they are only located, not imported.
_LARGE = (
    ("torch", "torch", "networks over operator trees"),
    ("sentence_transformers", "embeddings", "sentence vectors"),
    ("transformers", "finetuning", "language models of your own, as judges"),
    ("peft", "finetuning", "adapters of language models"),
    ("trl", "finetuning", "training of language models"),
    ("bitsandbytes", "four-bit", "language models in 4 bits"),
    ("ray", "distributed", "judging on several machines"),
)

_WAREHOUSES = (
    ("snowflake.connector", "snowflake", "Snowflake"),
    ("google.cloud.bigquery", "bigquery", "BigQuery"),
    ("databricks.sql", "databricks", "Databricks"),
    ("redshift_connector", "redshift", "Amazon Redshift"),
    ("trino", "trino", "Trino"),
    ("pymssql", "mssql", "SQL Server"),
)
"""Drivers that take seconds to import; they are only located."""

_WITH_TORCH = {extra for module, extra, _ in _LARGE if module != "ray"}

# pip's names of modules, where they differ.
_PACKAGES = {
    "databricks.sql": "databricks-sql-connector",
    "google.cloud.bigquery": "google-cloud-bigquery",
    "redshift_connector": "redshift-connector",
    "sklearn": "scikit-learn",
    "snowflake.connector": "snowflake-connector-python",
    "yaml": "pyyaml",
    "z3": "z3-solver",
}


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One line of the doctor's report."""

    name: str
    mark: Literal["ok", "missing", "warning"]
    detail: str
    exit_code: int = EXIT_OK
    """The exit code of `sqljury doctor` if this check fails; 0 if it does not matter."""


def checks() -> Iterator[DoctorCheck]:
    """A line for each package and the sandbox, with the pip command for missing packages."""
    yield DoctorCheck("python", "ok", sys.version.split()[0])
    yield DoctorCheck("sqlite", "ok", f"{sqlite3.sqlite_version} (in Python)")
    for module, extra, purpose in _DRIVERS:
        yield _driver(module, extra, purpose)
    for module, extra, purpose in (*_WAREHOUSES, *_LARGE):
        yield _installed(module, extra, purpose, _is_there(module))
    yield from sandbox_checks()


def sandbox_checks() -> Iterator[DoctorCheck]:
    """Lines about the sandbox that confines workers, should a query escape its engine."""
    lacks = missing()
    for lack in lacks:
        yield DoctorCheck("sandbox", "warning", f"this system has no {lack} are not confined")
    if not lacks:
        yield DoctorCheck("sandbox", "ok", "Landlock and seccomp confine workers")
    uid, why = own_uid(())
    stays_root = uid is None and runs_as_root()
    yield DoctorCheck("user", "warning" if stays_root else "ok", why)


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # a package above it
        return False


def _driver(module: str, extra: str, purpose: str) -> DoctorCheck:
    try:
        importlib.import_module(module)
    except ImportError:
        return _installed(module, extra, purpose, False)
    return _installed(module, extra, purpose, True)


def _installed(module: str, extra: str, purpose: str, there: bool) -> DoctorCheck:
    if not there:
        size = " (gigabytes, unless PyTorch's CPU build is there)" if extra in _WITH_TORCH else ""
        run = f'Run: pip install "sqljury[{extra}]"{size}'
        return DoctorCheck(module, "missing", f"for {purpose}. {run}")
    return DoctorCheck(module, "ok", f"{version(_PACKAGES.get(module, module))} ({purpose})")


def database_checks(spec: str, db_id: str | None) -> Iterator[DoctorCheck]:
    """Lines that say if a database can be opened, and warn of what its login may do."""
    try:
        databases = open_databases(spec)
        ids = databases.ids() or ()
        name = db_id or (ids[0] if ids else "")
        database = databases.open(name)
    except SqljuryError as error:
        yield DoctorCheck("databases", "missing", str(error), error.exit_code)
        return
    if database is None:
        yield DoctorCheck(
            "databases",
            "missing",
            f"no database {name!r} in {spec}. Name one: --db-id",
            EXIT_INPUT,
        )
        return
    tables = len(database.schema().tables)
    yield DoctorCheck(name or "database", "ok", f"{database.engine}, {tables} tables, read-only")
    for warning in getattr(database, "warnings", list)():
        yield DoctorCheck(name or "database", "warning", warning)
    yield from _trials(name or "database", getattr(database, "trials", list))
    database.close()


def _trials(name: str, try_each: Callable[[], list[Tried]]) -> Iterator[DoctorCheck]:
    """A warning for each thing beyond reading that the login could do, with the command against it.

    The database tries each of them.
    """
    try:
        found = try_each()
    except SqljuryError as error:
        yield DoctorCheck(name, "missing", str(error))
        return
    for one in found:
        if one.succeeded:
            yield DoctorCheck(name, "warning", f"can {one.trial.does}. Run: {one.trial.remedy}")
    refused = sum(not one.succeeded for one in found)
    if found:
        yield DoctorCheck(
            name, "ok", f"tried {len(found)} things beyond reading, {refused} refused"
        )
