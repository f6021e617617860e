"""Trino (and Starburst): each statement with limits of its own in the session's properties.

The URL is ``trino://USER:PASSWORD@HOST:PORT/CATALOG/SCHEMA``; with a password the connection is
encrypted. The server ends what runs too long (``query_max_execution_time``) and what no client asks
for any more (``query.client.timeout``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqljury.databases.protocol import ENGINES, Describe, Engine
from sqljury.databases.server import PLACE, ids_in, parse_url
from sqljury.databases.warehouses.admission import Rules
from sqljury.databases.warehouses.base import OWN_SECONDS, Job, Rows, Warehouse, driver, literal
from sqljury.errors import SqljuryError
from sqljury.execution import Limits, Status

_STATUS_BY_NAME = {
    "EXCEEDED_TIME_LIMIT": Status.TIMEOUT,
    "EXCEEDED_CPU_LIMIT": Status.TIMEOUT,
    "EXCEEDED_SCAN_LIMIT": Status.TOO_LARGE,
    "EXCEEDED_LOCAL_MEMORY_LIMIT": Status.OUT_OF_MEMORY,
    "EXCEEDED_GLOBAL_MEMORY_LIMIT": Status.OUT_OF_MEMORY,
    "CLUSTER_OUT_OF_MEMORY": Status.OUT_OF_MEMORY,
    "PERMISSION_DENIED": Status.REFUSED,
    "USER_CANCELED": Status.TIMEOUT,
}
_UNAVAILABLE = ("INTERNAL_ERROR", "INSUFFICIENT_RESOURCES", "EXTERNAL")


def _refuses(parts: tuple[str, ...]) -> bool:
    # system.runtime and system.metadata tell of other sessions; t$files and its like of files.
    return parts[0] == "system" or "$" in parts[-1]


class TrinoDatabase(Warehouse):
    """One catalog, or one schema of it, on a Trino server.

    Raises:
        InfrastructureError: SJ287: the server cannot be reached or refuses the login.
    """

    rules = Rules("trino", refuses_table=_refuses)
    code = "SJ287"
    options = frozenset(("http_scheme", "verify", "role"))

    def _connect(self) -> None:
        self._driver = driver("trino", "trino", "A Trino catalog")
        self._requests = driver("requests", "trino", "A Trino catalog")
        self._cursor: Any = None
        catalog, _, schema = self._server.database.partition("/")
        self._catalog, self._namespace = catalog, schema
        ((version,),) = self._own(lambda: self._read("SELECT version()"))
        self.engine = f"trino{version}"

    def _opened(self, limits: Limits) -> Any:
        """A cursor; a connection of this driver is only a set of headers."""
        server, options = self._server, self._server.options
        scheme = options.get("http_scheme", "https" if server.password else "http")
        login = self._driver.auth.BasicAuthentication(server.user, server.password)
        seconds = f"{limits.seconds:.3f}s"
        connection = self._driver.dbapi.connect(
            host=server.host,
            port=server.port or (443 if scheme == "https" else 8080),
            user=server.user or "sqljury",
            auth=login if server.password else None,
            http_scheme=scheme,
            verify=options.get("verify", "true") != "false",
            roles=options.get("role"),
            source="sqljury",
            catalog=self._catalog or None,
            schema=self._namespace or None,
            session_properties={
                "query_max_execution_time": seconds,
                "query_max_run_time": f"{limits.seconds + OWN_SECONDS:.3f}s",
            },
            request_timeout=OWN_SECONDS,
            max_attempts=3,
        )
        return connection.cursor()

    def _read(self, query: str) -> list[tuple[Any, ...]]:
        rows = self._opened(Limits(seconds=OWN_SECONDS)).execute(query).fetchall()
        return [tuple(row) for row in rows]

    def _start(self, statement: str, limits: Limits, job: Job) -> Rows:  # noqa: ARG002
        cursor = self._cursor = self._opened(limits)
        cursor.execute(statement)
        columns = tuple(column[0] for column in cursor.description or ())
        return Rows(columns, lambda size: [tuple(row) for row in cursor.fetchmany(size)])

    def _cancel(self) -> None:
        if self._cursor is not None:
            self._cursor.cancel()

    def _disconnect(self) -> None:
        self._cursor = None

    def _failure(self, error: Exception) -> tuple[Status, str]:
        errors = self._driver.exceptions
        if isinstance(error, errors.TrinoQueryError):
            status = _STATUS_BY_NAME.get(error.error_name)
            lost = Status.UNAVAILABLE if error.error_type in _UNAVAILABLE else Status.ERROR
            return status or lost, str(error.message)
        lost_kinds = (errors.Error, errors.HttpError, self._requests.RequestException, OSError)
        return Status.UNAVAILABLE if isinstance(error, lost_kinds) else Status.ERROR, str(error)

    def _read_tables(self) -> Iterable[tuple[str, str, str, str]]:
        alone = f"= {literal(self._namespace)}" if self._namespace else "<> 'information_schema'"
        for schema, table, column, kind in self._read(
            "SELECT table_schema, table_name, column_name, data_type "
            f"FROM information_schema.columns WHERE table_schema {alone} "
            "ORDER BY table_schema, table_name, ordinal_position"
        ):
            yield (table if self._namespace else f"{schema}.{table}"), column, kind, ""

    def warnings(self) -> list[str]:
        """What cannot be found out here."""
        return ["Trino tells nobody what a login may do: let access control allow SELECT only"]


def open_url(url: str, db_id: str, describe: Describe) -> TrinoDatabase:
    """Connects to ``trino://…/CATALOG/SCHEMA``, or to all schemas of a catalog.

    Raises:
        InfrastructureError: SJ287: the server cannot be reached or refuses the login.
    """
    return TrinoDatabase(parse_url(url), db_id, describe)


def list_ids(template: str) -> tuple[str, ...] | None:
    """The schemas of the catalog that ``{db_id}`` may be replaced with."""
    server = parse_url(template)
    catalog, _, schema = server.database.partition("/")
    if PLACE in catalog or PLACE not in schema:
        return None
    found = TrinoDatabase(server, "", lambda schema: schema)
    try:
        names = found._own(lambda: found._read("SHOW SCHEMAS"))
    except SqljuryError:
        return None
    finally:
        found.close()
    return ids_in((name for (name,) in names if name != "information_schema"), schema)


ENGINES.add("trino", Engine(open_url, list_ids, bills=True))
