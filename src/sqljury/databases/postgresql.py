"""PostgreSQL: each statement in a read-only transaction that is rolled back.

The text is sent by the extended protocol, which accepts one statement only. The server ends what
runs too long (``statement_timeout``), and notices that a client was killed
(``client_connection_check_interval``, PostgreSQL 14 and later). Rows are streamed in small chunks,
so that a limit on rows or bytes applies without fetching everything. But a single row (the server
allows a gigabyte) is received before it can be measured, and PostgreSQL has no limit on what one
query allocates: ``work_mem`` limits each sort and hash, ``temp_file_limit`` the disk. If the server
runs on this machine, its process is watched, and the statement cancelled.
"""

from __future__ import annotations

import hashlib
import math
import os
import random
import re
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from itertools import chain, islice
from typing import Any

from sqljury.databases.guard import admit
from sqljury.databases.limits import WATCHDOG, awake, exceeded, fetch_limited
from sqljury.databases.postgresql_schema import literal, read_relations, read_schema
from sqljury.databases.postgresql_words import PRIVILEGED, read_forbidden_words, read_statement
from sqljury.databases.protocol import ENGINES, Describe, Engine
from sqljury.databases.server import (
    CHUNK,
    PLACE,
    BackendMemory,
    DeadlineRows,
    ServerURL,
    Tried,
    ids_in,
    parse_url,
    postgresql_trials,
    tried,
    with_second_attempt,
)
from sqljury.errors import InfrastructureError, MissingExtraError
from sqljury.execution import Execution, Limits, ResultTable, Status
from sqljury.schema import Schema

try:
    import psycopg
except ImportError as error:
    raise MissingExtraError("psycopg", "postgresql", "A PostgreSQL database") from error

from psycopg import capabilities
from psycopg.adapt import Loader
from psycopg.pq import TransactionStatus
from psycopg.types import datetime as dates
from psycopg.types.string import TextLoader

_CONNECT_SECONDS = 10
_CANCEL_SECONDS = 1.5
_OWN_SECONDS = 60
"""For our own queries: reading the schema, counting rows."""
_HASHED_ROWS = 100_000
_TRIED_TABLES = 100

_MEMORY_CHECK_SECONDS = 0.05

# Set for the session: what a statement changes ends with its transaction.
_SETTINGS = {
    "default_transaction_read_only": "on",
    "idle_in_transaction_session_timeout": "60s",
    "datestyle": "ISO",
    "intervalstyle": "postgres",
    "bytea_output": "hex",
    "standard_conforming_strings": "on",
    "max_parallel_workers_per_gather": "0",  # each would have its own memory
}
# Each may be refused: by an older server, by its operating system, or for this role.
_OPTIONAL_SETTINGS = {
    "client_connection_check_interval": "1s",
    "temp_file_limit": "-1",
    "hash_mem_multiplier": "1",
    # Compilation ignores cancellation and statement_timeout: we measured six seconds.
    "jit": "off",
}


# ---------------------------------------------------------------- finding


def open_url(url: str, db_id: str, describe: Describe) -> PostgreSQLDatabase | None:
    """Connects to ``postgresql://…/DATABASE``, or to one schema of it with ``?schema=NAME``.

    Other options are libpq's (``sslmode``, ``host`` for a socket, …).

    Raises:
        InfrastructureError: the server cannot be reached or refuses the login.
    """
    server = parse_url(url)
    try:
        return PostgreSQLDatabase(server, db_id, describe)
    except _NoSuchSchemaError:
        return None
    except InfrastructureError:
        # The message for "no such database" depends on the server's language, so read the list.
        names = _database_names(server)
        if names is not None and server.database not in names:
            return None
        raise


def list_ids(template: str) -> tuple[str, ...] | None:
    """The databases, or with ``?schema={db_id}`` the schemas, that ``{db_id}`` may be replaced
    with."""
    server = parse_url(template)
    namespace = server.options.get("schema", "")
    if PLACE in namespace and PLACE not in server.database:
        with closing(_connect(server)) as connection:
            rows = connection.execute(
                "SELECT nspname::text FROM pg_namespace "
                "WHERE nspname !~ '^pg_' AND nspname <> 'information_schema'"
            ).fetchall()
        return ids_in((name for (name,) in rows), namespace)
    names = _database_names(server)
    return None if names is None else ids_in(names, server.database)


for _scheme in ("postgresql", "postgres"):
    ENGINES.add(_scheme, Engine(open_url, list_ids))


class _NoSuchSchemaError(Exception):
    """The server answered, but has no such schema."""


def _database_names(server: ServerURL) -> list[str] | None:
    """The names of the server's databases, from its maintenance database; None if we may not read
    it."""
    try:
        connection = _connect(replace(server, database="postgres"))
    except InfrastructureError:
        return None
    with closing(connection):
        rows = connection.execute(
            "SELECT datname::text FROM pg_database WHERE datallowconn AND NOT datistemplate"
        ).fetchall()
    return [name for (name,) in rows]


def _connect(server: ServerURL) -> psycopg.Connection[tuple[Any, ...]]:
    parts = {
        "user": server.user,
        "password": server.password,
        "host": server.host,
        "port": server.port,
        "dbname": server.database,
    }
    options = {key: value for key, value in server.options.items() if key != "schema"}
    given: dict[str, Any] = {key: value for key, value in parts.items() if value} | options
    given.setdefault("connect_timeout", _CONNECT_SECONDS)
    try:
        return psycopg.connect(
            **given,
            autocommit=True,  # we begin and end transactions ourselves
            prepare_threshold=None,
            application_name="sqljury",
            client_encoding="UTF8",
        )
    except psycopg.Error as error:
        raise InfrastructureError(
            "SJ252", f"{server.quiet(error)}.", where=server.shown, hint="Is the server up?"
        ) from None  # the driver's error contains the connection's parameters


# ---------------------------------------------------------------- values


def _or_text(kind: type[Loader]) -> type[Loader]:
    class OrText(kind):  # type: ignore[misc, valid-type]
        """Keeps values that Python cannot represent as text: infinity, years before 1, 24:00."""

        def load(self, data: bytes | bytearray | memoryview) -> Any:
            try:
                return super().load(data)
            except psycopg.DataError:
                return bytes(data).decode()

    return OrText


class _Escaped(Loader):
    """Text that is not valid UTF-8 (from a SQL_ASCII database), with backslash escapes."""

    def load(self, data: bytes | bytearray | memoryview) -> str:
        return bytes(data).decode("utf-8", "backslashreplace")


_AS_TEXT = re.findall(
    r"\w+",
    """
    uuid inet cidr record int4range int8range numrange daterange tsrange tstzrange
    int4multirange int8multirange nummultirange datemultirange tsmultirange tstzmultirange
    """,
)
_TOLERANT: dict[str | int, type[Loader]] = {
    "date": _or_text(dates.DateLoader),
    "time": _or_text(dates.TimeLoader),
    "timetz": _or_text(dates.TimetzLoader),
    "timestamp": _or_text(dates.TimestampLoader),
    "timestamptz": _or_text(dates.TimestamptzLoader),
    "interval": _or_text(dates.IntervalLoader),
    "text": _Escaped,
    "varchar": _Escaped,
    "bpchar": _Escaped,
    "name": _Escaped,
    0: _Escaped,  # every type unknown to psycopg
}


# ---------------------------------------------------------------- failures

_STATUS_BY_CODE = {
    "25006": Status.REFUSED,  # read-only transaction
    "42501": Status.REFUSED,  # permission denied
    "53100": Status.OUT_OF_MEMORY,  # disk full
    "53200": Status.OUT_OF_MEMORY,
    "53400": Status.OUT_OF_MEMORY,  # temp_file_limit
    "54000": Status.TOO_LARGE,  # one value exceeds the server's limit
    "40001": Status.UNAVAILABLE,  # on a standby: conflicts with replication
    "40P01": Status.UNAVAILABLE,  # deadlock
    "53300": Status.UNAVAILABLE,  # too many connections
    "55P03": Status.UNAVAILABLE,  # lock_timeout: another session changes the table
}
_UNAVAILABLE_CLASSES = ("08", "57", "58", "XX001", "XX002")


def _failure(error: Exception, seconds: float, limits: Limits) -> tuple[Status, str]:
    if not isinstance(error, psycopg.Error):
        return Status.ERROR, str(error)  # the text is not valid Unicode
    code = error.sqlstate
    message = error.diag.message_primary or str(error)
    if code is None:
        lost = isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
        return Status.UNAVAILABLE if lost else Status.ERROR, message
    if code == "57014":
        if seconds >= limits.seconds:
            return Status.TIMEOUT, exceeded(limits)
        return Status.UNAVAILABLE, "cancelled"
    if message.startswith("invalid memory alloc request size"):
        return Status.TOO_LARGE, message
    if code.startswith(_UNAVAILABLE_CLASSES):
        return Status.UNAVAILABLE, message
    return _STATUS_BY_CODE.get(code, Status.ERROR), message


def _unreadable(error: Exception) -> bool:
    """True if the query succeeded and only Python cannot represent one of its values."""
    if isinstance(error, psycopg.DataError):
        return error.sqlstate is None
    return isinstance(error, UnicodeDecodeError)


# ---------------------------------------------------------------- the database


class PostgreSQLDatabase:
    """One database, or one schema of it, on a PostgreSQL server.

    Numerics are returned as Decimals, JSON and arrays as lists and dicts. Types that Python lacks
    (UUIDs, ranges, addresses, rows) are returned as text, and so are dates that Python cannot
    represent (infinity).

    Raises:
        InfrastructureError: the server cannot be reached or refuses the login.
    """

    dialect = "postgres"

    def __init__(self, server: ServerURL, db_id: str, describe: Describe) -> None:
        self.db_id = db_id
        self._server = server
        self._namespace = server.options.get("schema")
        self._describe = describe
        self._schema: Schema | None = None
        self._closed = False
        self._connection = self._connected()
        version = self._connection.info.parameter_status("server_version") or "?"
        self.engine = f"postgresql{version.split()[0]}"

    def _connected(self) -> psycopg.Connection[tuple[Any, ...]]:
        connection = _connect(self._server)
        try:
            self._prepare(connection)
        except psycopg.Error as error:
            connection.close()
            raise InfrastructureError(
                "SJ252", f"{self._server.quiet(error)}.", where=self._server.shown
            ) from None
        return connection

    def _prepare(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        for name in _AS_TEXT:
            connection.adapters.register_loader(name, TextLoader)
        settings = dict(_SETTINGS)
        if self._namespace is not None:
            settings["search_path"] = '"' + self._namespace.replace('"', '""') + '"'
            found = connection.execute(
                "SELECT FROM pg_namespace WHERE nspname = %s", [self._namespace]
            )
            if found.fetchone() is None:
                connection.close()
                raise _NoSuchSchemaError
        for name, value in settings.items():
            connection.execute("SELECT set_config(%s, %s, false)", [name, value])
        self._accepted = {
            name for name, value in _OPTIONAL_SETTINGS.items() if _set(connection, name, value)
        }
        kept = settings | {name: _OPTIONAL_SETTINGS[name] for name in sorted(self._accepted)}
        # A list of schemas in quotes is a list of names, not one text.
        self._session = [
            f"SET {name} = {value if name == 'search_path' else literal(value)}"
            for name, value in kept.items()
        ]

        def run(query: str) -> list[tuple[Any, ...]]:
            return connection.execute(query.encode()).fetchall()

        self._version = connection.info.server_version
        self._words = read_forbidden_words(run, self._version)
        self._privileged = bool(run(PRIVILEGED))
        ((self._work_mem,),) = run("SELECT pg_size_bytes(current_setting('work_mem'))")
        memory = BackendMemory(connection.info.backend_pid, _own_port(connection))
        self._memory = memory if memory.known() else None

    def execute(self, sql: str, limits: Limits) -> Execution:
        """Runs one statement; whatever the statement does, it raises nothing."""
        statement = admit(sql, "postgres")
        if isinstance(statement, Execution):
            return statement
        names = read_statement(statement, self._version)
        if isinstance(names, Execution):
            return names
        if forbidden := self._words.found_in(statement, names):
            return Execution(Status.REFUSED, None, f"not allowed: {forbidden}")
        try:
            return with_second_attempt(
                lambda within: self._attempt(statement, within),
                limits,
                lost=lambda: self._connection.closed and not self._closed,
            )
        finally:
            if self._words.stays(names):
                self._connection.close()  # the next statement opens another

    def _attempt(self, statement: str, limits: Limits) -> Execution:
        started = awake()
        seconds = None
        status, table, message = Status.OK, None, ""
        try:
            result, seconds = self._run(statement, limits)
            if isinstance(result, str):
                status, message = Status.TOO_LARGE, result
            else:
                table = result
        except InfrastructureError as error:
            status, message = Status.UNAVAILABLE, error.message
        except MemoryError as error:
            status, message = Status.OUT_OF_MEMORY, str(error)
        except TimeoutError:
            status, message = Status.TIMEOUT, exceeded(limits)
        except (psycopg.Error, ValueError) as error:
            status, message = _failure(error, awake() - started, limits)
        return Execution(status, table, message, awake() - started if seconds is None else seconds)

    def _run(self, statement: str, limits: Limits) -> tuple[ResultTable | str, float]:
        """The result, and the seconds that the statement itself took."""
        started = awake()
        try:
            return self._in_transaction(statement, limits)
        except (psycopg.DataError, UnicodeDecodeError) as error:
            if not _unreadable(error):
                raise
        rest = max(0.001, limits.seconds - (awake() - started))
        return self._in_transaction(statement, replace(limits, seconds=rest), tolerant=True)

    def _in_transaction(
        self, statement: str, limits: Limits, *, tolerant: bool = False
    ) -> tuple[ResultTable | str, float]:
        text = statement.encode()
        self._begin(limits)
        started = awake()
        try:
            with _memory_watched(self._connection, self._memory, limits.memory):
                return self._fetch(text, limits, tolerant), awake() - started
        finally:
            self._end()

    def _begin(self, limits: Limits) -> None:
        """Sends session settings, BEGIN READ ONLY and the limits in one message."""
        if self._connection.closed and not self._closed:
            self._connection = self._connected()
        milliseconds = max(1, math.ceil(limits.seconds * 1000))
        kilobytes = max(64, min(self._work_mem, limits.memory // 4) // 1024)
        words = [
            *self._session,
            "BEGIN READ ONLY",
            f"SET LOCAL statement_timeout = {milliseconds}",
            # A wait for other sessions is not the query's fault, so a limit of its own ends it.
            f"SET LOCAL lock_timeout = {max(1, milliseconds // 2)}",
            f"SET LOCAL work_mem = '{kilobytes}kB'",
        ]
        if "temp_file_limit" in self._accepted:
            words.append(f"SET LOCAL temp_file_limit = '{limits.memory // 1024}kB'")
        self._connection.execute("; ".join(words).encode())

    def _end(self) -> None:
        """Rolls back, and resets what would outlive the transaction: settings, locks, the random
        seed, …"""
        seed = random.uniform(-1, 1)
        try:
            self._connection.execute(f"ROLLBACK; SELECT setseed({seed:.9f})".encode())
            self._connection.execute("DISCARD ALL")
        except psycopg.Error:
            self._connection.close()  # the next statement opens another

    def _fetch(self, text: bytes, limits: Limits, tolerant: bool) -> ResultTable | str:
        with self._connection.cursor() as cursor:
            for name, loader in _TOLERANT.items() if tolerant else ():
                cursor.adapters.register_loader(name, loader)
            size = CHUNK if capabilities.has_stream_chunked() else 1
            with closing(cursor.stream(text, size=size)) as rows:  # type: ignore[type-var]
                first = next(rows, None)
                if first is None:
                    return ResultTable(self._columns(text), [])
                columns = tuple([column.name for column in cursor.description or ()])
                every = chain((first,), rows)
                trickle = DeadlineRows(lambda size: list(islice(every, size)), limits.seconds)
                return fetch_limited(trickle, columns, limits)

    def _columns(self, text: bytes) -> tuple[str, ...]:
        """The column names; a stream without rows does not have them."""
        connection = self._connection.pgconn
        connection.prepare(b"", text)
        described = connection.describe_prepared(b"")
        return tuple((described.fname(i) or b"").decode() for i in range(described.nfields))

    def _read(self, query: str) -> list[tuple[Any, ...]]:
        """Runs one of our own queries."""
        self._begin(Limits(seconds=_OWN_SECONDS))
        try:
            return self._connection.execute(query.encode()).fetchall()
        finally:
            with suppress(psycopg.Error):
                self._connection.execute("ROLLBACK")

    def schema(self) -> Schema:
        """Tables and views by name, with comments as descriptions; read once.

        Raises:
            InfrastructureError: the server fails.
        """
        if self._schema is None:
            try:
                self._schema = self._describe(read_schema(self._read, self._namespace))
            except psycopg.Error as error:
                raise self._failed(error) from None
        return self._schema

    def fingerprint(self) -> str:
        """Hash of server version, columns, row counts, and the contents of small tables.

        Of tables with more than 100,000 rows only the number of rows is used; of those that cannot
        be counted in a minute, the size on disk.

        Raises:
            InfrastructureError: the server fails.
        """
        digest = hashlib.sha256(f"{self.engine}\0{self.schema()}".encode())
        try:
            for relation in read_relations(self._read, self._namespace):
                if relation.kind in "rp":
                    digest.update(f"\0{relation.name}\0{self._contents(relation.quoted)}".encode())
        except psycopg.Error as error:
            raise self._failed(error) from None
        return digest.hexdigest()

    def _contents(self, table: str) -> str:
        try:
            ((rows,),) = self._read(f"SELECT count(*) FROM {table}")
            if rows > _HASHED_ROWS:
                return str(rows)
            ((hashed,),) = self._read(f"SELECT sum(hashtextextended(t::text, 0)) FROM {table} AS t")
            return f"{rows} {hashed}"
        except psycopg.errors.QueryCanceled:
            return str(self._read(f"SELECT pg_table_size({literal(table)}::regclass)"))
        except psycopg.errors.InsufficientPrivilege:
            return "closed to this role"

    def _failed(self, error: Exception) -> InfrastructureError:
        return InfrastructureError(
            "SJ252", f"{self._server.quiet(error)}.", where=self._server.shown
        )

    def warnings(self) -> list[str]:
        """Warnings for the owner of the server, shown by `sqljury doctor`."""
        found = []
        if self._privileged:
            found.append(
                f"the role {self._connection.info.user!r} may do more than read: use one that is "
                "no superuser and has only SELECT on the tables of this database"
            )
        if self._memory is None:
            found.append(
                "the server's processes cannot be seen from here: the memory of one query is "
                "bounded by work_mem and temp_file_limit only, not as a whole"
            )
        if "client_connection_check_interval" not in self._accepted:
            found.append(
                "this server does not notice when sqljury is killed: a query then runs on until "
                "its time is up (PostgreSQL 14 and later on Linux notice)"
            )
        return found

    def trials(self) -> list[Tried]:
        """What this role may do beyond reading, each tried; every change is undone.

        Raises:
            InfrastructureError: the server fails.
        """
        relations = read_relations(self._read, self._namespace)
        tables = [relation.quoted for relation in relations if relation.kind in "rp"]
        with closing(_connect(self._server)) as one, closing(_connect(self._server)) as other:
            ((role, database),) = one.execute(
                "SELECT quote_ident(current_user), quote_ident(current_database())"
            ).fetchall()
            known = postgresql_trials(
                role, database, tables[:_TRIED_TABLES], other.info.backend_pid
            )
            return tried(known, lambda sql: _succeeds(one, sql))

    def close(self) -> None:
        """Closes the connection; a statement that still runs is cancelled."""
        self._closed = True
        connection = self._connection
        if connection.pgconn.transaction_status == TransactionStatus.ACTIVE:
            with suppress(psycopg.Error):
                connection.cancel_safe(timeout=_CANCEL_SECONDS)
        # Another thread has the lock while it reads from the connection.
        locked = connection.lock.acquire(timeout=_CANCEL_SECONDS)
        try:
            connection.close()
        finally:
            if locked:
                connection.lock.release()


@contextmanager
def _memory_watched(
    connection: psycopg.Connection[tuple[Any, ...]], memory: BackendMemory | None, limit: int
) -> Iterator[None]:
    """Cancels a statement whose server process takes more memory than the limit.

    Raises:
        MemoryError: at the end of the block, if it was cancelled.
    """
    if memory is None:
        yield
        return
    too_much = False

    def look() -> None:
        nonlocal too_much
        if memory.held() > limit:
            too_much = True
            with suppress(psycopg.Error):
                connection.cancel_safe(timeout=_CANCEL_SECONDS)

    token = WATCHDOG.watch(_MEMORY_CHECK_SECONDS, look)
    try:
        yield
    finally:
        WATCHDOG.release(token)
        if too_much:
            # A late cancel could hit the next statement, so this session ends.
            connection.close()
            raise MemoryError(f"needs more than {limit} bytes of memory")


def _succeeds(connection: psycopg.Connection[tuple[Any, ...]], sql: str) -> bool:
    connection.execute("BEGIN")
    try:
        cursor = connection.execute(sql.encode())
        return cursor.description is None or cursor.fetchone() is not None
    except psycopg.Error:
        return False
    finally:
        connection.execute("ROLLBACK")


def _own_port(connection: psycopg.Connection[tuple[Any, ...]]) -> int | None:
    """Our port of the connection; None for a Unix socket."""
    with socket.socket(fileno=os.dup(connection.fileno())) as end:
        name = end.getsockname()
    return name[1] if isinstance(name, tuple) else None


def _set(connection: psycopg.Connection[tuple[Any, ...]], name: str, value: str) -> bool:
    try:
        connection.execute("SELECT set_config(%s, %s, false)", [name, value])
    except psycopg.Error:
        return False
    return True
