"""Snowflake: each statement alone in a session with limits, under a role that can only read.

The URL is ``snowflake://USER:PASSWORD@ACCOUNT/DATABASE/SCHEMA?warehouse=NAME&role=NAME``. Limits
are the session's: ``STATEMENT_TIMEOUT_IN_SECONDS``, ``STATEMENT_QUEUED_TIMEOUT_IN_SECONDS``,
``ROWS_PER_RESULTSET``. A statement whose client has died is aborted by the server. The bill is the
time of the statement times the credits that a warehouse of this size takes an hour: the minute that
a suspended warehouse bills at least, and other statements at the same time, are not known here.
"""

from __future__ import annotations

import logging
import math
import os
import re
import warnings
from collections.abc import Iterable
from contextlib import closing
from typing import Any

from sqljury.databases.protocol import ENGINES, Describe, Engine
from sqljury.databases.server import PLACE, ServerURL, Trial, Tried, ids_in, parse_url
from sqljury.databases.warehouses.admission import Rules
from sqljury.databases.warehouses.base import OWN_SECONDS, Job, Rows, Warehouse, driver
from sqljury.errors import SqljuryError
from sqljury.execution import Bill, Limits, Status

_CREDITS = {
    "X-Small": 1,
    "Small": 2,
    "Medium": 4,
    "Large": 8,
    "X-Large": 16,
    "2X-Large": 32,
    "3X-Large": 64,
    "4X-Large": 128,
    "5X-Large": 256,
    "6X-Large": 512,
}
"""Credits an hour of a standard warehouse, by its size in SHOW WAREHOUSES."""
_PRICE_PER_CREDIT = 3.0
"""US dollars, of the Enterprise edition in US regions; ``price_per_credit`` in the URL replaces
it."""

_SESSION: dict[str, Any] = {
    "QUERY_TAG": "sqljury",
    "ABORT_DETACHED_QUERY": True,
    "MULTI_STATEMENT_COUNT": 1,
    "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS": 300,
    "CLIENT_TELEMETRY_ENABLED": False,
}
_LOGIN = ("authenticator", "private_key_file", "private_key_file_pwd", "token", "passcode")
_PLACE_OPTIONS = ("host", "port", "protocol", "warehouse", "role")

_STATUS_BY_CODE = {
    604: Status.TIMEOUT,  # cancelled, also by us
    630: Status.TIMEOUT,  # STATEMENT_TIMEOUT_IN_SECONDS
    3001: Status.REFUSED,  # insufficient privileges
    606: Status.UNAVAILABLE,  # no warehouse in the session
    609: Status.UNAVAILABLE,  # it cannot be resumed
    390111: Status.UNAVAILABLE,  # the session is gone
    390114: Status.UNAVAILABLE,  # the login has expired
}


def _refuses(parts: tuple[str, ...]) -> bool:
    return parts[0] == "snowflake" or parts[-1].startswith("@")


class SnowflakeDatabase(Warehouse):
    """One database, or one schema of it, on Snowflake. VARIANT, OBJECT and ARRAY are JSON texts.

    Raises:
        InfrastructureError: SJ285: Snowflake cannot be reached or refuses the login.
    """

    # ``->>`` chains statements in Snowflake, which has no such operator on JSON.
    rules = Rules(
        "snowflake",
        words=frozenset({"result_scan"}),
        signs=("->>",),
        refuses_table=_refuses,
        positional=True,
        columns=frozenset({"nextval"}),
    )
    code = "SJ285"
    by_the_hour = False
    options = frozenset((*_LOGIN, *_PLACE_OPTIONS, "credits_per_hour", "price_per_credit"))

    def _session(self) -> Any:
        # Else the driver asks the clouds' metadata addresses where it runs.
        os.environ.setdefault("SNOWFLAKE_DISABLE_PLATFORM_DETECTION", "true")
        logging.getLogger("snowflake.connector").setLevel(logging.ERROR)
        connector = driver("snowflake.connector", "snowflake", "A Snowflake database")
        self._errors = connector.errors
        server, options = self._server, self._server.options
        database, _, schema = server.database.partition("/")
        given: dict[str, Any] = {
            name: options[name] for name in (*_LOGIN, *_PLACE_OPTIONS) if name in options
        }
        if "port" in given:
            given["port"] = int(given["port"])
        with warnings.catch_warnings(action="ignore"):
            return connector.connect(
                user=server.user,
                password=server.password or None,
                account=server.host,
                database=database or None,
                schema=schema or None,
                login_timeout=20,
                enable_server_session_keep_alive_auto_detection=False,
                session_parameters=_SESSION,
                **given,
            )

    def _connect(self) -> None:
        connector = driver("snowflake.connector", "snowflake", "A Snowflake database")
        try:
            self._connection = self._session()
            self._cursor = self._connection.cursor()
            ((version,),) = self._read("SELECT current_version()")
            self._per_hour = self._credits_per_hour()
        except connector.errors.Error as error:
            raise self.failed(error.msg or error) from None
        self.engine = f"snowflake{str(version).split()[0]}"

    def _read(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of one of our own queries."""
        return list(self._run(query, Limits(seconds=OWN_SECONDS)).fetchall())

    def _run(self, statement: str, limits: Limits) -> Any:
        """The cursor; these parameters hold for this statement alone."""
        most = {
            "STATEMENT_TIMEOUT_IN_SECONDS": math.ceil(limits.seconds),
            "ROWS_PER_RESULTSET": limits.rows + 1,
        }
        return self._cursor.execute(statement, _statement_params=most)

    def _start(self, statement: str, limits: Limits, job: Job) -> Rows:  # noqa: ARG002
        cursor = self._run(statement, limits)
        columns = tuple(column[0] for column in cursor.description or ())
        return Rows(columns, cursor.fetchmany)

    def _cancel(self) -> None:
        # The driver knows the statement's identifier when it has ended, but the session's at once.
        session = int(self._connection.session_id)
        with closing(self._session()) as other:
            other.cursor().execute(f"SELECT system$cancel_all_queries({session})")

    def _failure(self, error: Exception) -> tuple[Status, str]:
        if not isinstance(error, self._errors.Error):
            return Status.ERROR, str(error)
        code = getattr(error, "errno", None) or -1
        message = str(getattr(error, "msg", None) or error)
        if code in _STATUS_BY_CODE:
            return _STATUS_BY_CODE[code], message
        lost = (self._errors.OperationalError, self._errors.InterfaceError)
        return Status.UNAVAILABLE if isinstance(error, lost) else Status.ERROR, message

    def _disconnect(self) -> None:
        self._connection.close()

    # ------------------------------------------------------------ price

    def _credits_per_hour(self) -> float | None:
        given = self._number("credits_per_hour")
        name = self._server.options.get("warehouse")
        if given is not None or name is None:
            return given
        try:
            found = self._named(f"SHOW WAREHOUSES LIKE '{name.replace(chr(39), '')}'")
        except self._errors.Error:
            return None
        return next(
            (float(_CREDITS[row["size"]]) for row in found if row["size"] in _CREDITS), None
        )

    def _bill(self, seconds: float) -> Bill:
        if self._per_hour is None:
            return Bill()
        credits = self._per_hour * seconds / 3600
        price = self._number("price_per_credit")
        return Bill(
            credits=credits, money=credits * (_PRICE_PER_CREDIT if price is None else price)
        )

    def _named(self, query: str) -> list[dict[str, Any]]:
        """The rows of a SHOW statement, by the names of its columns."""
        rows = self._read(query)
        names = [column[0].lower() for column in self._cursor.description or ()]
        return [dict(zip(names, row, strict=True)) for row in rows]

    # ------------------------------------------------------------ schema and rights

    @property
    def _of_schema(self) -> str:
        schema = self._server.database.partition("/")[2]
        return f"= '{schema.upper()}'" if schema.isidentifier() else "<> 'INFORMATION_SCHEMA'"

    def _read_tables(self) -> Iterable[tuple[str, str, str, str]]:
        alone = self._server.database.partition("/")[2]
        for schema, table, column, kind, comment in self._read(
            "SELECT table_schema, table_name, column_name, data_type, comment "
            f"FROM information_schema.columns WHERE table_schema {self._of_schema} "
            "ORDER BY table_schema, table_name, ordinal_position"
        ):
            yield (table if alone else f"{schema}.{table}"), column, kind, comment or ""

    def _read_state(self) -> str:
        rows = self._read(
            "SELECT table_schema, table_name, row_count, bytes, last_altered "
            f"FROM information_schema.tables WHERE table_schema {self._of_schema} ORDER BY 1, 2"
        )
        return repr([tuple(map(str, row)) for row in rows])

    def trials(self) -> list[Tried]:
        """The role's privileges beyond reading, from SHOW GRANTS."""
        role = self._role()
        grants = self._own(lambda: self._named(f'SHOW GRANTS TO ROLE "{role}"'))
        found = []
        for does, privileges in _BEYOND_READING:
            held = [grant for grant in grants if privileges.fullmatch(grant["privilege"])]
            first = held[0] if held else {"privilege": "…", "granted_on": "…", "name": "…"}
            what = f"{first['privilege']} ON {first['granted_on']} {first['name']}"
            more = f" and {len(held) - 1} more" if len(held) > 1 else ""
            trial = Trial(f"{does}: {what}{more}", "", f"REVOKE {what} FROM ROLE {role};")
            found.append(Tried(trial, bool(held)))
        return found

    def warnings(self) -> list[str]:
        """Warnings for the owner of the account."""
        role = self._role()
        if role.upper() in _ADMINISTRATORS:
            return [f"the role {role} may do more than read: use one with SELECT only"]
        return []

    def _role(self) -> str:
        ((role,),) = self._own(lambda: self._read("SELECT current_role()"))
        return str(role)


_BEYOND_READING = (
    ("write to tables", re.compile("INSERT|UPDATE|DELETE|TRUNCATE|EVOLVE SCHEMA|WRITE")),
    ("own and drop things", re.compile("OWNERSHIP")),
    ("create things", re.compile("CREATE .*|ADD SEARCH OPTIMIZATION")),
    ("change warehouses or the account", re.compile("MODIFY.*|OPERATE|MANAGE .*|APPLY.*")),
    ("run tasks and other programs", re.compile("EXECUTE .*|IMPORT SHARE|READ SESSION")),
)
"""Kinds of privileges in SHOW GRANTS."""
_ADMINISTRATORS = ("ACCOUNTADMIN", "ORGADMIN", "SECURITYADMIN", "SYSADMIN", "USERADMIN")


# ---------------------------------------------------------------- finding


def open_url(url: str, db_id: str, describe: Describe) -> SnowflakeDatabase:
    """Logs in to ``snowflake://…@ACCOUNT/DATABASE``, or to one schema of it.

    Raises:
        InfrastructureError: SJ285: Snowflake cannot be reached or refuses the login.
    """
    return SnowflakeDatabase(parse_url(url), db_id, describe)


def list_ids(template: str) -> tuple[str, ...] | None:
    """The databases, or the schemas of one, that ``{db_id}`` may be replaced with."""
    server = parse_url(template)
    database, _, schema = server.database.partition("/")
    if PLACE in schema and PLACE in database:
        return None
    plain = ServerURL(
        *(server.scheme, server.user, server.password, server.host, server.port),
        database if PLACE in schema else "",
        server.options,
    )
    found = SnowflakeDatabase(plain, "", lambda schema: schema)
    try:
        query = f'SHOW SCHEMAS IN DATABASE "{database}"' if PLACE in schema else "SHOW DATABASES"
        names = [row["name"] for row in found._named(query)]
    except (SqljuryError, found._errors.Error):
        return None
    finally:
        found.close()
    return ids_in(names, schema if PLACE in schema else database)


ENGINES.add("snowflake", Engine(open_url, list_ids, bills=True))
