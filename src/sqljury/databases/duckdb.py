"""DuckDB: read-only, without access to files or extensions, its configuration locked.

Not everything ends inside the process when its time is up: DuckDB looks for an interrupt
between blocks of rows, not inside one call of a slow function, and a single value (a string of
two billion characters, a list of as many numbers) counts neither against its memory limit nor
against ours before it is there. A worker that runs hostile SQL must be killed from outside when
it is overdue, and its address space limited.

Every statement has a session of its own (a cursor, some microseconds): a seed, a variable or the
type that a PIVOT makes is not there for the next.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import perf_counter
from typing import Any, Final
from uuid import UUID

from sqljury.databases.duckdb_words import DuckDBForbiddenWords
from sqljury.databases.fetch import fetch_limited
from sqljury.databases.fingerprint import fingerprint_files
from sqljury.databases.guard import admit
from sqljury.databases.watchdog import WorkLimit
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
_QUERIES: Final = (duckdb.StatementType.SELECT, duckdb.StatementType.MULTI)
"""MULTI: a PIVOT, which runs as two."""
_BROKEN: Final = (duckdb.FatalException, duckdb.InternalException)
"""The whole instance is unusable afterwards."""
_UNAVAILABLE: Final = (duckdb.IOException, duckdb.ConnectionException)
_REFUSED_WORDS: Final = ("read-only mode", "configuration has been locked")


class DuckDBDatabase:
    """One DuckDB file.

    UUIDs are given as text, intervals as timedeltas (a month has 30 days, as DuckDB's Python
    interface counts), times with a zone in UTC.

    Raises:
        InfrastructureError: it is no DuckDB database, or is open for writing elsewhere.
    """

    dialect = "duckdb"
    engine = f"duckdb{duckdb.__version__}"

    def __init__(self, path: Path, db_id: str, describe: Callable[[Schema], Schema]) -> None:
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
            if not _is_locked(self._connection):
                self._connection.execute("SET GLOBAL TimeZone = 'UTC'")
                self._connection.execute("SET lock_configuration = true")
        except duckdb.Error as error:
            raise InfrastructureError("SJ221", f"{error}.", where=str(self._path)) from error
        self._words = DuckDBForbiddenWords(lambda sql: self._connection.execute(sql).fetchall())

    def _reopen(self, memory: int) -> None:
        """A locked configuration can only be changed by opening the file again."""
        self._connection.close()
        self._open(memory)

    def execute(self, sql: str, limits: Limits) -> Execution:
        """Run one statement. Never raises for what the statement does."""
        statement = admit(sql, "duckdb")
        if isinstance(statement, Execution):
            return statement
        if forbidden := self._words.found_in(statement):
            return Execution(Status.REFUSED, None, f"not allowed: {forbidden}")
        if limits.memory != self._memory:
            self._reopen(limits.memory)
        started = perf_counter()
        session = self._session = self._connection.cursor()
        limit = WorkLimit(limits.seconds, session.interrupt)  # it works in this thread alone
        result: ResultTable | str | Exception
        try:
            with limit:
                result = self._run(session, statement, limits)
        except RuntimeError as error:
            if str(error) == "Query interrupted":  # what DuckDB makes of Ctrl-C
                raise KeyboardInterrupt from error
            result = error
        except Exception as error:  # whatever it is, the statement did it
            result = error
        finally:
            session.close()
        seconds = perf_counter() - started
        if isinstance(result, _BROKEN):
            self._reopen(limits.memory)
        if isinstance(result, str):
            return Execution(Status.TOO_LARGE, None, result, seconds)
        if limit.worked:  # also where the end came before DuckDB noticed
            return Execution(Status.TIMEOUT, None, f"exceeded {limits.seconds:g} s", seconds)
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
        """Tables, columns, keys, descriptions; read once."""
        if self._schema is None:
            self._schema = self._describe(_read_schema(self._connection))
        return self._schema

    @property
    def files(self) -> tuple[Path, ...]:
        """What holds its contents: the file, and the log of what is not in it yet."""
        return (self._path, self._path.with_name(f"{self._path.name}.wal"))

    def fingerprint(self) -> str:
        """A hash of the file's contents (sampled above 64 MiB)."""
        log = self._path.with_name(f"{self._path.name}.wal")
        return fingerprint_files(self._path, *([log] if log.is_file() else []))

    def close(self) -> None:
        """Give the file back; a statement still running is cancelled."""
        with suppress(duckdb.Error):  # closed where nothing runs
            self._session.interrupt()
        self._connection.close()


def _is_locked(connection: duckdb.DuckDBPyConnection) -> bool:
    """Whether this process has the file open already: one instance serves all who open it."""
    row = connection.execute("SELECT system.main.current_setting('lock_configuration')").fetchone()
    return row is not None and bool(row[0])


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
