"""What databases on servers have in common: a URL with a password, a connection that breaks."""

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
"""Rows received at a time."""

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
        """The URL for people: without the password and without options, which may hold one."""
        user = f"{self.user}@" if self.user else ""
        port = f":{self.port}" if self.port else ""
        return f"{self.scheme}://{user}{self.host}{port}/{self.database}"

    def quiet(self, text: object) -> str:
        """A driver's words on one line, without the password and the full stop."""
        words = " ".join(str(text).split())
        for secret in (self.password, quote(self.password, safe="")):
            words = words.replace(secret, "***") if secret else words
        return words.rstrip(".")


def parse_url(url: str) -> ServerURL:
    """The parts of a server's URL.

    Raises:
        InputError: it is none; the text is not repeated, since a password may be in it.
    """
    parts = urlsplit(url)
    match = _NETLOC.fullmatch(parts.netloc)
    # A password with an unescaped / ? # ends the host's part early, and its rest stands here.
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
    """What stands for ``{db_id}`` in each name that fits ``spider_{db_id}``, sorted."""
    before, _, after = template.partition(PLACE)
    pattern = re.compile(f"{re.escape(before)}(.+){re.escape(after)}", re.DOTALL)
    return tuple(sorted(match[1] for name in names if (match := pattern.fullmatch(name))))


class DeadlineRows:
    """Rows in small chunks, while there is time.

    Small, because a chunk is all that is held before it is measured. The server may have stopped
    already, and still half a million rows be on their way to us: so we look at the clock, too.

    Raises:
        TimeoutError: from ``fetchmany``, when the deadline has passed.
    """

    __slots__ = ("_deadline", "_fetchmany")

    def __init__(
        self, fetchmany: Callable[[int], Sequence[tuple[Any, ...]]], seconds: float
    ) -> None:
        self._fetchmany = fetchmany
        self._deadline = awake() + seconds

    def fetchmany(self, size: int, /) -> Sequence[tuple[Any, ...]]:
        """Up to ``size`` further rows, and at most :data:`CHUNK`."""
        if awake() > self._deadline:
            raise TimeoutError
        return self._fetchmany(min(size, CHUNK))


_AT_ONCE = 0.1
"""Seconds in which a connection that is lost already is found to be."""


def with_second_attempt(
    attempt: Callable[[Limits], Execution], limits: Limits, lost: Callable[[], bool]
) -> Execution:
    """The execution, tried again in what is left of its time if the connection was lost."""
    first = attempt(limits)
    # One that was lost before, such as by the end of another statement, shows at once.
    before = first.seconds < _AT_ONCE
    rest = limits.seconds - (0.0 if before else first.seconds)
    if first.status is not Status.UNAVAILABLE or rest <= 0 or not lost():
        return first
    second = attempt(replace(limits, seconds=rest))
    if second.status is Status.TIMEOUT and not before:
        # It had less time than it may take: the lost connection is to blame.
        return replace(first, seconds=first.seconds + second.seconds)
    return second


# ------------------------------------------------------------
# What one session of a server on this machine holds in memory, read from ``/proc``.
#
# PostgreSQL has no limit on what one statement allocates, and no way to ask from outside how much
# it did. Where the server runs beside us, the system knows.

_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class BackendMemory:
    """The memory of one server process, as long as it is the one we talk to.

    Args:
        pid: what the server says.
        port: our own end of the connection, None on a Unix socket. A server in a container
            counts processes in its own way; its title tells whether the number is right.
    """

    def __init__(self, pid: int, port: int | None) -> None:
        self._folder = Path(f"/proc/{pid}")
        self._peer = f"({port})" if port else "[local]"

    def known(self) -> bool:
        """Whether the process can be seen, and is the one meant."""
        title = self._text("cmdline")
        return title.startswith("postgres") and self._peer in title and self.held() > 0

    def held(self) -> int:
        """Bytes of its own (without the memory that all sessions share); 0 where it is gone."""
        pages = self._text("statm").split()
        return (int(pages[1]) - int(pages[2])) * _PAGE if len(pages) > 2 else 0

    def _text(self, name: str) -> str:
        try:
            return (self._folder / name).read_text(errors="replace").replace("\0", " ")
        except OSError:
            return ""


# ------------------------------------------------------------
# What a login may do beyond reading, found by trying it; every trial is undone or does nothing.


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that a login should not be able to do.

    Args:
        does: what it would do, as "can …" goes on.
        sql: tried in a transaction that is rolled back, or of no consequence. It succeeds where
            the server does not refuse it and, if it gives a table, gives a row.
        remedy: what closes it, as the server's administrator runs it.
    """

    does: str
    sql: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Tried:
    """A trial, and whether the login could do it."""

    trial: Trial
    succeeded: bool


def tried(trials: Sequence[Trial], succeeds: Callable[[str], bool]) -> list[Tried]:
    """Try each.

    Args:
        succeeds: runs a statement, undoes it, and tells whether the server allowed it.
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
    """For PostgreSQL.

    Args:
        role: the login, quoted.
        database: quoted.
        tables: quoted; EXPLAIN asks for the right to write to them, and writes nothing.
        other: the process of another session of ours, which may be ended.
    """
    written = [
        Trial(
            f"write to {table}",
            f"EXPLAIN DELETE FROM {table}",
            f"REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON {table} FROM PUBLIC, {role};",
        )
        for table in tables
    ]
    # One after another, since what is said of the role may stand in braces.
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
    """For MySQL and MariaDB; the arguments as for :func:`postgresql_trials`."""
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
