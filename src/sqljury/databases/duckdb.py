"""DuckDB: read-only, without access to files or extensions, its configuration locked.

Some statements cannot be stopped inside the process when their time is up. DuckDB checks for an
interrupt between blocks of rows, not inside one call of a slow function. A single value (a string
of two billion characters, a list of as many numbers) counts against neither its memory limit nor
ours until it exists. A worker that runs hostile SQL must therefore be killed from outside when it
is overdue, and its address space must be limited.

Every statement gets its own session (a cursor, some microseconds): a seed, a variable or the type
that a PIVOT creates does not reach the next statement.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from uuid import UUID

from sqljury.databases.guard import (
    ForbiddenNames,
    OddNames,
    admit,
    allowing,
    without_strings,
    words_of,
)
from sqljury.databases.limits import WorkLimit, exceeded, fetch_limited
from sqljury.databases.protocol import Describe, fingerprint_files
from sqljury.errors import InfrastructureError, MissingExtraError
from sqljury.execution import Execution, Limits, ResultTable, Status
from sqljury.schema import Column, ForeignKey, Schema, Table

try:
    import duckdb
except ImportError as error:
    raise MissingExtraError("duckdb", "duckdb", "A DuckDB database") from error

CONFIG: Final[dict[str, str | bool | int | float | list[str]]] = {
    "enable_external_access": "false",
    "autoload_known_extensions": "false",
    "autoinstall_known_extensions": "false",
    "allow_community_extensions": "false",
    "temp_directory": "",
    "max_temp_directory_size": "0B",
    "python_enable_replacements": "false",  # else a name may mean a variable of ours
    "threads": "1",
}
_QUERIES = (duckdb.StatementType.SELECT, duckdb.StatementType.MULTI)
"""MULTI: a PIVOT, which DuckDB runs as two statements."""
_BROKEN = (duckdb.FatalException, duckdb.InternalException)
"""After these errors the whole instance is unusable."""
_UNAVAILABLE = (duckdb.IOException, duckdb.ConnectionException)
_REFUSED_WORDS = ("read-only mode", "configuration has been locked")


class DuckDBDatabase:
    """One DuckDB file.

    UUIDs are returned as text, intervals as timedeltas (a month counts as 30 days, as in DuckDB's
    Python interface), times with a zone in UTC.

    Raises:
        InfrastructureError: the file is not a DuckDB database, or another process has it open for
            writing.
    """

    dialect = "duckdb"
    engine = f"duckdb{duckdb.__version__}"

    def __init__(self, path: Path, db_id: str, describe: Describe) -> None:
        self.db_id = db_id
        self._path = path
        self._describe = describe
        self._schema: Schema | None = None
        self._open(Limits().memory)
        self._session = self._connection

    def _open(self, memory: int) -> None:
        self._memory = memory
        try:
            self._connection = duckdb.connect(
                str(self._path), read_only=True, config=CONFIG | {"memory_limit": f"{memory}B"}
            )
            row = self._connection.execute(
                "SELECT system.main.current_setting('lock_configuration')"
            ).fetchone()
            # Locked where this process has the file open already: one instance serves all.
            if row is None or not row[0]:
                self._connection.execute("SET GLOBAL TimeZone = 'UTC'")
                self._connection.execute("SET lock_configuration = true")
        except duckdb.Error as error:
            raise InfrastructureError(
                "SJ221", f"DuckDB cannot open the file: {error}.", where=str(self._path)
            ) from error
        self._words = DuckDBForbiddenWords(lambda sql: self._connection.execute(sql).fetchall())

    def _reopen(self, memory: int) -> None:
        """Opens the file again with another memory limit: a locked configuration cannot be
        changed."""
        self._connection.close()
        self._open(memory)

    def execute(self, sql: str, limits: Limits) -> Execution:
        """Runs one statement; whatever the statement does, it raises nothing."""
        statement = admit(sql, "duckdb")
        if isinstance(statement, Execution):
            return statement
        if forbidden := self._words.found_in(statement):
            return Execution(Status.REFUSED, None, f"not allowed: {forbidden}")
        if limits.memory != self._memory:
            self._reopen(limits.memory)
        started = perf_counter()
        session = self._session = self._connection.cursor()
        # DuckDB runs the statement in this thread only, so its processor time is the statement's.
        limit = WorkLimit(limits.seconds, session.interrupt)
        result: ResultTable | str | Exception
        try:
            with limit:
                result = self._run(session, statement, limits)
        except RuntimeError as error:
            if str(error) == "Query interrupted":  # what DuckDB raises on Ctrl-C
                raise KeyboardInterrupt from error
            result = error
        except Exception as error:  # whatever it is, the statement caused it
            result = error
        finally:
            session.close()
        seconds = perf_counter() - started
        if isinstance(result, _BROKEN):
            self._reopen(limits.memory)
        if isinstance(result, str):
            return Execution(Status.TOO_LARGE, None, result, seconds)
        if limit.worked:  # also if the statement ended before DuckDB noticed the interrupt
            return Execution(Status.TIMEOUT, None, exceeded(limits), seconds)
        if isinstance(result, ResultTable):
            return Execution(Status.OK, result, "", seconds)
        if limit.waited:
            return Execution(Status.UNAVAILABLE, None, "waited too long for the disk", seconds)
        status, message = _failure(result, limits)
        return Execution(status, None, message, seconds)

    def _run(
        self, session: duckdb.DuckDBPyConnection, sql: str, limits: Limits
    ) -> ResultTable | str:
        statements = session.extract_statements(sql)
        if len(statements) != 1 or statements[0].type not in _QUERIES:
            kinds = ", ".join(statement.type.name for statement in statements)
            raise duckdb.PermissionException(f"not a single query: {kinds}")
        cursor = session.execute(statements[0])
        columns = tuple(column[0] for column in cursor.description)
        result = fetch_limited(cursor, columns, limits)
        if isinstance(result, ResultTable) and any(
            "UUID" in str(column[1]) for column in cursor.description
        ):
            return ResultTable(columns, [tuple(map(_without_uuids, row)) for row in result.rows])
        return result

    def schema(self) -> Schema:
        """Tables, columns, keys and descriptions; read once."""
        if self._schema is None:
            self._schema = self._describe(_read_schema(self._connection))
        return self._schema

    @property
    def files(self) -> tuple[Path, ...]:
        """The database file and its write-ahead log, which holds what is not in the file yet."""
        return (self._path, self._path.with_name(f"{self._path.name}.wal"))

    def fingerprint(self) -> str:
        """Hash of the file's contents (sampled above 64 MiB)."""
        log = self._path.with_name(f"{self._path.name}.wal")
        return fingerprint_files(self._path, *([log] if log.is_file() else []))

    def close(self) -> None:
        """Closes the file; a statement that still runs is cancelled."""
        with suppress(duckdb.Error):  # closed where nothing runs
            self._session.interrupt()
        self._connection.close()


def _failure(failure: Exception, limits: Limits) -> tuple[Status, str]:
    message = str(failure)
    if isinstance(failure, duckdb.InterruptException):
        return Status.UNAVAILABLE, "cancelled"
    if isinstance(failure, MemoryError | duckdb.OutOfMemoryException):
        return Status.OUT_OF_MEMORY, f"needs more than {limits.memory} bytes of memory"
    if isinstance(failure, duckdb.PermissionException) or (
        isinstance(failure, duckdb.InvalidInputException)
        and any(words in message for words in _REFUSED_WORDS)
    ):
        return Status.REFUSED, message
    if isinstance(failure, _UNAVAILABLE) or "Required module" in message:
        return Status.UNAVAILABLE, message
    return Status.ERROR, message


def _without_uuids(value: Any) -> Any:
    if isinstance(value, UUID):
        return str(value)
    if isinstance(value, list | tuple):
        return type(value)(map(_without_uuids, value))
    if isinstance(value, dict):
        return {_without_uuids(k): _without_uuids(v) for k, v in value.items()}
    return value


# ---------------------------------------------------------------- schema

_TABLES = """
SELECT schema_name, table_name, coalesce(comment, ''), false, table_oid
FROM system.main.duckdb_tables()
WHERE NOT internal AND NOT temporary AND database_name = current_database()
UNION ALL
SELECT schema_name, view_name, coalesce(comment, ''), true, view_oid
FROM system.main.duckdb_views()
WHERE NOT internal AND NOT temporary AND database_name = current_database()
ORDER BY 5
"""
_COLUMNS = """
SELECT schema_name, table_name, column_name, data_type, is_nullable, coalesce(comment, '')
FROM system.main.duckdb_columns() WHERE NOT internal AND database_name = current_database()
ORDER BY table_oid, column_index
"""
_CONSTRAINTS = """
SELECT schema_name, table_name, constraint_type, constraint_column_names, referenced_table,
       referenced_column_names
FROM system.main.duckdb_constraints() WHERE database_name = current_database()
ORDER BY table_oid, constraint_index
"""


def _read_schema(connection: duckdb.DuckDBPyConnection) -> Schema:
    columns: dict[tuple[str, str], list[Column]] = {}
    for schema, table, name, kind, nullable, comment in connection.execute(_COLUMNS).fetchall():
        column = Column(name=name, type=kind, nullable=nullable, description=comment)
        columns.setdefault((schema, table), []).append(column)
    constraints: dict[tuple[str, str], list[tuple[Any, ...]]] = {}
    for schema, table, *rest in connection.execute(_CONSTRAINTS).fetchall():
        constraints.setdefault((schema, table), []).append(tuple(rest))
    return Schema(
        dialect="duckdb",
        tables=tuple(
            Table(
                name=name if schema == "main" else f"{schema}.{name}",
                columns=tuple(columns.get((schema, name), ())),
                is_view=is_view,
                description=comment,
                **_keys(constraints.get((schema, name), [])),
            )
            for schema, name, comment, is_view, _ in connection.execute(_TABLES).fetchall()
        ),
    )


def _keys(constraints: list[tuple[Any, ...]]) -> dict[str, Any]:
    columns_of = [(kind, tuple(columns)) for kind, columns, *_ in constraints]
    return {
        "primary_key": next((c for kind, c in columns_of if kind == "PRIMARY KEY"), ()),
        "unique": tuple(c for kind, c in columns_of if kind == "UNIQUE"),
        "foreign_keys": tuple(
            ForeignKey(columns=tuple(columns), target_table=target, target_columns=tuple(targets))
            for kind, columns, target, targets in constraints
            if kind == "FOREIGN KEY"
        ),
    }


# ------------------------------------------------------------
# Names that a statement on DuckDB must not contain: read-only mode permits them.
#
# DuckDB runs inside our own process, so functions that take a pointer, switch on logging or run a
# text as a query are more dangerous than on a server. This is a list of what is allowed: of the
# functions that return tables those listed here, of the others those without side effects.

Rows = Sequence[tuple[Any, ...]]

_TABLES_ALLOWED = allowing(
    """
    range generate_series unnest repeat repeat_row json_each json_tree summary glob
    duckdb_columns duckdb_constraints duckdb_functions duckdb_indexes duckdb_keywords
    duckdb_schemas duckdb_sequences duckdb_tables duckdb_types duckdb_views
    icu_calendar_names pg_timezone_names pragma_collations pragma_table_info pragma_version
    histogram histogram_values test_all_types test_vector_types duckdb_coordinate_systems
    """
)
"""Functions that return tables. ``glob`` is also an operator; external access is off anyway."""

_SCALARS_ALLOWED = allowing("random gen_random_uuid uuid uuidv4 uuidv7 error stats")
"""They return another value at each call and change nothing."""

_SCALARS_REFUSED = allowing("txid_current json_serialize_plan")
"""They reveal how much ran before, or parse a text as a query."""

_FILES = re.compile("read_|parquet_|sniff_")
"""Functions that read files. DuckDB refuses them itself, and the names are common for columns."""

_VIEWS_REFUSED = allowing("pg_settings pg_prepared_statements")

_FUNCTIONS = """
SELECT DISTINCT function_name, function_type LIKE '%table%',
       coalesce(has_side_effects OR stability = 'VOLATILE', false)
FROM duckdb_functions() WHERE function_type <> 'pragma'
"""
_MACROS = """
SELECT function_name, macro_definition FROM system.main.duckdb_functions() WHERE NOT internal
"""
"""Macros of the system only: one of the database may have the same name."""


@dataclass(frozen=True)
class _Own:
    """DuckDB's built-in functions; they are the same for every database of the process."""

    refused: ForbiddenNames
    names: frozenset[str]
    """The names of all of them."""


class DuckDBForbiddenWords:
    """Finds names in a statement that are refused on one database.

    Args:
        run: returns the rows of a query.
    """

    def __init__(self, run: Callable[[str], Rows]) -> None:
        self._run = run
        self._own = _own()
        self._macros: OddNames | None = None

    def found_in(self, sql: str) -> str:
        """Returns why the statement is refused; empty if it is not."""
        if name := self._own.refused.found_in(sql, words_of(sql)):
            return f"the function {name}"
        if self._macros is None:  # listing them takes longer than most queries
            self._macros = OddNames(self._refused_macros())
        # Syntax also calls functions: an interval literal calls to_days, even one that the owner
        # defined.
        name = min(self._macros.names & self._own.names, default="")
        if self._macros.names and not name:
            name = self._macros.found_in(without_strings(sql, "duckdb"))
        return f"the macro {name}" if name else ""

    def _refused_macros(self) -> frozenset[str]:
        """The names of the database's macros that call a refused function."""
        macros = [(name.lower(), words_of(body or "")) for name, body in self._run(_MACROS)]
        forbidden = self._own.refused.words | self._own.refused.calls
        found: set[str] = set()
        while more := {n for n, words in macros if n not in found and words & (forbidden | found)}:
            found |= more
        return frozenset(found)


@cache
def _own() -> _Own:
    """DuckDB's functions, read from an empty database, so that no macro can hide one of them."""
    import duckdb

    with duckdb.connect(":memory:") as connection:
        rows = connection.execute(_FUNCTIONS).fetchall()
    functions = [(name.lower(), *rest) for name, *rest in rows]
    return _Own(_refused_functions(functions), frozenset(name for name, *_ in functions))


def _refused_functions(functions: Rows) -> ForbiddenNames:
    tables = {name for name, gives_table, _ in functions if gives_table}
    scalars = {name for name, gives_table, changes in functions if changes and not gives_table}
    tables = {name for name in tables - _TABLES_ALLOWED if not _FILES.match(name)}
    refused = tables | (scalars - _SCALARS_ALLOWED) | _SCALARS_REFUSED
    # Ordinary words may be names of columns.
    ordinary = {name for name in refused if name.isalpha() and name != "setseed"}
    return ForbiddenNames(frozenset((refused - ordinary) | _VIEWS_REFUSED), frozenset(ordinary))
