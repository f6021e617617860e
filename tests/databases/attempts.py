"""Attempts on every engine as every kind of login, and whether anything came of them.

The statements are data: ``attempts/ENGINE.sql``, one a line, ``⏎`` for the end of a line. They are
written for the databases made here. Run as a program, it prints how the attempts end, by class:

    python tests/databases/attempts.py [ENGINE …]
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from servers import MySQL, PostgreSQL, Server

from sqljury.databases import Database, open_databases
from sqljury.execution import Execution, Limits, Status

LIMITS = Limits(seconds=0.5, rows=100_000, bytes=64 * 1024 * 1024)
AT_LEISURE = replace(LIMITS, seconds=30)
"""For what is not about time: a busy machine is no fault."""
SECRETS = ("hush-hush", "SCRAM-SHA-256$", "*94BDCEBE19083CE2A1F959FD02F964C7AF4CFC29")
"""What no result may hold: a password, its hash on PostgreSQL, its hash (of 'test') on MariaDB."""

ENGINES = ("sqlite", "duckdb", "postgresql", "mysql")
LOGINS = {"sqlite": ("",), "duckdb": ("",), "postgresql": ("super", "plain")}
LOGINS["mysql"] = LOGINS["postgresql"]


@dataclass(frozen=True)
class Attempt:
    """One statement, what it tries, and the statuses in which it may end."""

    kind: str
    sql: str
    statuses: frozenset[Status]


def read_attempts(engine: str) -> list[Attempt]:
    """All of one engine's file."""
    found = []
    for line in (Path(__file__).parent / "attempts" / f"{engine}.sql").read_text().splitlines():
        if head := re.fullmatch(r"-- class: (.*); expect: (.*)", line):
            kind, statuses = head[1], frozenset(map(Status, head[2].split(", ")))
        else:
            found.append(Attempt(kind, line.replace("⏎", "\n"), statuses))
    return found


# ---------------------------------------------------------------- databases

_T = "CREATE TABLE t (id integer PRIMARY KEY, name varchar(100))"
_INSERT = "INSERT INTO t VALUES " + ", ".join(f"({i}, 'n{i}')" for i in range(1000))
_EXECUTE = "LANGUAGE plpgsql AS $$ DECLARE r text; BEGIN EXECUTE q INTO r; RETURN r; END $$"

POSTGRESQL = (
    _T,
    _INSERT,
    "ANALYZE",
    "CREATE SEQUENCE s",
    "SELECT lo_from_bytea(4711, 'large')",
    "CREATE SCHEMA other CREATE TABLE hidden (secret text)",
    "INSERT INTO other.hidden VALUES ('hush-hush')",
    "CREATE FOREIGN DATA WRAPPER w",
    "CREATE SERVER far FOREIGN DATA WRAPPER w",
    "CREATE USER MAPPING FOR PUBLIC SERVER far OPTIONS (password 'hush-hush')",
    "CREATE FUNCTION erase() RETURNS int LANGUAGE sql AS 'DELETE FROM t RETURNING 1'",
    "CREATE FUNCTION erase_quietly() RETURNS int LANGUAGE plpgsql AS $$ BEGIN "
    "BEGIN DELETE FROM t; EXCEPTION WHEN OTHERS THEN RETURN 0; END; RETURN 1; END $$",
    f"CREATE FUNCTION run_text(q text) RETURNS text {_EXECUTE}",
    "CREATE FUNCTION calls_run_text(q text) RETURNS text LANGUAGE sql AS 'SELECT run_text(q)'",
    f"CREATE FUNCTION run_text_of_two(q text, n int) RETURNS text {_EXECUTE}",
    "CREATE OPERATOR ### (FUNCTION = run_text_of_two, LEFTARG = text, RIGHTARG = int)",
    "CREATE OPERATOR ### (FUNCTION = pg_cancel_backend, RIGHTARG = int)",
    f"CREATE FUNCTION run_state(s text, q text) RETURNS text {_EXECUTE}",
    "CREATE AGGREGATE run_all(text) (SFUNC = run_state, STYPE = text)",
    "CREATE DOMAIN checked AS text CHECK (run_text(VALUE) IS NOT NULL)",
    "CREATE TYPE pair AS (a text, b int)",
    "CREATE TYPE wrapped AS (a text)",
    "CREATE FUNCTION wrap(p pair) RETURNS wrapped LANGUAGE plpgsql AS "
    "$$ BEGIN EXECUTE p.a; RETURN ROW(p.a)::wrapped; END $$",
    "CREATE CAST (pair AS wrapped) WITH FUNCTION wrap(pair)",
    "CREATE FUNCTION run_pair(p pair) RETURNS text LANGUAGE plpgsql AS "
    "$$ BEGIN EXECUTE p.a; RETURN p.a; END $$",
    "CREATE FUNCTION innocent(int) RETURNS bool LANGUAGE internal AS 'pg_cancel_backend'",
    f'CREATE FUNCTION "Odd ""Name"""(q text) RETURNS text {_EXECUTE}',
    "CREATE FUNCTION atomic_one(i int) RETURNS bool BEGIN ATOMIC SELECT pg_cancel_backend(i); END",
    "CREATE FUNCTION for_others() RETURNS text LANGUAGE sql SECURITY DEFINER AS "
    "'SELECT secret FROM other.hidden'",
    "CREATE FUNCTION other.for_others() RETURNS text LANGUAGE sql SECURITY DEFINER AS "
    "'SELECT secret FROM other.hidden'",
    "CREATE FUNCTION secret_of(int) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS "
    "$$ BEGIN RETURN (SELECT secret FROM other.hidden); END $$",
    "CREATE FUNCTION double(i int) RETURNS int LANGUAGE sql AS 'SELECT 2 * i'",
    "CREATE FUNCTION initial(s text) RETURNS text LANGUAGE plpgsql AS "
    "$$ BEGIN RETURN left(s, 1); END $$",
    "CREATE OPERATOR ~+ (FUNCTION = double, RIGHTARG = int)",
    "CREATE AGGREGATE product(int) (SFUNC = int4mul, STYPE = int, INITCOND = '1')",
    "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
    "CREATE FUNCTION export_it() RETURNS int LANGUAGE plpgsql AS "
    "$$ BEGIN COPY t TO '/tmp/stolen.csv'; RETURN 1; END $$",
    "CREATE FUNCTION export_sql() RETURNS int LANGUAGE sql AS "
    "$$ COPY t TO '/tmp/stolen.csv'; SELECT 1 $$",
    "CREATE FUNCTION checkpoint_it() RETURNS int LANGUAGE plpgsql AS "
    "$$ BEGIN CHECKPOINT; RETURN 1; END $$",
    "CREATE PROCEDURE export_now() LANGUAGE plpgsql AS $$ BEGIN COPY t TO '/tmp/stolen.csv'; END $$",
    "CREATE FUNCTION calls_export() RETURNS int LANGUAGE plpgsql AS "
    "$$ BEGIN CALL export_now(); RETURN 1; END $$",
)
_EXTENSIONS = ("dblink", "tablefunc", "xml2", "pg_trgm", "hstore", "pgcrypto", "pg_prewarm")

MYSQL = (
    _T,
    _INSERT,
    "CREATE TABLE m (id integer) ENGINE = MyISAM",
    "CREATE TABLE a (id integer) ENGINE = Aria",
    "CREATE SEQUENCE s",
    "CREATE FUNCTION erase() RETURNS int DETERMINISTIC BEGIN DELETE FROM t; RETURN 1; END",
    "CREATE PROCEDURE do_erase() DELETE FROM t",
    "CREATE FUNCTION fill() RETURNS int DETERMINISTIC "
    "BEGIN INSERT INTO m VALUES (1); RETURN 1; END",
    "CREATE FUNCTION fill_aria() RETURNS int DETERMINISTIC "
    "BEGIN INSERT INTO a VALUES (1); RETURN 1; END",
    "CREATE FUNCTION open_up() RETURNS int DETERMINISTIC BEGIN "
    "SET SESSION tx_read_only = 0; DELETE FROM t; RETURN 1; END",
    "CREATE FUNCTION take_lock() RETURNS int RETURN get_lock('a', 0)",
    "CREATE FUNCTION calls_take_lock() RETURNS int RETURN take_lock()",
    "CREATE FUNCTION change_setting() RETURNS int BEGIN "
    "SET GLOBAL max_connect_errors = @@global.max_connect_errors; RETURN 1; END",
    "CREATE FUNCTION secret_of(i int) RETURNS int RETURN i",
    "CREATE FUNCTION twice(i int) RETURNS int DETERMINISTIC SQL SECURITY INVOKER RETURN 2 * i",
    "CREATE PROCEDURE lock_now() BEGIN DECLARE x int; SELECT get_lock('a', 0) INTO x; END",
    "CREATE FUNCTION via_procedure() RETURNS int BEGIN CALL lock_now(); RETURN 1; END",
)

DUCKDB = (
    _T,
    _INSERT,
    "CREATE SEQUENCE s",
    "CREATE MACRO run_text(x) AS TABLE SELECT * FROM query(x)",
    "CREATE MACRO calls_run_text(x) AS TABLE SELECT * FROM run_text(x)",
    "CREATE MACRO seeds(x) AS setseed(x)",
    "CREATE MACRO twice(x) AS 2 * x",
)

# ---------------------------------------------------------------- facts

_POSTGRESQL_FACTS = (
    "SELECT md5(string_agg(t::text, ',' ORDER BY id)) FROM t",
    "SELECT last_value, is_called FROM s",
    "SELECT loid, data FROM pg_largeobject ORDER BY 1",
    "SELECT oid, relname, relkind FROM pg_class WHERE oid > 16000 AND relname !~ 'pg_t' ORDER BY 1",
    "SELECT oid, proname FROM pg_proc WHERE oid > 16000 ORDER BY 1",
    "SELECT rolname, rolsuper, rolpassword FROM pg_authid "
    "WHERE rolname LIKE current_database() || '%' ORDER BY 1",
    "SELECT setdatabase, setrole, setconfig FROM pg_db_role_setting "
    "WHERE setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database())) "
    "ORDER BY 1, 2",
    "SELECT name, setting FROM pg_settings WHERE source = 'configuration file' ORDER BY 1",
    "SELECT slot_name FROM pg_replication_slots",
    "SELECT roname FROM pg_replication_origin",
    "SELECT objid FROM pg_locks WHERE locktype = 'advisory' "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    "SELECT count(*) FROM pg_locks WHERE locktype = 'relation' AND relation = 't'::regclass",
    "SELECT name FROM pg_ls_dir('.') AS name WHERE name NOT LIKE 'pg_internal%' ORDER BY 1",
    "SELECT name FROM pg_ls_dir('pg_snapshots') AS name",
    "SELECT name FROM pg_ls_dir('/tmp') AS name WHERE name LIKE '%stolen%'",
)
_MYSQL_FACTS = (
    "CHECKSUM TABLE t, m, a",
    "SELECT next_not_cached_value FROM s",
    "SELECT table_name, table_type FROM information_schema.tables "
    "WHERE table_schema = database() ORDER BY 1",
    "SELECT user, host, authentication_string FROM mysql.user "
    "WHERE user LIKE concat(database(), '%') ORDER BY 1, 2",
    "SELECT @@global.max_statement_time, @@global.sql_mode, @@global.read_only",
    "SELECT is_used_lock('a')",
    "SELECT load_file('/tmp/stolen.csv')",
    "UPDATE t SET name = name WHERE id = 1",  # waits where a lock is left
)


@dataclass
class Target:
    """A database as one login, with a way to look at all that a statement could change."""

    database: Database
    facts: Callable[[], object]
    url: str

    def harm(self, execution: Execution, before: object) -> str:
        """What came of an attempt: words, or nothing."""
        if reads_secret(execution):
            return "a secret is read"
        if self.facts() != before:
            return "something has changed"
        return ""


def reads_secret(execution: Execution) -> bool:
    """Whether a result holds one of :data:`SECRETS`."""
    rows = repr(execution.table.rows) if execution.table is not None else ""
    return any(secret in rows for secret in SECRETS)


def make_files(engine: str, folder: Path) -> Path:
    """A database of one of the engines that need no server."""
    path = folder / f"t.{engine}"
    if engine == "sqlite":
        connection: Any = sqlite3.connect(path)
        statements: Sequence[str] = (_T, _INSERT)
    else:
        import duckdb

        connection, statements = duckdb.connect(str(path)), DUCKDB
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


def file_target(path: Path) -> Target:
    """A database file; what counts is every byte in its folder."""

    def facts() -> object:
        files = sorted(path.parent.iterdir())
        return [(file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in files]

    database = open_databases(path).open(path.stem)
    assert database is not None
    return Target(database, facts, str(path))


def make_server(engine: str, server: Server) -> tuple[str, str]:
    """A database on a server and a login that may only read: their names."""
    if engine == "postgresql":
        name = server.create(*POSTGRESQL)
        for extension in _EXTENSIONS:
            with suppress(Exception):  # the server may not have it
                server.run(f"CREATE EXTENSION {extension}", database=name)
        user = f"{name}_plain"
        server.run(f"CREATE ROLE {user} LOGIN PASSWORD 'hush-hush'", database=name)
        server.run(f"GRANT pg_read_all_data TO {user}")
    else:
        name = server.create(*MYSQL)
        user = f"{name}_plain"  # 32 characters, as many as may be
        server.run(f"CREATE USER {user}@'%' IDENTIFIED BY 'test'")
        server.run(f"GRANT SELECT, SHOW VIEW, EXECUTE ON {name}.* TO {user}@'%'")
    return name, user


def drop_login(engine: str, server: Server, user: str) -> None:
    """Undo the login's part of :func:`make_server`."""
    server.run(f"DROP ROLE {user}" if engine == "postgresql" else f"DROP USER {user}@'%'")


def server_target(engine: str, server: Server, name: str, user: str) -> Target:
    """A database on a server; what counts is its contents, the server's and a neighbour's session.

    Args:
        user: empty for the administrator.
    """
    url = server.url + name
    if user:
        administrator = url.partition("://")[2].partition("@")[0]
        password = "hush-hush" if engine == "postgresql" else "test"
        url = url.replace(f"{administrator}@", f"{user}:{password}@")
    database = open_databases(url).open(name)
    assert database is not None
    neighbour = _neighbour(engine, url)
    statements = _POSTGRESQL_FACTS if engine == "postgresql" else _MYSQL_FACTS

    def facts() -> object:
        return [
            neighbour(),
            *(list(map(tuple, rows)) for rows in server.run_each(*statements, database=name)),
        ]

    return Target(database, facts, url)


_ENDED = "the neighbour's session has ended"


def _neighbour(engine: str, url: str) -> Callable[[], object]:
    """Another session of the same login: its number while it lives."""
    if engine == "postgresql":
        import psycopg

        session = psycopg.connect(url, autocommit=True)

        def number() -> object:
            try:
                return session.execute("SELECT pg_backend_pid(), random() < 2").fetchone()
            except psycopg.Error:
                return _ENDED

        return number
    import pymysql

    from sqljury.databases.server import parse_url

    parts = parse_url(url)
    other = pymysql.connect(
        host=parts.host, port=parts.port or 3306, user=parts.user, password=parts.password
    )

    def thread() -> object:
        try:
            other.ping(reconnect=False)
            return other.thread_id()
        except pymysql.Error:
            return _ENDED

    return thread


# ---------------------------------------------------------------- as a program


def _execute(url: str, name: str, sql: str) -> Execution:
    global _opened
    if _opened is None:
        _opened = open_databases(url).open(name)
    assert _opened is not None
    return _opened.execute(sql, LIMITS)


_opened: Database | None = None


class _Other:
    """A process that executes, and may die of it."""

    def __init__(self, url: str, name: str) -> None:
        self._place = (url, name)
        self._pool = ProcessPoolExecutor(1, get_context("spawn"))

    def execute(self, sql: str) -> Execution | str:
        try:
            return self._pool.submit(_execute, *self._place, sql).result(20)
        except (BrokenProcessPool, TimeoutError) as error:
            self.close()
            self._pool = ProcessPoolExecutor(1, get_context("spawn"))
            return "the process dies" if isinstance(error, BrokenProcessPool) else "hangs"

    def close(self) -> None:
        for process in list(self._pool._processes.values()):
            process.kill()
        self._pool.shutdown()


def _targets(engines: Sequence[str]) -> Iterator[tuple[str, str, Callable[[], Target], str]]:
    for engine in engines:
        if engine in ("sqlite", "duckdb"):
            with tempfile.TemporaryDirectory() as folder:
                yield engine, "", partial(file_target, make_files(engine, Path(folder))), "t"
            continue
        server: Server = PostgreSQL() if engine == "postgresql" else MySQL()
        name, user = make_server(engine, server)
        try:
            for login, who in (("super", ""), ("plain", user)):
                yield engine, login, partial(server_target, engine, server, name, who), name
        finally:
            drop_login(engine, server, user)
            server.drop()


def _outcome(target: Target, other: _Other, attempt: Attempt) -> str:
    """How an attempt ends: a status, or the harm."""
    before = target.facts()
    execution = other.execute(attempt.sql)
    if isinstance(execution, str):
        return execution
    harm = target.harm(execution, before)
    if harm and _ENDED in repr(target.facts()):
        return "a neighbour's session ends"
    return harm or execution.status.value


def main() -> None:
    """Print how the attempts end."""
    for engine, login, make, name in _targets(sys.argv[1:] or ENGINES):
        counts: dict[str, Counter[str]] = {}
        unexpected = []
        target = make()
        other = _Other(target.url, name)
        for attempt in read_attempts(engine):
            outcome = _outcome(target, other, attempt)
            if "session" in outcome:
                target = make()
            counts.setdefault(attempt.kind, Counter())[outcome] += 1
            if outcome not in attempt.statuses:
                unexpected.append(f"    {outcome}: {attempt.sql[:100]!r}")
        for kind, found in counts.items():
            words = ", ".join(f"{count} {outcome}" for outcome, count in found.most_common())
            print(f"{engine:10s} {login:5s} {kind:45s} {words}", flush=True)
        print(*unexpected, sep="\n", flush=True)
        other.close()
        target.database.close()


if __name__ == "__main__":
    main()
