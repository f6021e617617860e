"""Redshift's driver against PostgreSQL; and what the drivers say when nothing listens."""

from __future__ import annotations

import os
import re
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest

import sqljury as sj
from needs import needs
from sqljury.errors import InfrastructureError
from sqljury.execution import Limits, Status

LIMITS = Limits(seconds=10, rows=5000)
_KEPT = (b"user", b"database")
_VERSION = re.compile(rb"(server_version\0[\d.]+)([^\0]*)")


def _pump(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            # The driver cannot read the version of a Debian package.
            target.sendall(_VERSION.sub(lambda m: m[1] + b" " * len(m[2]), data))
        target.shutdown(socket.SHUT_WR)


def _serve(client: socket.socket, port: int) -> None:
    """Forwards a session to PostgreSQL, without the parameters that only Redshift has."""
    server = socket.create_connection(("127.0.0.1", port))
    (length,) = struct.unpack("!i", client.recv(4, socket.MSG_WAITALL))
    parts = client.recv(length - 4, socket.MSG_WAITALL)[4:].rstrip(b"\0").split(b"\0")
    pairs = zip(parts[::2], parts[1::2], strict=False)
    body = b"\x00\x03\x00\x00"
    body += b"".join(k + b"\0" + v + b"\0" for k, v in pairs if k in _KEPT) + b"\0"
    server.sendall(struct.pack("!i", len(body) + 4) + body)
    threading.Thread(target=_pump, args=(server, client), daemon=True).start()
    _pump(client, server)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """Redshift's URL of a database on PostgreSQL, through a proxy."""
    pytest.importorskip("redshift_connector")
    psycopg = pytest.importorskip("psycopg")
    place = os.environ.get(
        "SQLJURY_TEST_POSTGRESQL", "postgresql://postgres@127.0.0.1:5432/postgres"
    )
    try:
        owner = psycopg.connect(place, autocommit=True, connect_timeout=3)
    except psycopg.Error:
        pytest.skip("no PostgreSQL")
    name = f"sqljury_redshift_{os.getpid()}"
    port = owner.info.port
    with closing(owner), closing(socket.create_server(("127.0.0.1", 0))) as listening:
        owner.execute(f"DROP SCHEMA IF EXISTS {name} CASCADE")
        owner.execute(f"CREATE SCHEMA {name}")
        owner.execute(
            f"CREATE TABLE {name}.boat AS SELECT i AS id, 'b' || i AS name FROM generate_series(1, 2500) i"
        )

        def accept() -> None:
            with suppress(OSError):
                while True:
                    client, _ = listening.accept()
                    threading.Thread(target=_serve, args=(client, port), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        user, password = owner.info.user, owner.info.password or "x"
        at = f"127.0.0.1:{listening.getsockname()[1]}/{owner.info.dbname}"
        yield f"redshift://{user}:{password}@{at}?sslmode=disable&schema={name}"
        owner.execute(f"DROP SCHEMA {name} CASCADE")


@pytest.fixture
def database(url: str) -> Iterator[Any]:
    found = sj.open_databases(url).open("")
    assert found is not None
    with closing(found):
        yield found


def test_redshift_reads_in_chunks(database: Any) -> None:
    found = database.execute("SELECT id, name FROM boat ORDER BY id -- all", LIMITS)
    assert found.table.columns == ("id", "name")
    assert len(found.table.rows) == 2500
    assert found.table.rows[-1] == (2500, "b2500")
    found = database.execute("SELECT id FROM boat WHERE name LIKE 'b%9' LIMIT 0", LIMITS)
    assert found.table.columns == ("id",)


@pytest.mark.parametrize(
    ("sql", "status"),
    [
        ("SELECT nothing FROM boat", Status.ERROR),
        ("SELECT a.id FROM boat AS a, boat AS b", Status.TOO_LARGE),
        ("DELETE FROM boat", Status.REFUSED),
        ("SELECT pg_sleep(9)", Status.REFUSED),
    ],
)
def test_statuses_of_redshift(database: Any, sql: str, status: Status) -> None:
    assert database.execute(sql, LIMITS).status is status
    assert database.execute("SELECT 1 AS one", LIMITS).table.rows == [(1,)]


def test_redshift_ends_what_runs_too_long(database: Any) -> None:
    sql = "SELECT COUNT(*) FROM boat a, boat b, boat c, boat d"
    assert database.execute(sql, Limits(seconds=0.3)).status is Status.TIMEOUT
    assert database.execute("SELECT 1 AS one", LIMITS).ok


def test_rights_on_redshift_are_asked_for(database: Any) -> None:
    tried = {one.trial.does: one.succeeded for one in database.trials()}
    assert set(tried) >= {"create a table", "write to a table", "do everything as a superuser"}


def test_schema_on_redshift(database: Any) -> None:
    (table,) = database.schema().tables
    assert (table.name, [column.name for column in table.columns]) == ("boat", ["id", "name"])


@pytest.mark.parametrize(
    ("driver", "url", "code"),
    [
        ("pymssql", "mssql://jury:a-password@127.0.0.1:1/shop", "SJ288"),
        ("redshift_connector", "redshift://jury:a-password@127.0.0.1:1/shop", "SJ290"),
        ("trino", "trino://jury@127.0.0.1:1/memory/shop", "SJ287"),
    ],
)
def test_a_server_that_is_not_there(driver: str, url: str, code: str) -> None:
    pytest.importorskip(driver)
    with pytest.raises(InfrastructureError) as found:
        sj.open_databases(url).open("shop")
    assert found.value.code == code
    assert "a-password" not in str(found.value)


@needs("databricks")
def test_databricks_says_what_its_url_lacks() -> None:
    with pytest.raises(sj.SqljuryError, match=r"SJ284.*http_path"):
        sj.open_databases("databricks://token:a-token@127.0.0.1/main.shop").open("main.shop")
