"""The demonstration in engines, reached by their plain drivers: nothing of sqljury in between."""

from __future__ import annotations

import os
import re
import socket
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from sqljury.demo import DATABASES, script

Rows = list[tuple[Any, ...]]
Run = Callable[[str, str], Rows]
"""Rows of a statement on a database; raises whatever the driver raises."""


@contextmanager
def duckdb_engine() -> Iterator[Run]:
    duckdb = pytest.importorskip("duckdb")
    connections = {db_id: duckdb.connect(":memory:") for db_id in DATABASES}
    for db_id, connection in connections.items():
        connection.execute(script(db_id))
    yield lambda db_id, sql: connections[db_id].execute(sql).fetchall()
    for connection in connections.values():
        connection.close()


@contextmanager
def postgresql_engine() -> Iterator[Run]:
    psycopg = pytest.importorskip("psycopg")
    login = _login("SQLJURY_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432")
    with psycopg.connect(**login, dbname="postgres", autocommit=True) as admin:
        names = _temporary_names()
        connections = {}
        try:
            for db_id, name in names.items():
                admin.execute(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
                connections[db_id] = psycopg.connect(**login, dbname=name, autocommit=True)
                connections[db_id].execute(script(db_id))
            yield lambda db_id, sql: connections[db_id].execute(sql).fetchall()
        finally:
            for connection in connections.values():
                connection.close()
            for name in names.values():
                admin.execute(f"DROP DATABASE IF EXISTS {name}")


@contextmanager
def mysql_engine() -> Iterator[Run]:
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
        yield run
    finally:
        for name in names.values():
            connection.query(f"DROP DATABASE IF EXISTS {name}")
        connection.close()


def _temporary_names() -> dict[str, str]:
    suffix = uuid.uuid4().hex[:12]
    return {db_id: f"sqljury_demo_{db_id}_{suffix}" for db_id in DATABASES}


def _login(variable: str, default: str) -> dict[str, Any]:
    """Where the server is; skips where nothing listens."""
    url = urlsplit(os.environ.get(variable, default))
    port = url.port or urlsplit(default).port
    try:
        socket.create_connection((url.hostname or "127.0.0.1", port or 0), timeout=2).close()
    except OSError as error:
        pytest.skip(f"no server at {url.hostname}:{port} ({error}); set {variable}")
    login = {"host": url.hostname, "port": port, "user": url.username}
    return login | ({"password": url.password} if url.password else {})


ENGINES = {"duckdb": duckdb_engine, "postgresql": postgresql_engine, "mysql": mysql_engine}
