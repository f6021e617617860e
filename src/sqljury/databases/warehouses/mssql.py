"""SQL Server, Azure SQL and Fabric: each statement in a transaction that is rolled back.

The URL is ``mssql://USER:PASSWORD@HOST:PORT/DATABASE``. The driver ends what runs too long (the
server gets an attention signal), ``SET QUERY_GOVERNOR_COST_LIMIT`` refuses what the server expects
to take longer, ``SET LOCK_TIMEOUT`` ends waits for others. T-SQL needs no semicolon between
statements, so words that begin one are refused anywhere outside quotes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from sqljury.databases.guard import allowing
from sqljury.databases.protocol import ENGINES, Describe, Engine
from sqljury.databases.server import Trial, Tried, ids_in, parse_url
from sqljury.databases.warehouses.admission import Rules
from sqljury.databases.warehouses.base import Job, Rows, Warehouse, driver, literal
from sqljury.errors import SqljuryError
from sqljury.execution import Limits, Status

_WORDS = allowing(
    """
    add alter authorization backup begin break browse bulk checkpoint close commit compute create
    dbcc deallocate declare delete deny disk drop dump exec execute exit file goto grant holdlock
    identity_insert if insert kill lineno load merge nocheck off offsets open opendatasource
    openquery openrowset print procedure proc raiserror read readtext reconfigure replication
    restore restrict return revert revoke rollback rule save schema securityaudit set setuser
    shutdown statistics textsize tran transaction trigger truncate update updatetext use user
    waitfor while writetext
    """
) - frozenset({"user", "off", "file", "rule", "disk", "read"})
"""Reserved words of T-SQL that begin a statement or act on the session; a column of such a name is
written in brackets."""

_STATUS_BY_NUMBER = {
    229: Status.REFUSED,  # permission denied
    230: Status.REFUSED,
    262: Status.REFUSED,
    701: Status.OUT_OF_MEMORY,
    802: Status.OUT_OF_MEMORY,
    1101: Status.OUT_OF_MEMORY,  # tempdb is full
    1105: Status.OUT_OF_MEMORY,
    1205: Status.UNAVAILABLE,  # deadlock
    1222: Status.UNAVAILABLE,  # lock timeout
    8649: Status.TIMEOUT,  # query governor
    8645: Status.UNAVAILABLE,
    8651: Status.UNAVAILABLE,
    20003: Status.TIMEOUT,  # the driver's
    20047: Status.UNAVAILABLE,
    40501: Status.UNAVAILABLE,
    40613: Status.UNAVAILABLE,
}
_OWN_DATABASES = ("master", "msdb", "tempdb", "model", "resource")


def _refuses(parts: tuple[str, ...]) -> bool:
    system = parts[-3] in _OWN_DATABASES or parts[-2] == "sys" or parts[-1].startswith("sys")
    return len(parts) > 3 or system


class SQLServerDatabase(Warehouse):
    """One database on SQL Server. MONEY and DECIMAL are Decimals, uniqueidentifiers texts.

    Raises:
        InfrastructureError: SJ288: the server cannot be reached or refuses the login.
    """

    rules = Rules("tsql", words=_WORDS, signs=("#",), refuses_table=_refuses)
    code = "SJ288"
    options = frozenset(("encryption", "schema"))

    def _connect(self) -> None:
        self._driver = driver("pymssql", "mssql", "A SQL Server database")
        server = self._server
        try:
            self._connection = self._driver.connect(
                server=server.host,
                port=str(server.port or 1433),
                user=server.user or None,
                password=server.password or None,
                database=server.database,
                appname="sqljury",
                login_timeout=10,
                read_only=True,
                autocommit=False,
                encryption=server.options.get("encryption", "require"),
                tds_version="7.4",
            )
            ((version,),) = self._read(
                "SELECT CAST(SERVERPROPERTY('ProductVersion') AS varchar(32))"
            )
        except self._driver.Error as error:
            raise self.failed(_message(error)) from None
        self.engine = f"mssql{version}"

    def _read(self, query: str) -> list[tuple[Any, ...]]:
        with self._connection.cursor() as cursor:
            cursor.execute(query)
            found = list(cursor.fetchall())
        self._connection.rollback()
        return found

    def _start(self, statement: str, limits: Limits, job: Job) -> Rows:  # noqa: ARG002
        seconds = max(1, math.ceil(limits.seconds))
        self._connection.rollback()
        self._connection._conn.query_timeout = seconds
        cursor = self._connection.cursor()
        cursor.execute(
            "SET QUOTED_IDENTIFIER ON; SET ANSI_NULLS ON; SET XACT_ABORT ON; "
            f"SET LOCK_TIMEOUT {seconds * 500}; SET QUERY_GOVERNOR_COST_LIMIT {seconds * 10}; "
            "SET DEADLOCK_PRIORITY LOW"
        )
        cursor.execute(statement)
        columns = tuple(column[0] for column in cursor.description or ())
        return Rows(columns, cursor.fetchmany)

    def _cancel(self) -> None:
        self._connection._conn.cancel()

    def _disconnect(self) -> None:
        self._connection.close()

    def _failure(self, error: Exception) -> tuple[Status, str]:
        if not isinstance(error, self._driver.Error):
            return Status.ERROR, str(error)
        number = error.args[0] if error.args and isinstance(error.args[0], int) else 0
        lost = isinstance(error, self._driver.InterfaceError)
        fallback = Status.UNAVAILABLE if lost else Status.ERROR
        return _STATUS_BY_NUMBER.get(number, fallback), _message(error)

    def _read_tables(self) -> Iterable[tuple[str, str, str, str]]:
        only = self._server.options.get("schema")
        where = f" WHERE table_schema = {literal(only)}" if only else ""
        for schema, table, column, kind in self._read(
            "SELECT table_schema, table_name, column_name, data_type "
            f"FROM information_schema.columns{where} "
            "ORDER BY table_schema, table_name, ordinal_position"
        ):
            short = only or schema == "dbo"
            yield (table if short else f"{schema}.{table}"), column, kind, ""

    def _read_state(self) -> str:
        return repr(
            self._read(
                "SELECT object_id, SUM(row_count) FROM sys.dm_db_partition_stats "
                "GROUP BY object_id ORDER BY object_id"
            )
            if self._may("VIEW DATABASE STATE")
            else []
        )

    def _may(self, permission: str) -> bool:
        found = self._read(f"SELECT HAS_PERMS_BY_NAME(NULL, 'DATABASE', {literal(permission)})")
        return bool(found[0][0])

    def trials(self) -> list[Tried]:
        """What the login may do beyond reading, by the server's own answer on each permission."""
        found = []
        for scope, names in _BEYOND_READING.items():
            kind = "NULL" if scope == "server" else "'DATABASE'"
            for name in names:
                query = f"SELECT HAS_PERMS_BY_NAME(NULL, {kind}, '{name}')"
                ((held,),) = self._own(lambda query=query: self._read(query))  # type: ignore[misc]
                trial = Trial(f"use {name} on this {scope}", query, f"REVOKE {name} FROM …;")
                found.append(Tried(trial, bool(held)))
        return found


_BEYOND_READING = {
    "database": (
        *("INSERT", "UPDATE", "DELETE", "EXECUTE", "ALTER", "CONTROL", "CREATE TABLE"),
        *("CREATE PROCEDURE", "BACKUP DATABASE", "IMPERSONATE ANY LOGIN"),
    ),
    "server": ("CONTROL SERVER", "ALTER SETTINGS", "ADMINISTER BULK OPERATIONS", "SHUTDOWN"),
}


def _message(error: Exception) -> str:
    text = error.args[-1] if error.args else error
    if isinstance(text, tuple):
        text = text[-1]
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)


def open_url(url: str, db_id: str, describe: Describe) -> SQLServerDatabase:
    """Connects to ``mssql://…/DATABASE``.

    Raises:
        InfrastructureError: SJ288: the server cannot be reached or refuses the login.
    """
    return SQLServerDatabase(parse_url(url), db_id, describe)


def list_ids(template: str) -> tuple[str, ...] | None:
    """The databases that ``{db_id}`` may be replaced with."""
    server = parse_url(template.replace("{db_id}", "master"))
    found = SQLServerDatabase(server, "", lambda schema: schema)
    try:
        names = found._own(
            lambda: found._read("SELECT name FROM sys.databases WHERE HAS_DBACCESS(name) = 1")
        )
    except SqljuryError:
        return None
    finally:
        found.close()
    known = (name for (name,) in names if name.lower() not in _OWN_DATABASES)
    return ids_in(known, parse_url(template).database)


ENGINES.add("mssql", Engine(open_url, list_ids, bills=True))
