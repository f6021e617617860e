"""Databricks SQL: each statement in a session with ``STATEMENT_TIMEOUT``, under SELECT grants.

The URL is ``databricks://token:TOKEN@HOST/CATALOG.SCHEMA?http_path=/sql/1.0/warehouses/ID``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from sqljury.databases.protocol import ENGINES, Describe, Engine
from sqljury.databases.server import PLACE, Trial, Tried, ids_in, parse_url
from sqljury.databases.warehouses.admission import Rules
from sqljury.databases.warehouses.base import OWN_SECONDS, Job, Rows, Warehouse, driver, literal
from sqljury.errors import InputError, SqljuryError
from sqljury.execution import Limits, Status

_FILES = ("csv", "json", "parquet", "delta", "text", "binaryfile", "orc", "avro", "xml", "iceberg")


def _refuses(parts: tuple[str, ...]) -> bool:
    path = "/" in parts[-1] or ":" in parts[-1]
    return parts[0] == "system" or parts[-2] in _FILES or path


class DatabricksDatabase(Warehouse):
    """One schema of Unity Catalog. Structs, arrays and maps are texts or lists, as the driver has
    them.

    Raises:
        InfrastructureError: SJ289: the warehouse cannot be reached or refuses the token.
    """

    rules = Rules(
        "databricks",
        words=frozenset(("reflect", "java_method", "try_reflect", "identifier")),
        refuses_table=_refuses,
    )
    code = "SJ289"
    options = frozenset(("http_path", "protocol"))

    def _connect(self) -> None:
        self._driver = driver("databricks.sql", "databricks", "A Databricks schema")
        catalog, _, schema = self._server.database.rpartition(".")
        self._catalog, self._namespace = catalog, schema
        self._seconds = 0
        try:
            self._connection = self._driver.connect(
                server_hostname=self._server.host,
                http_path=self._server.options["http_path"],
                access_token=self._server.password,
                catalog=catalog or None,
                schema=schema or None,
                user_agent_entry="sqljury",
                enable_telemetry=False,
                _socket_timeout=OWN_SECONDS,
                _retry_stop_after_attempts_count=3,
                **self._address(),
            )
            self._cursor = self._connection.cursor()
            ((version,),) = self._read("SELECT current_version().dbsql_version")
        except Exception as error:
            raise self.failed(error) from None
        self.engine = f"databricks{version}"

    def _address(self) -> dict[str, Any]:
        """A port, for a proxy or a test."""
        port = self._server.port
        return {"_port": port} if port else {}

    def _read(self, query: str) -> list[tuple[Any, ...]]:
        self._limit(Limits(seconds=OWN_SECONDS))
        self._cursor.execute(query)
        return [tuple(row) for row in self._cursor.fetchall()]

    def _limit(self, limits: Limits) -> None:
        seconds = max(1, math.ceil(limits.seconds))
        if seconds != self._seconds:
            self._cursor.execute(f"SET STATEMENT_TIMEOUT = {seconds}")
            self._seconds = seconds

    def _start(self, statement: str, limits: Limits, job: Job) -> Rows:  # noqa: ARG002
        self._limit(limits)
        cursor = self._cursor
        cursor.execute(statement)
        columns = tuple(column[0] for column in cursor.description or ())
        return Rows(columns, lambda size: [tuple(row) for row in cursor.fetchmany(size)])

    def _cancel(self) -> None:
        self._cursor.cancel()

    def _disconnect(self) -> None:
        self._connection.close()

    def _failure(self, error: Exception) -> tuple[Status, str]:
        errors = self._driver.exc
        message = str(error)
        if "STATEMENT_TIMEOUT" in message or "QUERY_EXECUTION_TIMEOUT" in message:
            return Status.TIMEOUT, message
        if "INSUFFICIENT_PERMISSIONS" in message or "PERMISSION_DENIED" in message:
            return Status.REFUSED, message
        if isinstance(error, errors.ServerOperationError):
            return Status.ERROR, message
        return Status.UNAVAILABLE if isinstance(error, errors.Error) else Status.ERROR, message

    def _read_tables(self) -> Iterable[tuple[str, str, str, str]]:
        place = f"`{self._catalog}`." if self._catalog else ""
        for row in self._read(
            "SELECT table_name, column_name, full_data_type, comment "
            f"FROM {place}information_schema.columns "
            f"WHERE table_schema = {literal(self._namespace)} "
            "ORDER BY table_name, ordinal_position"
        ):
            table, column, kind, comment = row
            yield table, column, kind, comment or ""

    def _read_state(self) -> str:
        place = f"`{self._catalog}`." if self._catalog else ""
        return repr(
            self._read(
                f"SELECT table_name, last_altered FROM {place}information_schema.tables "
                f"WHERE table_schema = {literal(self._namespace)} ORDER BY table_name"
            )
        )

    def trials(self) -> list[Tried]:
        """The login's privileges beyond reading, from the catalog's grants."""
        place = f"`{self._catalog}`." if self._catalog else ""
        rows = self._own(
            lambda: self._read(
                "SELECT DISTINCT privilege_type, table_name FROM "
                f"{place}information_schema.table_privileges "
                f"WHERE table_schema = {literal(self._namespace)} AND grantee = current_user()"
            )
        )
        found = []
        for privilege in _BEYOND_READING:
            held = [table for name, table in rows if name == privilege]
            place = f"`{self._namespace}`"
            trial = Trial(
                f"use {privilege} on {', '.join(held[:3]) or 'tables'}",
                "",
                f"REVOKE {privilege} ON SCHEMA {place} FROM `…`; (or on the tables)",
            )
            found.append(Tried(trial, bool(held)))
        return found


_BEYOND_READING = ("MODIFY", "ALL PRIVILEGES", "MANAGE", "APPLY TAG", "REFRESH")


def open_url(url: str, db_id: str, describe: Describe) -> DatabricksDatabase:
    """Connects to ``databricks://token:…@HOST/CATALOG.SCHEMA?http_path=…``.

    Raises:
        InputError: SJ284: the URL has no http_path.
        InfrastructureError: SJ289: the warehouse cannot be reached or refuses the token.
    """
    server = parse_url(url)
    if "http_path" not in server.options:
        raise InputError(
            "SJ284",
            "the URL has no http_path.",
            where=server.shown,
            hint="Copy it from the warehouse's connection details: ?http_path=/sql/1.0/…",
        )
    return DatabricksDatabase(server, db_id, describe)


def list_ids(template: str) -> tuple[str, ...] | None:
    """The schemas of the catalog that ``{db_id}`` may be replaced with."""
    server = parse_url(template)
    catalog, _, schema = server.database.rpartition(".")
    if PLACE in catalog:
        return None
    found = open_url(template.replace(PLACE, "default"), "", lambda schema: schema)
    try:
        names = found._own(lambda: found._read(f"SHOW SCHEMAS{f' IN `{catalog}`' * bool(catalog)}"))
    except SqljuryError:
        return None
    finally:
        found.close()
    return ids_in((row[0] for row in names if row[0] != "information_schema"), schema)


ENGINES.add("databricks", Engine(open_url, list_ids, bills=True))
