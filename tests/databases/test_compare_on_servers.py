"""`compare --replay`: counterexamples on servers, whose own tables are neither read nor written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from servers import Server

from sqljury.databases import schema_from_ddl
from sqljury.errors import InfrastructureError, InputError
from sqljury.uses.queries import compare_queries

DDL = """
CREATE TABLE boat (id INTEGER PRIMARY KEY, name VARCHAR(20), length DOUBLE PRECISION, built DATE);
CREATE TABLE trip (boat_id INTEGER REFERENCES boat (id), miles NUMERIC(8, 2));
"""
OWN_ROWS = "INSERT INTO boat VALUES (7, 'mine', 1.5, '1999-01-01')"
ENGINES = {"postgresql": "postgres", "mysql": "mysql"}


@pytest.fixture(scope="module", params=list(ENGINES))
def place(request: pytest.FixtureRequest) -> tuple[Server, str, str]:
    """A server, a database on it that has tables of these names, and the server's dialect."""
    server: Server = request.getfixturevalue(request.param)
    statements = [s for s in DDL.split(";") if s.strip()]
    return server, server.create(*statements, OWN_ROWS), ENGINES[request.param]


DIFFERENT = [
    ("SELECT name FROM boat WHERE length > 3", "SELECT name FROM boat WHERE length >= 3"),
    ("SELECT count(*) FROM boat", "SELECT count(b.name) FROM boat b JOIN trip ON boat_id = b.id"),
    (
        "WITH t AS (SELECT * FROM boat) SELECT max(built) FROM t",
        "SELECT min(built) FROM boat UNION ALL SELECT max(built) FROM boat WHERE id = 1",
    ),
    ("SELECT sum(miles) FROM trip", "SELECT avg(miles) FROM trip"),
    (
        "SELECT name FROM boat ORDER BY id LIMIT 2",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2) "
        "SELECT name FROM boat, n WHERE id = i",
    ),
]


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_an_engine_of_their_dialect_confirms(place, left: str, right: str) -> None:
    server, name, dialect = place
    found = compare_queries(
        left, right, schema=schema_from_ddl(DDL), dialect=dialect, replay=server.url + name
    )
    assert found.verdict == "refuted"
    assert found.witness is not None
    assert found.witness.engines[-1] in ("postgresql", "mysql", "mariadb")
    assert "translated" not in found.witness.doubt
    rows = server.run("SELECT id, name FROM boat", database=name)
    assert list(rows) == [(7, "mine")]


def test_the_schema_of_the_server(place) -> None:
    server, name, _ = place
    url = server.url + name
    found = compare_queries(*DIFFERENT[0], database=url, replay=url)
    assert found.witness is not None
    assert len(found.witness.engines) == 1
    assert ("mine",) not in found.witness.left.rows
    assert compare_queries(*DIFFERENT[0], database=url).witness == found.witness


SAME_THERE = {
    # SQLite's LIKE does not tell letters' case, PostgreSQL's does.
    "postgres": (
        "SELECT id FROM boat WHERE name LIKE 'ara'",
        "SELECT id FROM boat WHERE name = 'ara'",
    ),
    # MySQL's = does not mind blanks at the end, SQLite's does.
    "mysql": (
        "SELECT id FROM boat WHERE name = 'ara '",
        "SELECT id FROM boat WHERE name = 'ara'",
    ),
}


def test_an_engine_of_their_dialect_decides(place) -> None:
    server, name, dialect = place
    left, right = SAME_THERE[dialect]
    options = {"schema": schema_from_ddl(DDL), "dialect": dialect, "second_opinion": False}
    alone = compare_queries(left, right, **options)
    assert alone.verdict == "unknown"
    assert alone.witness is not None
    assert "translated from" in alone.witness.doubt
    found = compare_queries(left, right, **options, replay=server.url + name)
    assert found.verdict == "no_counterexample"


def test_the_search_is_the_servers_own(place) -> None:
    server, name, dialect = place
    left = "SELECT id FROM boat EXCEPT ALL SELECT boat_id FROM trip"
    right = "SELECT id FROM boat WHERE id NOT IN (SELECT boat_id FROM trip)"
    options = {"schema": schema_from_ddl(DDL), "dialect": dialect}
    alone = compare_queries(left, right, **options)
    assert alone.witness is not None
    assert alone.witness.engines == ("duckdb",)
    found = compare_queries(left, right, **options, replay=server.url + name)
    assert found.verdict == "refuted"
    assert found.witness is not None
    assert found.witness.engines[0] in ("postgresql", "mysql", "mariadb")
    assert found.profile == "nulls"


def test_keys_are_those_of_the_collation(place) -> None:
    server, name, dialect = place
    schema = schema_from_ddl("CREATE TABLE pier (name VARCHAR(9) PRIMARY KEY)")
    queries = ("SELECT DISTINCT name FROM pier", "SELECT name FROM pier")
    found = compare_queries(
        *queries, schema=schema, dialect=dialect, prove=False, replay=server.url + name
    )
    assert found.verdict == "no_counterexample"


def test_a_query_that_the_server_cannot_run_says_so(place) -> None:
    server, name, _ = place
    found = compare_queries(
        "SELECT id FROM boat WHERE name GLOB 'a*'",
        "SELECT id FROM boat WHERE name GLOB 'b*'",
        schema=schema_from_ddl(DDL),
        replay=server.url + name,
    )
    assert found.verdict == "refuted"
    assert found.witness is not None
    assert "could not be asked" in found.witness.doubt


def test_as_a_user_types_it(place, tmp_path: Path) -> None:
    server, name, dialect = place
    (tmp_path / "schema.sql").write_text(DDL)
    command = [sys.executable, "-m", "sqljury.cli", "compare", *DIFFERENT[0]]
    command += ["--schema", str(tmp_path / "schema.sql"), "--dialect", dialect, "--json"]
    done = subprocess.run(
        [*command, "--replay", server.url + name], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert len(json.loads(done.stdout)["witness"]["engines"]) == 1


@pytest.mark.parametrize(
    ("url", "code", "kind"),
    [
        ("sqlite:///x.sqlite", "SJ328", InputError),
        ("boat.sqlite", "SJ328", InputError),
        ("postgresql://nobody@127.0.0.1:1/x", "SJ252", InfrastructureError),
    ],
)
def test_servers_that_cannot_be_asked(url: str, code: str, kind: type[Exception]) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(kind, match=code):
        compare_queries("SELECT 1", "SELECT 2", schema=schema_from_ddl(DDL), replay=url)
