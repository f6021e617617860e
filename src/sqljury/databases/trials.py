"""What a login may do beyond reading, found by trying it; every trial is undone or does nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final


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


_FILES: Final = "REVOKE pg_read_server_files, pg_write_server_files FROM {role};"
_SIGNALS: Final = (
    "REVOKE EXECUTE ON FUNCTION pg_terminate_backend, pg_cancel_backend FROM PUBLIC; "
    "(in each database)"
)
_TEXTS: Final = (
    "REVOKE EXECUTE ON FUNCTION query_to_xml, query_to_xmlschema, query_to_xml_and_xmlschema, "
    "table_to_xml, schema_to_xml, database_to_xml, ts_stat(text), ts_rewrite(tsquery, text) "
    "FROM PUBLIC; (in each database)"
)
_POSTGRESQL: Final = (
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


_MYSQL: Final = (
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
