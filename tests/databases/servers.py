"""Servers for tests: where they are, databases of our own on them, what they run right now."""

from __future__ import annotations

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

import pytest
from _pytest.mark.structures import ParameterSet

POSTGRESQL_URL = os.environ.get("SQLJURY_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/")
MYSQL_URL = os.environ.get("SQLJURY_TEST_MYSQL", "mysql://root@127.0.0.1:3306/")
Rows = Sequence[tuple[Any, ...]]


class Server(Protocol):
    """A server, as its administrator sees it."""

    url: str
    """Up to the database's name."""
    sleep: str
    """The function that waits for some seconds."""

    def run(self, *statements: str, database: str = "") -> Rows:
        """Any statements in one session, committed; the rows of the last if it has some."""

    def run_each(self, *statements: str, database: str = "") -> list[Rows]:
        """The rows of each of several statements."""

    def create(self, *statements: str) -> str:
        """A new database, and its name."""

    def running(self, words: str) -> int:
        """How many sessions run a statement with these words in it."""

    def end_sessions(self, name: str) -> None:
        """End those of sqljury on a database."""

    def locked(self, name: str, table: str) -> AbstractContextManager[None]:
        """Another session holds a table for itself, until the block ends."""

    def drop(self) -> None:
        """What :meth:`create` made."""


class PostgreSQL:
    """The PostgreSQL server at :data:`POSTGRESQL_URL`."""

    sleep = "pg_sleep"

    def __init__(self) -> None:
        self.url = POSTGRESQL_URL
        self._names: list[str] = []
        self._connections: dict[str, Any] = {}

    def run(self, *statements: str, database: str = "postgres") -> Rows:
        return self.run_each(*statements, database=database)[-1]

    def run_each(self, *statements: str, database: str = "postgres") -> list[Rows]:
        import psycopg

        if database not in self._connections:
            self._connections[database] = psycopg.connect(self.url + database, autocommit=True)
        connection = self._connections[database]
        cursors = (connection.execute(statement.encode()) for statement in statements)
        return [cursor.fetchall() if cursor.description else [] for cursor in cursors]

    def create(self, *statements: str) -> str:
        name = _new_name()
        self.run(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
        self._names.append(name)
        if statements:
            self.run_each(*statements, database=name)
        return name

    def running(self, words: str) -> int:
        rows = self.run(
            "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' "
            f"AND pid <> pg_backend_pid() AND query LIKE '%{words}%'"
        )
        return int(rows[0][0])

    def end_sessions(self, name: str) -> None:
        self.run(
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' "
            "AND application_name = 'sqljury'"
        )

    @contextmanager
    def locked(self, name: str, table: str) -> Iterator[None]:
        import psycopg

        with psycopg.connect(self.url + name) as other:
            other.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE".encode())
            yield

    def drop(self) -> None:
        for connection in self._connections.values():
            connection.close()
        # Each waits for a checkpoint, a second or more; at once they share it.
        if self._names:
            with ThreadPoolExecutor(len(self._names)) as threads:
                list(threads.map(self._drop, self._names))

    def _drop(self, name: str) -> None:
        import psycopg

        with psycopg.connect(self.url + "postgres", autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


class MySQL:
    """The MySQL or MariaDB server at :data:`MYSQL_URL`."""

    sleep = "sleep"

    def __init__(self) -> None:
        self.url = MYSQL_URL
        self._names: list[str] = []
        self._connections: dict[str, Any] = {}

    def run(self, *statements: str, database: str = "") -> Rows:
        return self.run_each(*statements, database=database)[-1]

    def run_each(self, *statements: str, database: str = "") -> list[Rows]:
        if database not in self._connections:
            self._connections[database] = self._connect(database)
        found: list[Rows] = []
        with self._connections[database].cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
                found.append(cursor.fetchall())
        return found

    def _connect(self, database: str) -> Any:
        import pymysql

        parts = urlsplit(self.url)
        return pymysql.connect(
            host=parts.hostname or "localhost",
            port=parts.port or 3306,
            user=unquote(parts.username or "") or None,
            password=unquote(parts.password or ""),
            database=database or None,
            charset="utf8mb4",
            autocommit=True,
        )

    def create(self, *statements: str) -> str:
        name = _new_name()
        self.run(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
        self._names.append(name)
        if statements:
            self.run_each(*statements, database=name)
        return name

    def running(self, words: str) -> int:
        rows = self.run(
            "SELECT count(*) FROM information_schema.processlist WHERE id <> connection_id() "
            f"AND info LIKE '%{words}%'"
        )
        return int(rows[0][0])

    def end_sessions(self, name: str) -> None:
        listed = f"SELECT id FROM information_schema.processlist WHERE db = '{name}'"
        own = {one.thread_id() for one in self._connections.values()}
        for (number,) in self.run(listed):
            if number not in own:
                self.run(f"KILL {number}")

    @contextmanager
    def locked(self, name: str, table: str) -> Iterator[None]:
        with closing(self._connect(name)) as other, other.cursor() as cursor:
            cursor.execute(f"LOCK TABLES {table} WRITE")
            yield

    def drop(self) -> None:
        for name in self._names:
            self.run(f"DROP DATABASE IF EXISTS {name}")


def on(engine: str, *values: object) -> ParameterSet:
    """A test's parameters on an engine, with the mark of a server's."""
    marks = [getattr(pytest.mark, engine)] if engine in ("postgresql", "mysql") else []
    shown = "-".join([engine, *(str(value)[:50] for value in values[:1])])
    return pytest.param(engine, *values, id=shown, marks=marks)


def _new_name() -> str:
    return f"sqljury_test_x{secrets.token_hex(6)}"


def require(url: str) -> None:
    """Skip the test where nothing listens."""
    parts = urlsplit(url)
    default = 5432 if parts.scheme.startswith("postgres") else 3306
    try:
        with socket.create_connection(
            (parts.hostname or "localhost", parts.port or default), timeout=2
        ):
            pass
    except OSError:
        pytest.skip(f"nothing listens on {parts.hostname}:{parts.port or default}")


def kill_client(
    server: Server,
    name: str,
    sql: str,
    how: signal.Signals,
    *,
    words: str,
    seconds: float,
    patience: float,
) -> None:
    """Kill a process that runs ``sql``: ``patience`` seconds later the server must have stopped.

    Args:
        words: what tells the statement from others.
        seconds: its time limit.
    """
    script = Path(__file__).with_name("endless.py")
    command = [sys.executable, script, server.url + "{db_id}", name, sql, str(seconds)]
    with subprocess.Popen(command) as process:
        try:
            wait_for(lambda: server.running(words) > 0, 60)
            process.send_signal(how)
            wait_for(lambda: server.running(words) == 0, patience)
            process.wait(30)
        finally:
            process.kill()


def while_it_runs(server: Server, words: str, act: Callable[[], None]) -> threading.Thread:
    """Have something done when a statement with these words in it has run for a moment."""

    def waiting() -> None:
        wait_for(lambda: server.running(words) > 0, 30)
        time.sleep(0.15)  # what is lost sooner counts as lost before
        act()

    thread = threading.Thread(target=waiting)
    thread.start()
    return thread


def wait_for(condition: Callable[[], bool], seconds: float) -> None:
    """Fail unless the condition comes true in time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s"
        time.sleep(0.05)
