"""What databases on servers share: a URL with a password, a connection that may be lost."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from sqljury.databases.limits import awake
from sqljury.errors import InputError
from sqljury.execution import Execution, Limits, Status

PLACE = "{db_id}"
CHUNK = 16
"""Rows received in one chunk."""

_NETLOC = re.compile(
    r"(?:(?P<user>[^:@]*)(?::(?P<password>[^@]*))?@)?"
    r"(?P<host>\[[^\]]*\]|[^:@]*)(?::(?P<port>\d*))?"
)


@dataclass(frozen=True)
class ServerURL:
    """``scheme://user:password@host:port/database?option=value``, percent-decoded."""

    scheme: str
    user: str
    password: str = field(repr=False)
    host: str
    port: int | None
    database: str
    options: dict[str, str] = field(repr=False)

    @property
    def shown(self) -> str:
        """The URL for display: without password and options, because an option may be a secret."""
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        return f"{self.scheme}://{user}{self.host}{port}/{self.database}"

    def quiet(self, text: object) -> str:
        """A driver's message on one line, without the password and the final full stop."""
        words = " ".join(str(text).split())
        for secret in (self.password, quote(self.password, safe="")):
            words = words.replace(secret, "***") if secret else words
        return words.rstrip(".")


def parse_url(url: str) -> ServerURL:
    """The parts of a server's URL.

    Raises:
        InputError: it is not a URL; the message does not repeat it, since it may contain a
            password.
    """
    parts = urlsplit(url)
    match = _NETLOC.fullmatch(parts.netloc)
    # An unescaped / ? # in a password ends the host part early, and its rest is in the path.
    if match is None or parts.fragment or "@" in parts.path:
        raise InputError(
            "SJ251",
            f"not the URL of a server: {parts.scheme}://…",
            hint="Write scheme://user:password@host:port/{db_id}; in a password, / ? # @ "
            "are written %2F %3F %23 %40.",
        )
    return ServerURL(
        scheme=parts.scheme,
        user=unquote(match["user"] or ""),
        password=unquote(match["password"] or ""),
        host=unquote(match["host"].strip("[]")),
        port=int(match["port"]) if match["port"] else None,
        database=unquote(parts.path.removeprefix("/")),
        options=dict(parse_qsl(parts.query, keep_blank_values=True)),
    )


def ids_in(names: Iterable[str], template: str) -> tuple[str, ...]:
    """The part of each name that matches ``{db_id}`` in a template such as ``spider_{db_id}``,
    sorted."""
    before, _, after = template.partition(PLACE)
    pattern = re.compile(f"{re.escape(before)}(.+){re.escape(after)}", re.DOTALL)
    return tuple(sorted(match[1] for name in names if (match := pattern.fullmatch(name))))


class DeadlineRows:
    """Fetches rows in small chunks until a deadline.

    The chunks are small because each is in memory before it can be measured. Even if the server has
    stopped the query, half a million rows may still be on their way, so the clock is checked at
    each chunk.

    Raises:
        TimeoutError: raised by ``fetchmany`` when the deadline has passed.
    """

    __slots__ = ("_deadline", "_fetchmany")

    def __init__(
        self, fetchmany: Callable[[int], Sequence[tuple[Any, ...]]], seconds: float
    ) -> None:
        self._fetchmany = fetchmany
        self._deadline = awake() + seconds

    def fetchmany(self, size: int, /) -> Sequence[tuple[Any, ...]]:
        """Returns up to ``size`` further rows, at most :data:`CHUNK`."""
        if awake() > self._deadline:
            raise TimeoutError
        return self._fetchmany(min(size, CHUNK))


_AT_ONCE = 0.1
"""If an attempt fails within this many seconds, the connection was lost before it began."""


def with_second_attempt(
    attempt: Callable[[Limits], Execution], limits: Limits, lost: Callable[[], bool]
) -> Execution:
    """The execution; repeated once in the remaining time if the connection was lost."""
    first = attempt(limits)
    # A connection lost earlier, e.g. by the end of another statement, fails immediately.
    before = first.seconds < _AT_ONCE
    rest = limits.seconds - (0.0 if before else first.seconds)
    if first.status is not Status.UNAVAILABLE or rest <= 0 or not lost():
        return first
    second = attempt(replace(limits, seconds=rest))
    if second.status is Status.TIMEOUT and not before:
        # It had less than its full time: report the lost connection, not a timeout.
        return replace(first, seconds=first.seconds + second.seconds)
    return second


# ------------------------------------------------------------
# Memory of one session of a server on this machine, read from ``/proc``.
#
# PostgreSQL has no limit on what one statement allocates, and other sessions cannot ask how much it
# did. If the server is on this machine, the operating system knows.

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class BackendMemory:
    """The memory of one server process, while it serves our connection.

    Args:
        pid: the process id, as the server reports it.
        port: our port of the connection, None for a Unix socket. A server in a container numbers
            processes in its own way; the title of the process shows whether the id is right here.
    """

    def __init__(self, pid: int, port: int | None) -> None:
        self._folder = Path(f"/proc/{pid}")
        self._peer = f"({port})" if port else "[local]"

    def known(self) -> bool:
        """True if the process is visible and serves our connection."""
        title = self._text("cmdline")
        return title.startswith("postgres") and self._peer in title and self.held() > 0

    def held(self) -> int:
        """Bytes of its own memory (without what all sessions share); 0 if it has ended."""
        pages = self._text("statm").split()
        return (int(pages[1]) - int(pages[2])) * _PAGE if len(pages) > 2 else 0

    def _text(self, name: str) -> str:
        try:
            return (self._folder / name).read_text(errors="replace").replace("\0", " ")
        except OSError:
            return ""


# ------------------------------------------------------------
# Find out what a login may do beyond reading, by trying it; every trial is undone or harmless.


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that a login should not be able to do.

    Args:
        does: what it would do; continues the sentence "can …".
        sql: the statement, run in a transaction that is rolled back, or without effect. It succeeds
            if the server does not refuse it and, if it returns a table, the table has a row.
        remedy: what the server's administrator runs to prevent it.
    """

    does: str
    sql: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Tried:
    """A trial, and True if the login could do it."""

    trial: Trial
    succeeded: bool


def tried(trials: Sequence[Trial], succeeds: Callable[[str], bool]) -> list[Tried]:
    """Runs each trial.

    Args:
        succeeds: runs a statement, undoes it, and returns True if the server allowed it.
    """
    return [Tried(trial, succeeds(trial.sql)) for trial in trials]


_FILES = "REVOKE pg_read_server_files, pg_write_server_files FROM {role};"
_SIGNALS = (
    "REVOKE EXECUTE ON FUNCTION pg_terminate_backend, pg_cancel_backend FROM PUBLIC; "
    "(in each database)"
)
_TEXTS = (
    "REVOKE EXECUTE ON FUNCTION query_to_xml, query_to_xmlschema, query_to_xml_and_xmlschema, "
    "table_to_xml, schema_to_xml, database_to_xml, ts_stat(text), ts_rewrite(tsquery, text) "
    "FROM PUBLIC; (in each database)"
)
_POSTGRESQL = (
    (
        "create a table",
        "CREATE TABLE sqljury_trial ()",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC, {role};",
    ),
    (
        "create a schema",
        "CREATE SCHEMA sqljury_trial",
        "REVOKE CREATE ON DATABASE {database} FROM PUBLIC, {role};",
    ),
    ("create a role", "CREATE ROLE sqljury_trial", "ALTER ROLE {role} NOCREATEROLE NOSUPERUSER;"),
    (
        "read the hashes of passwords",
        "SELECT rolpassword FROM pg_authid LIMIT 1",
        "REVOKE pg_read_all_data FROM {role}; ALTER ROLE {role} NOSUPERUSER;",
    ),
    (
        "read the passwords of foreign servers",
        "SELECT umoptions FROM pg_user_mapping LIMIT 1",
        "REVOKE pg_read_all_data FROM {role}; ALTER ROLE {role} NOSUPERUSER;",
    ),
    ("list the server's files", "SELECT pg_ls_dir('.') LIMIT 1", _FILES),
    ("read the server's files", "SELECT pg_read_file('PG_VERSION')", _FILES),
    (
        "write the server's files or run its programs",
        "DO $$ BEGIN IF NOT (SELECT rolsuper OR pg_has_role('pg_write_server_files', 'MEMBER') "
        "OR pg_has_role('pg_execute_server_program', 'MEMBER') FROM pg_roles "
        "WHERE rolname = current_user) THEN RAISE 'no'; END IF; END $$",
        "REVOKE pg_write_server_files, pg_execute_server_program FROM {role};",
    ),
    ("end sessions of its own role", "SELECT pg_terminate_backend({other})", _SIGNALS),
    (
        "end sessions of other roles",
        "DO $$ BEGIN IF NOT (SELECT rolsuper OR pg_has_role('pg_signal_backend', 'MEMBER') "
        "FROM pg_roles WHERE rolname = current_user) THEN RAISE 'no'; END IF; END $$",
        "REVOKE pg_signal_backend FROM {role}; ALTER ROLE {role} NOSUPERUSER;",
    ),
    ("run a text as a query", "SELECT query_to_xml('select 1', true, false, '')", _TEXTS),
    (
        "hold a lock beyond its transaction",
        "SELECT pg_try_advisory_xact_lock(7164253817)",
        "REVOKE EXECUTE ON FUNCTION pg_advisory_lock(bigint), pg_try_advisory_lock(bigint), "
        "pg_try_advisory_xact_lock(bigint) FROM PUBLIC; (in each database)",
    ),
)


def postgresql_trials(role: str, database: str, tables: Sequence[str], other: int) -> list[Trial]:
    """The trials for PostgreSQL.

    Args:
        role: the login, as a quoted identifier.
        database: a quoted identifier.
        tables: quoted; EXPLAIN of a write needs the right to write, but writes nothing.
        other: the process id of another session of ours, which the trial may end.
    """
    written = [
        Trial(
            f"write to {table}",
            f"EXPLAIN DELETE FROM {table}",
            f"REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON {table} FROM PUBLIC, {role};",
        )
        for table in tables
    ]
    # Replace one key after another, because a role's name may itself contain braces.
    known = {"{role}": role, "{database}": database, "{other}": str(other)}
    return [*written, *(Trial(*(_filled(text, known) for text in one)) for one in _POSTGRESQL)]


_MYSQL = (
    (
        "create a table for its session",
        "CREATE TEMPORARY TABLE sqljury_trial (i int)",
        "REVOKE CREATE TEMPORARY TABLES ON {database}.* FROM {role};",
    ),
    (
        "read the hashes of passwords",
        "SELECT 1 FROM mysql.user LIMIT 1",
        "REVOKE SELECT ON mysql.* FROM {role}; (or the global SELECT)",
    ),
    (
        "see what others run",
        "SELECT 1 FROM information_schema.processlist "
        "WHERE user <> substring_index(current_user(), '@', 1) LIMIT 1",
        "REVOKE PROCESS ON *.* FROM {role};",
    ),
    (
        "change a setting of the server",
        "SET GLOBAL max_connect_errors = @@global.max_connect_errors",
        "REVOKE SUPER ON *.* FROM {role};",
    ),
    (
        "read the server's files",
        "SELECT 1 INTO OUTFILE '/'",
        "REVOKE FILE ON *.* FROM {role};",
    ),
)


def mysql_trials(role: str, database: str, tables: Sequence[str]) -> list[Trial]:
    """The trials for MySQL and MariaDB; arguments as for :func:`postgresql_trials`."""
    written = [
        Trial(
            f"write to {table}",
            f"EXPLAIN DELETE FROM {table}",
            f"REVOKE INSERT, UPDATE, DELETE ON {database}.* FROM {role};",
        )
        for table in tables
    ]
    known = {"{role}": role, "{database}": database}
    return [*written, *(Trial(*(_filled(text, known) for text in one)) for one in _MYSQL)]


def _filled(text: str, known: dict[str, str]) -> str:
    for place, value in known.items():
        text = text.replace(place, value)
    return text
