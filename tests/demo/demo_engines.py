"""The demonstration loaded into each engine, by its plain driver."""

from __future__ import annotations

import os
import re
import socket
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest

from sqljury.demo import DATABASES, script

Rows = list[tuple[Any, ...]]
Run = Callable[[str, str], Rows]
"""Rows of a statement on a database; raises whatever the driver raises."""


@dataclass(frozen=True)
class Engine:
    """The databases in one engine: by its driver, and by the place that sqljury opens."""

    run: Run
    databases: str


@contextmanager
def duckdb_engine(folder: Path) -> Iterator[Engine]:
    duckdb = pytest.importorskip("duckdb")
    connections = {db_id: duckdb.connect(":memory:") for db_id in DATABASES}
    for db_id, connection in connections.items():
        connection.execute(script(db_id))
        # Files of their own: one process opens a file with one configuration only.
        with duckdb.connect(str(folder / f"{db_id}.duckdb")) as file:
            file.execute(script(db_id))
    yield Engine(lambda db_id, sql: connections[db_id].execute(sql).fetchall(), str(folder))
    for connection in connections.values():
        connection.close()


@contextmanager
def postgresql_engine(_: Path) -> Iterator[Engine]:
    psycopg = pytest.importorskip("psycopg")
    login = _login("SQLJURY_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432")

    def drop(name: str) -> None:
        with psycopg.connect(**login, dbname="postgres", autocommit=True) as connection:
            connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    with psycopg.connect(**login, dbname="postgres", autocommit=True) as admin:
        names = _temporary_names()
        connections = {}
        try:
            for db_id, name in names.items():
                admin.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
                connections[db_id] = psycopg.connect(**login, dbname=name, autocommit=True)
                connections[db_id].execute(script(db_id))
            yield Engine(
                lambda db_id, sql: connections[db_id].execute(sql).fetchall(),
                _place("postgresql", login, names),
            )
        finally:
            for connection in connections.values():
                connection.close()
            # Each waits for a checkpoint, a second or more; at once they share it.
            with ThreadPoolExecutor(len(names)) as threads:
                list(threads.map(drop, names.values()))


@contextmanager
def mysql_engine(_: Path) -> Iterator[Engine]:
    pymysql = pytest.importorskip("pymysql")
    login = _login("SQLJURY_TEST_MYSQL", "mysql://root@127.0.0.1:3306")
    connection = pymysql.connect(**login, charset="utf8mb4", autocommit=True)
    names = _temporary_names()

    def run(db_id: str, sql: str) -> Rows:
        connection.select_db(names[db_id])
        with connection.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    try:
        for db_id, name in names.items():
            connection.query(f"CREATE DATABASE {name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin")
            for statement in re.split(r";\n", script(db_id)):
                if statement.strip():
                    run(db_id, statement)
        yield Engine(run, _place("mysql", login, names))
    finally:
        for name in names.values():
            connection.query(f"DROP DATABASE IF EXISTS {name}")
        connection.close()


def _temporary_names() -> dict[str, str]:
    suffix = uuid.uuid4().hex[:12]
    return {db_id: f"sqljury_demo_{db_id}_{suffix}" for db_id in DATABASES}


def _place(scheme: str, login: dict[str, Any], names: dict[str, str]) -> str:
    user = ":".join(quote(login[key], safe="") for key in ("user", "password") if login.get(key))
    template = names[DATABASES[0]].replace(DATABASES[0], "{db_id}")
    return f"{scheme}://{user}@{login['host']}:{login['port']}/{template}"


def _login(variable: str, default: str) -> dict[str, Any]:
    """Where the server is; skips where nothing listens."""
    url = urlsplit(os.environ.get(variable, default))
    port = url.port or urlsplit(default).port
    try:
        socket.create_connection((url.hostname or "127.0.0.1", port or 0), timeout=2).close()
    except OSError as error:
        pytest.skip(f"no server at {url.hostname}:{port} ({error}); set {variable}")
    fallback = urlsplit(default).username
    login = {"host": url.hostname, "port": port, "user": unquote(url.username or fallback or "")}
    return login | ({"password": unquote(url.password)} if url.password else {})


ENGINES = {"duckdb": duckdb_engine, "postgresql": postgresql_engine, "mysql": mysql_engine}
