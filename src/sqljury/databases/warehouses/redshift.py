"""Amazon Redshift: each statement is a cursor in a read-only transaction that is rolled back.

The URL is ``redshift://USER:PASSWORD@HOST:5439/DATABASE``; ``?schema=NAME`` means one schema. The
server ends what runs too long (``statement_timeout``). DECLARE takes queries only, and the rows are
fetched in chunks, because the driver would receive all at once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import closing, suppress
from typing import Any

from sqljury.databases.protocol import ENGINES, Describe, Engine
from sqljury.databases.server import Trial, Tried, ids_in, parse_url
from sqljury.databases.warehouses.admission import Rules
from sqljury.databases.warehouses.base import OWN_SECONDS, Job, Rows, Warehouse, driver, literal
from sqljury.errors import SqljuryError
from sqljury.execution import Limits, Status

_CHUNK = 1000
_SYSTEM = re.compile(r"(pg|stl|stv|svl|svv|svcs|sys)_")
_STATUS_BY_CODE = {
    "25006": Status.REFUSED,  # read-only transaction
    "42501": Status.REFUSED,  # permission denied
    "57014": Status.TIMEOUT,  # statement_timeout
    "53100": Status.OUT_OF_MEMORY,  # disk full
    "53200": Status.OUT_OF_MEMORY,
}
_UNAVAILABLE = ("08", "53", "57", "58", "40")


def _refuses(parts: tuple[str, ...]) -> bool:
    return bool(_SYSTEM.match(parts[-1])) or parts[-2] in ("pg_catalog", "sys", "pg_internal")


class RedshiftDatabase(Warehouse):
    """One database, or one schema of it, on Redshift. SUPER values are JSON texts.

    Raises:
        InfrastructureError: SJ290: the cluster cannot be reached or refuses the login.
    """

    rules = Rules("redshift", refuses_table=_refuses)
    code = "SJ290"
    options = frozenset(("schema", "sslmode"))

    def _connect(self) -> None:
        self._driver = driver("redshift_connector", "redshift", "A Redshift database")
        try:
            self._connection = self._session()
            ((self._process, version),) = self._read("SELECT pg_backend_pid(), version()")
        except (self._driver.Error, OSError) as error:
            raise self.failed(_message(error)) from None
        found = re.search(r"Redshift ([\d.]+)|PostgreSQL ([\d.]+)", version)
        self.engine = f"redshift{(found[1] or found[2]) if found else ''}"

    def _session(self) -> Any:
        server = self._server
        found = self._driver.connect(
            host=server.host,
            port=server.port or 5439,
            user=server.user,
            password=server.password,
            database=server.database,
            ssl=server.options.get("sslmode") != "disable",
            application_name="sqljury",
            timeout=OWN_SECONDS,
        )
        found.autocommit = True  # transactions begin and end in the text
        return found

    def _read(self, query: str) -> list[tuple[Any, ...]]:
        with closing(self._connection.cursor()) as cursor:
            cursor.execute(f"SET statement_timeout TO {OWN_SECONDS * 1000}")
            cursor.execute(query)
            return [tuple(row) for row in cursor.fetchall()]

    def _start(self, statement: str, limits: Limits, job: Job) -> Rows:  # noqa: ARG002
        cursor = self._connection.cursor()
        with suppress(self._driver.Error):
            cursor.execute("ROLLBACK")
        cursor.execute(f"SET statement_timeout TO {max(1, int(limits.seconds * 1000))}")
        if schema := self._server.options.get("schema"):
            cursor.execute('SET search_path TO "{}"'.format(schema.replace('"', '""')))
        cursor.execute("BEGIN READ ONLY")
        # In this driver's texts a % is a placeholder only beside parameters.
        cursor.execute(f"DECLARE sqljury_rows CURSOR FOR {statement}")
        left: list[tuple[Any, ...]] = []
        columns: tuple[str, ...] = ()
        ended = False

        def fetch() -> None:
            nonlocal columns, ended
            cursor.execute(f"FETCH FORWARD {_CHUNK} FROM sqljury_rows")
            columns = tuple(_text(column[0]) for column in cursor.description or ())
            found = [tuple(row) for row in cursor.fetchall()]
            left.extend(found)
            ended = len(found) < _CHUNK

        def fetchmany(size: int) -> list[tuple[Any, ...]]:
            if not left and not ended:
                fetch()
            taken, left[:size] = left[:size], []
            return taken

        fetch()
        return Rows(columns, fetchmany)

    def _cancel(self) -> None:
        with closing(self._session()) as other, closing(other.cursor()) as cursor:
            cursor.execute(f"SELECT pg_terminate_backend({int(self._process)})")

    def _disconnect(self) -> None:
        self._connection.close()

    def _failure(self, error: Exception) -> tuple[Status, str]:
        known = error.args[0] if error.args and isinstance(error.args[0], dict) else {}
        code, message = str(known.get("C", "")), _message(error)
        if code in _STATUS_BY_CODE:
            return _STATUS_BY_CODE[code], message
        lost = isinstance(error, OSError | self._driver.InterfaceError) and not code
        lost = lost or code.startswith(_UNAVAILABLE)
        return Status.UNAVAILABLE if lost else Status.ERROR, message

    def _read_tables(self) -> Iterable[tuple[str, str, str, str]]:
        only = self._server.options.get("schema")
        where = f"= {literal(only)}" if only else "NOT IN ('information_schema', 'pg_catalog')"
        for schema, table, column, kind in self._read(
            "SELECT table_schema, table_name, column_name, data_type "
            f"FROM information_schema.columns WHERE table_schema {where} "
            "ORDER BY table_schema, table_name, ordinal_position"
        ):
            short = only or schema == "public"
            yield (table if short else f"{schema}.{table}"), column, kind, ""

    def trials(self) -> list[Tried]:
        """What the login may do beyond reading, by the server's own answer on each privilege."""
        found = []
        for does, query, remedy in _PRIVILEGES:
            ((held,),) = self._own(lambda query=query: self._read(query))  # type: ignore[misc]
            found.append(Tried(Trial(does, query, remedy), bool(held)))
        return found


_PRIVILEGES = (
    (
        "create a table",
        "SELECT has_schema_privilege(current_user, 'public', 'CREATE')",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC;",
    ),
    (
        "create a schema",
        "SELECT has_database_privilege(current_user, current_database(), 'CREATE')",
        "REVOKE CREATE ON DATABASE … FROM …;",
    ),
    (
        "create a temporary table",
        "SELECT has_database_privilege(current_user, current_database(), 'TEMP')",
        "REVOKE TEMP ON DATABASE … FROM PUBLIC;",
    ),
    (
        "write to a table",
        "SELECT count(*) > 0 FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
        "WHERE c.relkind = 'r' AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND "
        "(has_table_privilege(current_user, c.oid, 'INSERT') "
        "OR has_table_privilege(current_user, c.oid, 'UPDATE') "
        "OR has_table_privilege(current_user, c.oid, 'DELETE'))",
        "REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA … FROM …;",
    ),
    (
        "do everything as a superuser",
        "SELECT usesuper FROM pg_user WHERE usename = current_user",
        "Use a user without CREATEUSER.",
    ),
)


def _text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _message(error: Exception) -> str:
    first = error.args[0] if error.args else error
    return str(first.get("M", first) if isinstance(first, dict) else first)


def open_url(url: str, db_id: str, describe: Describe) -> RedshiftDatabase:
    """Connects to ``redshift://…/DATABASE``.

    Raises:
        InfrastructureError: SJ290: the cluster cannot be reached or refuses the login.
    """
    return RedshiftDatabase(parse_url(url), db_id, describe)


def list_ids(template: str) -> tuple[str, ...] | None:
    """The databases that ``{db_id}`` may be replaced with."""
    server = parse_url(template.replace("{db_id}", "dev"))
    try:
        found = RedshiftDatabase(server, "", lambda schema: schema)
    except SqljuryError:
        return None
    try:
        names = found._own(lambda: found._read("SELECT datname FROM pg_database"))
    except SqljuryError:
        return None
    finally:
        found.close()
    return ids_in((name for (name,) in names), parse_url(template).database)


ENGINES.add("redshift", Engine(open_url, list_ids, bills=True))
