"""MySQL and MariaDB: each statement in a read-only transaction; then the session is reset.

The server ends what runs too long (MariaDB by ``max_statement_time``; MySQL by
``max_execution_time``, which applies to SELECT only). Shortly after it we do the same, with KILL
from a second connection. Neither server notices that a client was killed until it sends rows to it:
such a query runs until its time is up. MariaDB limits what a session allocates
(``max_session_mem_used``); MySQL has no such limit.

Values longer than the server's ``max_allowed_packet`` are returned as NULL; the servers do this.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from contextlib import closing, suppress
from typing import Any

from sqljury.databases.guard import admit, mysql_dialect
from sqljury.databases.limits import WATCHDOG, awake, exceeded, fetch_limited
from sqljury.databases.mysql_schema import read_schema
from sqljury.databases.mysql_words import MySQLForbiddenWords
from sqljury.databases.protocol import ENGINES, Describe, Engine
from sqljury.databases.server import (
    DeadlineRows,
    ServerURL,
    Tried,
    ids_in,
    mysql_trials,
    parse_url,
    tried,
    with_second_attempt,
)
from sqljury.errors import InfrastructureError, InputError, MissingExtraError
from sqljury.execution import MIB, Execution, Limits, ResultTable, Status
from sqljury.schema import Schema

try:
    import pymysql
except ImportError as error:
    raise MissingExtraError("pymysql", "mysql", "A MySQL or MariaDB database") from error

from pymysql.constants import CR, ER, FIELD_TYPE
from pymysql.converters import conversions
from pymysql.cursors import SSCursor

_CONNECT_SECONDS = 10
_GRACE_SECONDS = 0.25
"""How long after its limit a statement may run before we kill it."""
_OWN_SECONDS = 60
"""For our own queries: reading the schema, counting rows."""
_HASHED_ROWS = 100_000
_TRIED_TABLES = 100
_LONGEST_TEXT = 16 * MIB
_RESET_CONNECTION = 0x1F
_UNKNOWN_DATABASE = 1049
_OPTIONS = ("unix_socket", "ssl_ca", "ssl_cert", "ssl_key")
_OWN_DATABASES = ("information_schema", "mysql", "performance_schema", "sys")

_READING_PRIVILEGES = frozenset(
    ("USAGE", "SELECT", "SHOW VIEW", "SHOW DATABASES", "PROCESS", "EXECUTE", "REPLICATION CLIENT")
)


def _bits(data: bytes) -> int:
    return int.from_bytes(data, "big")


_CONVERSIONS = conversions | {FIELD_TYPE.BIT: _bits}


# ---------------------------------------------------------------- finding


def open_url(url: str, db_id: str, describe: Describe) -> MySQLDatabase | None:
    """Connects to ``mysql://…/DATABASE`` or ``mariadb://…/DATABASE``.

    Options are ``unix_socket``, ``ssl_ca``, ``ssl_cert``, ``ssl_key``.

    Raises:
        InfrastructureError: the server cannot be reached or refuses the login.
    """
    try:
        return MySQLDatabase(parse_url(url), db_id, describe)
    except _NoSuchDatabaseError:
        return None


def list_ids(template: str) -> tuple[str, ...] | None:
    """The names of databases that ``{db_id}`` may be replaced with."""
    server = parse_url(template)
    with closing(_connect(server, "")) as connection, connection.cursor() as cursor:
        cursor.execute("SHOW DATABASES")
        names = [name for (name,) in cursor.fetchall() if name not in _OWN_DATABASES]
    return ids_in(names, server.database)


for _scheme in ("mysql", "mariadb"):
    ENGINES.add(_scheme, Engine(open_url, list_ids))


class _NoSuchDatabaseError(Exception):
    """The server answered, but has no such database."""


def _connect(server: ServerURL, database: str) -> Any:
    """A connection; typed as Any, because some parts that we use are private."""
    for name in server.options:
        if name not in _OPTIONS:
            raise InputError(
                "SJ263",
                f"unknown option {name!r}.",
                where=server.shown,
                hint=f"Known: {', '.join(_OPTIONS)}.",
            )
    options: dict[str, Any] = dict(server.options)
    try:
        return pymysql.connect(
            host=server.host or "localhost",
            port=server.port or 3306,
            user=server.user or None,
            password=server.password,
            database=database or None,
            charset="utf8mb4",
            autocommit=True,  # we begin and end transactions ourselves
            connect_timeout=_CONNECT_SECONDS,
            conv=_CONVERSIONS,
            program_name="sqljury",
            **options,
        )
    except (pymysql.Error, OSError, RuntimeError) as error:
        if _code(error) == _UNKNOWN_DATABASE:
            raise _NoSuchDatabaseError from None
        raise _failed(server, error) from None  # the traceback would show the arguments


def _failed(server: ServerURL, error: Exception) -> InfrastructureError:
    words = error.args[-1] if error.args else error
    return InfrastructureError("SJ262", f"{server.quiet(words)}.", where=server.shown)


# ---------------------------------------------------------------- failures

_STATUS_BY_CODE = {
    1792: Status.REFUSED,  # read-only transaction
    1290: Status.REFUSED,  # an option of the server prevents it
    1044: Status.REFUSED,  # access denied: database, …
    1142: Status.REFUSED,  # … table
    1143: Status.REFUSED,  # … column
    1227: Status.REFUSED,  # … a privilege
    1370: Status.REFUSED,  # … routine
    1021: Status.OUT_OF_MEMORY,  # disk full
    1037: Status.OUT_OF_MEMORY,
    1038: Status.OUT_OF_MEMORY,  # sort buffer
    1041: Status.OUT_OF_MEMORY,
    1114: Status.OUT_OF_MEMORY,  # a temporary table is full
    1153: Status.TOO_LARGE,  # larger than max_allowed_packet
    1969: Status.TIMEOUT,  # MariaDB
    3024: Status.TIMEOUT,  # MySQL
    1040: Status.UNAVAILABLE,  # too many connections
    1203: Status.UNAVAILABLE,
    1205: Status.UNAVAILABLE,  # another session changes the table
    1213: Status.UNAVAILABLE,  # deadlock
    1317: Status.UNAVAILABLE,  # KILL QUERY
    ER.SERVER_SHUTDOWN: Status.UNAVAILABLE,
    1927: Status.UNAVAILABLE,  # KILL
    4031: Status.UNAVAILABLE,  # idle for too long
    CR.CR_SERVER_GONE_ERROR: Status.UNAVAILABLE,
    CR.CR_SERVER_LOST: Status.UNAVAILABLE,
}


def _code(error: Exception) -> int | None:
    code = error.args[0] if error.args else None
    return code if isinstance(code, int) else None


def _failure(error: Exception, limits: Limits) -> tuple[Status, str]:
    code, message = _code(error), str(error.args[-1] if error.args else error)
    if code == 1290 and "max-session-mem-used" in message:
        return Status.OUT_OF_MEMORY, f"needs more than {limits.memory} bytes of memory"
    if isinstance(error, pymysql.InterfaceError):
        return Status.UNAVAILABLE, message or "the connection is closed"
    return _STATUS_BY_CODE.get(code or 0, Status.ERROR), message


def _succeeds(session: Any, sql: str) -> bool:
    """True if the server permits the statement, even if it fails for another reason."""
    try:
        with session.cursor() as cursor:
            cursor.execute(sql)
            return cursor.description is None or cursor.fetchone() is not None
    except pymysql.Error as error:
        refused = _failure(error, Limits())[0] is Status.REFUSED
        return not refused and _code(error) != ER.ACCESS_DENIED_ERROR


# ---------------------------------------------------------------- the database


class MySQLDatabase:
    """One database on a MySQL or MariaDB server.

    DECIMAL is returned as Decimal, BIT as int, TIME as timedelta, JSON as its text; invalid dates
    (0000-00-00) stay text.

    Raises:
        InfrastructureError: the server cannot be reached or refuses the login.
    """

    dialect = "mysql"

    def __init__(self, server: ServerURL, db_id: str, describe: Describe) -> None:
        self.db_id = db_id
        self._server = server
        self._describe = describe
        self._schema: Schema | None = None
        self._closed = False
        self._running = False
        self._connection = _connect(server, server.database)
        version = str(self._connection.get_server_info())
        self._is_mariadb = "mariadb" in version.lower()
        # To old clients, MariaDB prefixes its version with 5.5.5-, the highest that replication
        # knew.
        number = re.search(r"\d+\.\d+\.\d+", version.removeprefix("5.5.5-"))
        name = "mariadb" if self._is_mariadb else "mysql"
        self.engine = f"{name}{number[0] if number else version}"
        # Fixes how quotes are read, even if the server's setting changes later.
        with self._connection.cursor() as cursor:
            cursor.execute("SELECT @@sql_mode")
            ((self._mode,),) = cursor.fetchall()
        self._quotes = mysql_dialect(self._mode)
        self._words = MySQLForbiddenWords(self._read_if_allowed, self._quotes)

    def execute(self, sql: str, limits: Limits) -> Execution:
        """Runs one statement; whatever the statement does, it raises nothing."""
        statement = admit(sql, self._quotes)
        if isinstance(statement, Execution):
            return statement
        if forbidden := self._words.found_in(statement):
            return Execution(Status.REFUSED, None, f"not allowed: {forbidden}")
        return with_second_attempt(
            lambda within: self._attempt(statement, within),
            limits,
            lost=lambda: not self._connection.open and not self._closed,
        )

    def _attempt(self, statement: str, limits: Limits) -> Execution:
        started = awake()
        seconds = None
        status, table, message = Status.OK, None, ""
        token = WATCHDOG.watch(limits.seconds + _GRACE_SECONDS, self._kill)
        try:
            result, seconds = self._run(statement, limits)
            if isinstance(result, str):
                status, message = Status.TOO_LARGE, result
            else:
                table = result
        except (InfrastructureError, _NoSuchDatabaseError) as error:
            status, message = Status.UNAVAILABLE, str(error)
        except TimeoutError:
            status = Status.TIMEOUT
        except (pymysql.Error, ValueError) as error:
            status, message = _failure(error, limits)
        finally:
            WATCHDOG.release(token)
        if seconds is None:
            seconds = awake() - started
        # SLEEP and BENCHMARK end early at the limit, without an error.
        if seconds >= limits.seconds and status in (Status.OK, Status.UNAVAILABLE, Status.TIMEOUT):
            status, table, message = Status.TIMEOUT, None, exceeded(limits)
        return Execution(status, table, message, seconds)

    def _run(self, statement: str, limits: Limits) -> tuple[ResultTable | str, float]:
        """The result, and the seconds that the statement itself took."""
        self._begin(limits)
        self._running = True
        started = awake()
        try:
            # Keep a reference: a cursor that is garbage-collected reads all remaining rows.
            cursor = self._cursor = SSCursor(self._connection)
            cursor.execute(statement)
            if cursor.description is None:
                raise pymysql.ProgrammingError(0, "the statement gives no result table")
            columns = tuple([column[0] for column in cursor.description])
            result = fetch_limited(DeadlineRows(cursor.fetchmany, limits.seconds), columns, limits)
            seconds = awake() - started
        except pymysql.Error:
            self._running = False
            self._reset()
            raise
        except BaseException:  # interrupted, out of time, or a row that cannot be decoded
            self._abandon()
            raise
        if isinstance(result, str):
            self._abandon()  # the protocol cannot leave rows unread
        else:
            self._running = False
            self._reset()
        return result, seconds

    def _begin(self, limits: Limits) -> None:
        if not self._connection.open and not self._closed:
            self._connection = _connect(self._server, self._server.database)
        lock_seconds = max(1, int(limits.seconds / 2))
        settings: dict[str, float] = {
            # A wait for other sessions is not the query's fault, so a limit of its own ends it.
            "lock_wait_timeout": lock_seconds,
            "innodb_lock_wait_timeout": lock_seconds,
            # By default MySQL truncates the value after 1,024 bytes without an error.
            "group_concat_max_len": _LONGEST_TEXT,
        }
        if self._is_mariadb:
            settings |= {
                "tx_read_only": 1,
                "max_statement_time": max(0.001, limits.seconds),  # 0 is no limit
                "max_session_mem_used": max(8192, limits.memory),
                # MariaDB also truncates a recursion after 1,000 rounds without an error; MySQL
                # raises one.
                "max_recursive_iterations": 4294967295,
            }
        else:
            milliseconds = max(1, int(limits.seconds * 1000))
            settings |= {"transaction_read_only": 1, "max_execution_time": milliseconds}
        words = ", ".join(f"SESSION {name} = {value}" for name, value in settings.items())
        mode = self._connection.escape(self._mode)
        self._connection.query(f"SET NAMES utf8mb4, SESSION sql_mode = {mode}, {words}")
        self._connection.query("START TRANSACTION READ ONLY")

    def _reset(self) -> None:
        """Ends the transaction, and clears locks, variables and settings of the session."""
        # If this fails, the connection is closed, and the next statement opens another.
        with suppress(pymysql.Error):
            self._connection._execute_command(_RESET_CONNECTION, b"")
            self._connection._read_ok_packet()

    def _abandon(self) -> None:
        """Stops the statement on the server, and drops the connection."""
        self._kill()
        result = self._connection._result
        if result is not None:
            result.unbuffered_active = False  # else it would also read all rows
        self._connection._force_close()
        self._running = False

    def _kill(self) -> None:
        if not self._running:
            return
        self._running = False
        with (
            suppress(InfrastructureError, _NoSuchDatabaseError, pymysql.Error),
            closing(_connect(self._server, "")) as connection,
        ):
            connection.query(f"KILL {self._connection.thread_id()}")

    def _read(self, query: str) -> Sequence[tuple[Any, ...]]:
        """Runs one of our own queries."""
        self._begin(Limits(seconds=_OWN_SECONDS))
        try:
            with self._connection.cursor() as cursor:
                cursor.execute(query)
                rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
                return rows
        finally:
            self._reset()

    def _read_if_allowed(self, query: str) -> Sequence[tuple[Any, ...]]:
        """The rows of one of our own queries; empty if this user may not read them."""
        try:
            return self._read(query)
        except pymysql.Error as error:
            status, _ = _failure(error, Limits())
            if status is Status.UNAVAILABLE:
                raise _failed(self._server, error) from None
            return ()

    def schema(self) -> Schema:
        """Tables and views by name, with comments as descriptions; read once.

        Raises:
            InfrastructureError: the server fails.
        """
        if self._schema is None:
            try:
                self._schema = self._describe(read_schema(self._read))
            except pymysql.Error as error:
                raise _failed(self._server, error) from None
        return self._schema

    def fingerprint(self) -> str:
        """Hash of server version, columns, row counts, and checksums of small tables.

        Of tables with more than 100,000 rows only the number of rows is used.

        Raises:
            InfrastructureError: the server fails.
        """
        digest = hashlib.sha256(f"{self.engine}\0{self.schema()}".encode())
        for table in self.schema().tables:
            if not table.is_view:
                digest.update(f"\0{table.name}\0{self._contents(table.name)}".encode())
        return digest.hexdigest()

    def _contents(self, table: str) -> str:
        quoted = "`" + table.replace("`", "``") + "`"
        try:
            ((rows,),) = self._read(f"SELECT count(*) FROM {quoted}")
            if rows > _HASHED_ROWS:
                return str(rows)
            ((_, checksum),) = self._read(f"CHECKSUM TABLE {quoted}")
            return f"{rows} {checksum}"
        except pymysql.Error as error:
            status, _ = _failure(error, Limits())
            if status is Status.UNAVAILABLE:
                raise _failed(self._server, error) from None
            return status.value  # this user may not read it, or it could not be counted in a minute

    def warnings(self) -> list[str]:
        """Warnings for the owner of the server, shown by `sqljury doctor`."""
        grants = [row[0] for row in self._read("SHOW GRANTS")]
        granted = [match[1] for line in grants if (match := re.match("GRANT (.*?) ON ", line))]
        names = {
            name.strip() for text in granted for name in re.sub(r"\(.*?\)", "", text).split(",")
        }
        more = sorted(names - _READING_PRIVILEGES)
        if not more:
            return []
        return [
            f"the user {self._server.user!r} may do more than read ({', '.join(more)}): "
            "use one that has only SELECT"
        ]

    def trials(self) -> list[Tried]:
        """Tries what this user may do beyond reading; every change is undone.

        Raises:
            InfrastructureError: the server fails.
        """
        tables = [table.name for table in self.schema().tables if not table.is_view]
        quoted = ["`" + name.replace("`", "``") + "`" for name in tables[:_TRIED_TABLES]]
        ((user, database),) = self._read("SELECT current_user(), database()")
        name, _, host = user.rpartition("@")
        known = mysql_trials(f"'{name}'@'{host}'", f"`{database}`", quoted)
        with closing(_connect(self._server, self._server.database)) as session:
            return tried(known, lambda sql: _succeeds(session, sql))

    def close(self) -> None:
        """Closes the connection; a statement that still runs is cancelled."""
        self._closed = True
        if self._running:
            self._kill()
        elif self._connection.open:
            self._connection.close()
