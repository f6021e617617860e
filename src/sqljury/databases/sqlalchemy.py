"""Any other database that SQLAlchemy reaches; queries are checked before they are sent.

The guarantees depend on the database. For all of them: the text is parsed and must be a single
query without any write; it runs in a transaction that is rolled back; rows and bytes are limited
while they are fetched (streamed, if the driver can). If the database has read-only transactions
(:data:`_READ_ONLY`), one is used. When time is up, the driver is told to cancel if it can
(:data:`_CANCELS`); with another driver a statement ends when the server ends it, and the waiting
process must be killed. Functions with side effects are not recognised: use a role that can only
read.
"""

from __future__ import annotations

import hashlib
import re
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from sqljury.databases.guard import admit, unread
from sqljury.databases.limits import WATCHDOG, awake, exceeded, fetch_limited
from sqljury.databases.protocol import ENGINES, Describe, Engine
from sqljury.databases.server import CHUNK, DeadlineRows, with_second_attempt
from sqljury.errors import InfrastructureError, MissingExtraError
from sqljury.execution import Execution, Limits, ResultTable, Status
from sqljury.schema import Column, ForeignKey, Schema, Table

try:
    import sqlalchemy as sa
except ImportError as error:
    raise MissingExtraError("sqlalchemy", "sqlalchemy", "This database") from error

_READ_ONLY = {
    "sqlite": "PRAGMA query_only = ON",
    "postgresql": "SET TRANSACTION READ ONLY",
    "cockroachdb": "SET TRANSACTION READ ONLY",
    "oracle": "SET TRANSACTION READ ONLY",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
    "mariadb": "SET SESSION TRANSACTION READ ONLY",
}
"""The first statement of every transaction, by SQLAlchemy's name of the database."""

_CANCELS = ("interrupt", "cancel")
"""Methods of a driver's connection that end its statement from another thread: sqlite3, duckdb;
psycopg, psycopg2, oracledb."""

_CANCEL_SECONDS = 1.5

_DIALECTS = {
    "postgresql": "postgres",
    "cockroachdb": "postgres",
    "mssql": "tsql",
    "mariadb": "mysql",
    "awsathena": "athena",
}
"""sqlglot's names of dialects that SQLAlchemy names otherwise."""


# The package to install for a backend whose dialect or driver SQLAlchemy does not include.
_PACKAGES = {
    "snowflake": "snowflake-sqlalchemy",
    "oracle": "oracledb (and write oracle+oracledb://)",
    "mssql": "pyodbc",
    "bigquery": "sqlalchemy-bigquery",
    "trino": "trino",
    "redshift": "sqlalchemy-redshift",
    "databricks": "databricks-sqlalchemy",
    "clickhouse": "clickhouse-sqlalchemy",
}


def open_url(url: str, db_id: str, describe: Describe) -> SQLAlchemyDatabase | None:
    """Connects to the database of any URL that SQLAlchemy understands.

    Raises:
        InfrastructureError: the driver is missing, or the database cannot be reached.
    """
    try:
        parsed = sa.make_url(url)
    except (sa.exc.ArgumentError, ValueError):
        raise InfrastructureError("SJ272", "SQLAlchemy does not understand the URL.") from None
    file = parsed.database or ""
    if parsed.get_backend_name() == "sqlite" and not Path(file).is_file():
        return None  # SQLite would create the file
    return SQLAlchemyDatabase(parsed, db_id, describe)


def list_ids(template: str) -> tuple[str, ...] | None:  # noqa: ARG001
    """Returns None: SQLAlchemy has no common way to list databases."""
    return None


ENGINES.add("sqlalchemy", Engine(open_url, list_ids))


class SQLAlchemyDatabase:
    """One database that SQLAlchemy reaches; values have the types that its driver returns.

    Raises:
        InfrastructureError: the driver is missing, or the database cannot be reached.
    """

    def __init__(self, url: sa.URL, db_id: str, describe: Describe) -> None:
        self.db_id = db_id
        self._url = url
        self._describe = describe
        self._schema: Schema | None = None
        self._closed = False
        self._busy = Lock()
        try:
            self._engine = sa.create_engine(url, poolclass=sa.pool.NullPool)
            self._connection = self._engine.connect()
        except (sa.exc.SQLAlchemyError, ImportError, OSError) as error:
            raise self._failed(error) from None
        dialect = self._engine.dialect
        self.dialect = _DIALECTS.get(dialect.name, dialect.name)
        version = getattr(dialect, "server_version_info", None) or ()
        self.engine = dialect.name + ".".join(map(str, version))

    def _failed(self, error: Exception) -> InfrastructureError:
        words = _words(error)
        if self._url.password:
            # Match it as a word: a password of one letter occurs in every message.
            password = re.escape(str(self._url.password))
            words = re.sub(rf"(?<!\w){password}(?!\w)", "***", words)
        shown = self._url.set(password=None, query={}).render_as_string()
        name, hint = self._url.drivername, ""
        if isinstance(error, sa.exc.NoSuchModuleError | ImportError):
            package = _PACKAGES.get(self._url.get_backend_name())
            words = f"there is no driver for {name}:// here ({words.rstrip('.')})"
            hint = (
                f"Run: pip install {package}"
                if package
                else "Is the name right? Else install the SQLAlchemy dialect that is called so."
            )
        message = f"the database cannot be used: {words.rstrip('.')}."
        return InfrastructureError("SJ272", message, where=shown, hint=hint)

    def execute(self, sql: str, limits: Limits) -> Execution:
        """Runs one statement; whatever the statement does, it raises nothing."""
        statement = admit(sql, self.dialect, pinned=False)
        if isinstance(statement, Execution):
            return statement
        refusal = _not_a_query(statement, self.dialect)
        if refusal is not None:
            return refusal
        return with_second_attempt(
            lambda within: self._attempt(statement, within),
            limits,
            lost=lambda: self._connection.invalidated and not self._closed,
        )

    def _attempt(self, statement: str, limits: Limits) -> Execution:
        started = awake()
        status, table, message = Status.OK, None, ""
        token = WATCHDOG.watch(limits.seconds, self._cancel)
        try:
            with self._busy:
                result = self._run(statement, limits)
            if isinstance(result, str):
                status, message = Status.TOO_LARGE, result
            else:
                table = result
        except TimeoutError:
            pass  # the watchdog has recorded the reason
        except (sa.exc.SQLAlchemyError, ValueError) as error:
            lost = self._closed or getattr(error, "connection_invalidated", False)
            status = Status.UNAVAILABLE if lost else Status.ERROR
            message = _words(error)
        except MemoryError as error:
            status, message = Status.OUT_OF_MEMORY, str(error)
        finally:
            overdue = WATCHDOG.release(token)
        seconds = awake() - started
        if overdue or seconds >= limits.seconds:
            status, table, message = Status.TIMEOUT, None, exceeded(limits)
        return Execution(status, table, message, seconds)

    def _run(self, statement: str, limits: Limits) -> ResultTable | str:
        try:
            if (read_only := _READ_ONLY.get(self._engine.dialect.name)) is not None:
                self._connection.exec_driver_sql(read_only)
            result = self._connection.exec_driver_sql(
                statement,
                execution_options={
                    "stream_results": True,
                    "max_row_buffer": CHUNK,
                    "no_parameters": True,  # a % in the text is not a placeholder
                },
            )
            table = self._fetch(result, limits)
            if isinstance(table, str):
                self._connection.invalidate()
            return table
        except TimeoutError:
            self._connection.invalidate()
            raise
        finally:
            with suppress(sa.exc.SQLAlchemyError):
                self._connection.rollback()

    def _fetch(self, result: sa.CursorResult[Any], limits: Limits) -> ResultTable | str:
        def rows(size: int) -> list[tuple[Any, ...]]:
            return [tuple(row) for row in result.fetchmany(size)]

        return fetch_limited(DeadlineRows(rows, limits.seconds), tuple(result.keys()), limits)

    def _cancel(self) -> None:
        with suppress(Exception):  # drivers raise anything if there is nothing to cancel
            driver = self._connection.connection.driver_connection
            for name in _CANCELS:
                if cancel := getattr(driver, name, None):
                    cancel()
                    return

    def schema(self) -> Schema:
        """Tables and views by name, as SQLAlchemy's inspector finds them; read once.

        Raises:
            InfrastructureError: the server fails.
        """
        if self._schema is None:
            try:
                inspector = sa.inspect(self._connection)
                tables = [
                    *(
                        _table(inspector, name, False)
                        for name in sorted(inspector.get_table_names())
                    ),
                    *(_table(inspector, name, True) for name in sorted(inspector.get_view_names())),
                ]
            except sa.exc.SQLAlchemyError as error:
                raise self._failed(error) from None
            finally:
                self._connection.rollback()
            self._schema = self._describe(Schema(dialect=self.dialect, tables=tuple(tables)))
        return self._schema

    def fingerprint(self) -> str:
        """Hash of server version, columns and row counts.

        Raises:
            InfrastructureError: the server fails.
        """
        digest = hashlib.sha256(f"{self.engine}\0{self.schema()}".encode())
        try:
            for table in self.schema().tables:
                if not table.is_view:
                    count = sa.select(sa.func.count()).select_from(sa.table(table.name))
                    digest.update(f"\0{table.name}\0{self._connection.scalar(count)}".encode())
        except sa.exc.SQLAlchemyError as error:
            raise self._failed(error) from None
        finally:
            self._connection.rollback()
        return digest.hexdigest()

    def warnings(self) -> list[str]:
        """Warnings for the owner of the database, shown by `sqljury doctor`."""
        found = []
        if self._engine.dialect.name not in _READ_ONLY:
            found.append("read-only by inspection of the text only: use a role that can only read")
        driver = self._connection.connection.driver_connection
        if not any(hasattr(driver, name) for name in _CANCELS):
            found.append("this driver cannot cancel: set a time limit for the role on the server")
        return found

    def close(self) -> None:
        """Closes the connection; a statement that still runs is cancelled if the driver can do
        that."""
        self._closed = True
        self._cancel()
        if self._busy.acquire(timeout=_CANCEL_SECONDS):  # else another thread uses the connection
            with suppress(sa.exc.SQLAlchemyError):
                self._connection.close()
            self._busy.release()


def _words(error: Exception) -> str:
    """The driver's message, on one line."""
    return " ".join(str(getattr(error, "orig", None) or error).split())


# ---------------------------------------------------------------- the check


def _not_a_query(sql: str, dialect: str) -> Execution | None:
    """The outcome of refusing the text; None if it is a single query that writes nothing."""
    import sqlglot
    from sqlglot import exp

    known = dialect if sqlglot.Dialect.get(dialect) is not None else None
    try:
        trees = sqlglot.parse(sql, read=known)
    except (sqlglot.errors.SqlglotError, RecursionError) as error:
        return unread(dialect, error)
    if len(trees) != 1:
        return Execution(Status.REFUSED, None, "more than one statement")
    tree = trees[0]
    if not isinstance(tree, exp.Query | exp.Values):
        return Execution(Status.REFUSED, None, "not a query")
    writes = (exp.DML, exp.DDL, exp.Into, exp.Lock, exp.Command, exp.Set)
    # To sqlglot a query is itself a DDL node, because CREATE TABLE AS can contain it.
    found = next((n for n in tree.find_all(*writes) if not isinstance(n, exp.Query)), None)
    if found is not None:
        return Execution(Status.REFUSED, None, f"{found.key.upper()} inside a query")
    return None


# ---------------------------------------------------------------- the schema


def _table(inspector: sa.Inspector, name: str, is_view: bool) -> Table:
    return Table(
        name=name,
        columns=tuple(
            Column(
                name=column["name"],
                type=str(column["type"]),
                nullable=bool(column.get("nullable", True)),
                description=column.get("comment") or "",
            )
            for column in inspector.get_columns(name)
        ),
        primary_key=()
        if is_view
        else tuple(inspector.get_pk_constraint(name)["constrained_columns"]),
        unique=() if is_view else _unique(inspector, name),
        foreign_keys=()
        if is_view
        else tuple(
            ForeignKey(
                columns=tuple(key["constrained_columns"]),
                target_table=key["referred_table"],
                target_columns=tuple(key["referred_columns"]),
            )
            for key in inspector.get_foreign_keys(name)
        ),
        is_view=is_view,
        description="" if is_view else _comment(inspector, name),
    )


def _unique(inspector: sa.Inspector, name: str) -> tuple[tuple[str, ...], ...]:
    try:
        found = inspector.get_unique_constraints(name)
    except NotImplementedError:
        return ()
    return tuple(sorted(tuple(one["column_names"]) for one in found))


def _comment(inspector: sa.Inspector, name: str) -> str:
    try:
        return inspector.get_table_comment(name)["text"] or ""
    except NotImplementedError:
        return ""
