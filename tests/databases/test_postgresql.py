"""PostgreSQL: values, limits, schema, what a session may keep, what ends a statement."""

from __future__ import annotations

import datetime as dt
import os
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from decimal import Decimal
from typing import Any

import pytest
from servers import Server, kill_client

from sqljury.databases import Database, open_databases
from sqljury.databases.server import BackendMemory
from sqljury.execution import MIB, Limits, Status
from sqljury.schema import Column, ForeignKey

pytestmark = pytest.mark.postgresql

LIMITS = Limits()
TABLES = (
    "CREATE TYPE mood AS ENUM ('sad', 'ok')",
    """CREATE TABLE person (
        id integer PRIMARY KEY, name varchar(20) NOT NULL, feels mood, tags text[],
        UNIQUE (name, feels))""",
    "COMMENT ON TABLE person IS 'who there is'",
    "COMMENT ON COLUMN person.name IS 'as written on the door'",
    "CREATE TABLE pair (a integer, b varchar(20), price numeric(8, 2), PRIMARY KEY (b, a))",
    """CREATE TABLE visit (
        who integer REFERENCES person, a integer, b varchar(20),
        who2 integer REFERENCES person (id), FOREIGN KEY (b, a) REFERENCES pair (b, a))""",
    "CREATE UNIQUE INDEX ON visit (a) WHERE who > 1",
    "CREATE VIEW names AS SELECT name FROM person",
    "CREATE SCHEMA other",
    "CREATE TABLE other.person (note text)",
    "CREATE TABLE part (y integer) PARTITION BY RANGE (y)",
    "CREATE TABLE part1 PARTITION OF part FOR VALUES FROM (1) TO (9)",
    "INSERT INTO person SELECT i, 'n' || i FROM generate_series(1, 50) AS i",
    "CREATE FUNCTION lift() RETURNS text LANGUAGE sql AS "
    "$$ SELECT set_config('statement_timeout', '0', false) $$",
    "CREATE FUNCTION lock() RETURNS void LANGUAGE sql AS $$ SELECT pg_advisory_lock(42) $$",
    "CREATE FUNCTION temp() RETURNS void LANGUAGE plpgsql AS "
    "$$ BEGIN CREATE TEMP TABLE mine (x int); END $$",
)


@pytest.fixture(scope="module")
def name(postgresql: Server) -> str:
    return postgresql.create(*TABLES)


@pytest.fixture
def database(postgresql: Server, name: str) -> Iterator[Database]:
    database = open_databases(postgresql.url + "{db_id}").open(name)
    assert database is not None
    yield database
    database.close()


def _rows(database: Database, sql: str) -> list[tuple[Any, ...]]:
    execution = database.execute(sql, LIMITS)
    assert execution.table is not None, execution
    return execution.table.rows


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("sql", "value"),
    [
        ("1.50", Decimal("1.50")),
        ("'NaN'::numeric::text", "NaN"),
        ("1.5::float8", 1.5),
        ("count(*) OVER ()", 1),
        ("NULL::int", None),
        ("true", True),
        ("'x'::varchar", "x"),
        ("'ab'::char(3)", "ab "),
        ("'\\x00ff'::bytea", b"\x00\xff"),
        ("date '2020-02-29'", dt.date(2020, 2, 29)),
        ("time '10:00'", dt.time(10)),
        ("timestamp '2020-01-02 03:04:05.6'", dt.datetime(2020, 1, 2, 3, 4, 5, 600000)),
        (
            "timestamptz '2020-01-02 03:04:05+00' AT TIME ZONE 'UTC'",
            dt.datetime(2020, 1, 2, 3, 4, 5),
        ),
        ("interval '1 day 2 hours'", dt.timedelta(days=1, hours=2)),
        ("'[1, {\"a\": null}]'::jsonb", [1, {"a": None}]),
        ("'{\"b\": 1}'::json", {"b": 1}),
        ("ARRAY[[1, 2], [3, NULL]]", [[1, 2], [3, None]]),
        ("'a05e0f6e1a4b4b6c8f5a9d3c7a1b2c3d'::uuid", "a05e0f6e-1a4b-4b6c-8f5a-9d3c7a1b2c3d"),
        (
            "ARRAY['a05e0f6e1a4b4b6c8f5a9d3c7a1b2c3d'::uuid]",
            ["a05e0f6e-1a4b-4b6c-8f5a-9d3c7a1b2c3d"],
        ),
        ("int4range(1, 5)", "[1,5)"),
        ("'10.0.0.1'::inet", "10.0.0.1"),
        ("ROW(1, 'a')", "(1,a)"),
        ("'sad'::mood", "sad"),
        ("'infinity'::date", "infinity"),
        ("'-infinity'::timestamp", "-infinity"),
        ("date '0044-03-15 BC'", "0044-03-15 BC"),
        ("time '24:00'", "24:00:00"),
        ("ARRAY['infinity'::date, '2020-01-01']", ["infinity", dt.date(2020, 1, 1)]),
    ],
)
def test_values(database: Database, sql: str, value: object) -> None:
    ((found,),) = _rows(database, f"SELECT {sql} AS x")
    assert found == value
    assert type(found) is type(value)


def test_only_what_python_cannot_hold_is_text(database: Database) -> None:
    rows = _rows(database, "VALUES (date '2020-01-01'), ('infinity'), ('2021-01-01')")
    assert rows == [(dt.date(2020, 1, 1),), ("infinity",), (dt.date(2021, 1, 1),)]


@pytest.mark.parametrize(
    ("sql", "columns", "rows"),
    [
        ("SELECT 1 AS a, 2 AS a", ("a", "a"), [(1, 2)]),
        ("SELECT 1 AS a, 'x' AS b WHERE false", ("a", "b"), []),
        ("SELECT FROM person WHERE id < 3", (), [(), ()]),
        ("TABLE names LIMIT 1;", ("name",), [("n1",)]),
        ("SELECT '100%' AS \"%s\", 5 % 3", ("%s", "?column?"), [("100%", 2)]),
        ("SELECT 'ü' AS \"ß\"", ("ß",), [("ü",)]),
    ],
)
def test_tables(
    database: Database, sql: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]
) -> None:
    table = database.execute(sql, LIMITS).table
    assert table is not None
    assert (table.columns, table.rows) == (columns, rows)


# ---------------------------------------------------------------- ends


@pytest.mark.parametrize(
    ("sql", "status", "words"),
    [
        ("SELECT nope FROM person", Status.ERROR, 'column "nope" does not exist'),
        ("SELECT * FROM nope", Status.ERROR, 'relation "nope" does not exist'),
        ("SELECT 1/0", Status.ERROR, "division by zero"),
        ("SELECT * FORM person", Status.ERROR, "syntax error"),
        ("SELECT 'a\0b'", Status.ERROR, "NUL"),
        ("SELECT 1 WHERE id = $1", Status.ERROR, ""),
        ("SELECT pg_sleep(9)", Status.TIMEOUT, "exceeded 0.5 s"),
        ("SELECT repeat('x', 2000000000)", Status.TOO_LARGE, "too large"),
        ("SELECT repeat('x', 1000) FROM generate_series(1, 5000)", Status.TOO_LARGE, "bytes"),
        ("SELECT i FROM generate_series(1, 20001) AS i", Status.TOO_LARGE, "20000 rows"),
        ("SELECT i FROM generate_series(1, 20000) AS i", Status.OK, ""),
        ("SELECT * FROM person FOR UPDATE", Status.REFUSED, "FOR UPDATE"),
    ],
)
def test_how_it_ends(database: Database, sql: str, status: Status, words: str) -> None:
    seconds = 0.5 if status is Status.TIMEOUT else 30
    execution = database.execute(sql, Limits(seconds=seconds, rows=20_000, bytes=2_000_000))
    assert execution.status is status, execution
    assert words in execution.message
    assert _rows(database, "SELECT count(*) FROM person") == [(50,)]


def test_rows_beyond_the_limit_are_not_fetched(database: Database) -> None:
    start = time.monotonic()
    sql = "SELECT i FROM generate_series(1, 5000000) AS i, person"
    assert database.execute(sql, Limits(rows=1000)).status is Status.TOO_LARGE
    assert time.monotonic() - start < 20  # generate_series fills a temporary file first


def test_memory(database: Database) -> None:
    numbers = "generate_series(1, 500000) AS i"
    sql = f"SELECT count(*) FROM (SELECT i, md5(i::text) FROM {numbers} ORDER BY 2) AS q"
    assert database.execute(sql, Limits(memory=1024 * 1024)).status is Status.OUT_OF_MEMORY
    assert database.execute(sql, Limits()).status is Status.OK


# ---------------------------------------------------------------- nothing leaks


@pytest.fixture
def trusting(database: Database, monkeypatch: pytest.MonkeyPatch) -> Database:
    """The engine's own protection alone."""
    monkeypatch.setattr(type(database._words), "found_in", lambda *_: "")  # type: ignore[attr-defined]
    return database


@pytest.mark.parametrize("sql", ["SELECT lift()", "SELECT lock()"])
def test_functions_that_reach_beyond_their_transaction_are_refused(
    database: Database, sql: str
) -> None:
    assert database.execute(sql, LIMITS).status is Status.REFUSED


def test_a_timeout_that_a_function_lifts_is_back_for_the_next(trusting: Database) -> None:
    assert _rows(trusting, "SELECT lift()") == [("0",)]
    assert trusting.execute("SELECT pg_sleep(9)", Limits(seconds=0.3)).status is Status.TIMEOUT
    assert trusting.execute("SELECT lift(), pg_sleep(9)", Limits(seconds=0.3)).status is (
        Status.TIMEOUT
    )


def test_locks_and_temporary_tables_do_not_stay(postgresql: Server, trusting: Database) -> None:
    assert trusting.execute("SELECT lock()", LIMITS).ok
    held = (
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = "
        f"(SELECT oid FROM pg_database WHERE datname = '{trusting.db_id}')"
    )
    assert postgresql.run(held) == [(0,)]
    assert trusting.execute("SELECT temp()", LIMITS).status is Status.REFUSED
    assert trusting.execute("SELECT * FROM mine", LIMITS).status is Status.ERROR


def test_a_seed_does_not_stay(trusting: Database) -> None:
    seeded = _rows(trusting, "SELECT random() FROM (SELECT setseed(0.5)) AS q")
    assert _rows(trusting, "SELECT setseed(0.5)")
    assert _rows(trusting, "SELECT random()") != seeded


@pytest.mark.parametrize("setting", ["search_path", "datestyle", "standard_conforming_strings"])
def test_a_setting_that_a_function_keeps_does_not_stay(trusting: Database, setting: str) -> None:
    value = {"search_path": "other", "datestyle": "German"}.get(setting, "off")
    before = _rows(trusting, f"SELECT current_setting('{setting}')")
    assert _rows(trusting, f"SELECT set_config('{setting}', '{value}', false)")
    assert _rows(trusting, f"SELECT current_setting('{setting}')") == before


GROWING = "SELECT cardinality(array_agg(repeat(i::text, 300000))) FROM generate_series(1, {}) AS i"


def test_memory_of_a_server_beside_us_is_watched(database: Database) -> None:
    limits = Limits(seconds=20, memory=64 * MIB)
    if database._memory is None:  # type: ignore[attr-defined]
        pytest.skip("the server's processes cannot be seen from here")
    execution = database.execute(GROWING.format(3000), limits)
    assert execution.status is Status.OUT_OF_MEMORY, execution
    assert execution.message == f"needs more than {64 * MIB} bytes of memory"
    assert database.execute(GROWING.format(5), limits).ok


def test_a_process_that_is_not_the_servers_is_not_watched() -> None:
    assert not BackendMemory(os.getpid(), 1).known()
    assert not BackendMemory(2**22 + 1, None).known()
    assert BackendMemory(2**22 + 1, None).held() == 0


def test_a_role_that_may_only_read(postgresql: Server, name: str) -> None:
    role = f"{name}_reader"
    postgresql.run(f"CREATE ROLE {role} LOGIN")
    try:
        postgresql.run(f"GRANT SELECT ON names, person TO {role}", database=name)
        user = postgresql.url.partition("://")[2].partition("@")[0]
        database = open_databases(postgresql.url.replace(f"{user}@", f"{role}@") + name).open(name)
        assert database is not None
        with closing(database):
            assert database.warnings() == []  # type: ignore[attr-defined]
            assert _rows(database, "SELECT count(*) FROM names") == [(50,)]
            for sql in ("SELECT * FROM pair", "SELECT pg_read_file('x')", "SELECT lo_import('x')"):
                assert database.execute(sql, LIMITS).status is Status.REFUSED
            assert len(database.schema().tables) > 3
            assert database.fingerprint() == database.fingerprint()
    finally:
        postgresql.run(f"DROP OWNED BY {role}", database=name)
        postgresql.run(f"DROP ROLE {role}")


def test_a_superuser_is_warned_of(database: Database) -> None:
    (words,) = database.warnings()  # type: ignore[attr-defined]
    assert "superuser" in words


# ---------------------------------------------------------------- connections


ENDLESS = (
    "SELECT pg_sleep(60) AS {}",
    "SELECT count(*) AS {} FROM generate_series(1, 100000) a, generate_series(1, 100000) b",
    "SELECT a AS {} FROM person, generate_series(1, 100000) a, person b, person c",
)


@pytest.mark.alone
@pytest.mark.parametrize("sql", ENDLESS)
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_killed_client_stops_the_server(
    postgresql: Server, name: str, sql: str, how: signal.Signals
) -> None:
    words = f"killed_{how.name}_{ENDLESS.index(sql)}_{name}"
    kill_client(postgresql, name, sql.format(words), how, words=words, seconds=60, patience=2)


def test_nothing_is_compiled(database: Database) -> None:
    """Compilation by LLVM cannot be interrupted, so no time limit would hold."""
    connection = database._connection  # type: ignore[attr-defined]
    assert connection.execute("SHOW jit").fetchone() == ("off",)


# ---------------------------------------------------------------- finding


def test_one_schema_a_database(postgresql: Server, name: str) -> None:
    databases = open_databases(f"{postgresql.url}{name}?schema={{db_id}}")
    assert databases.ids() == ("other", "public")
    assert databases.open("none") is None
    other, public = databases.open("other"), databases.open("public")
    assert other is not None
    assert public is not None
    with closing(other), closing(public):
        assert _rows(other, "SELECT count(*) FROM person") == [(0,)]
        assert _rows(public, "SELECT count(*) FROM person") == [(50,)]
        assert [t.name for t in other.schema().tables] == ["person"]
        assert other.execute("SELECT * FROM names", LIMITS).status is Status.ERROR
        assert other.fingerprint() != public.fingerprint()


def test_libpq_options_go_through(postgresql: Server, name: str) -> None:
    database = open_databases(
        f"{postgresql.url}{name}?sslmode=disable&options=-csearch_path%3Dother"
    ).open(name)
    assert database is not None
    with closing(database):
        assert _rows(database, "SELECT * FROM person") == []


# ---------------------------------------------------------------- schema


def test_engine(database: Database) -> None:
    assert database.engine.startswith("postgresql1")
    assert database.dialect == "postgres"


def test_schema(database: Database) -> None:
    schema = database.schema()
    assert [t.name for t in schema.tables] == [
        "other.person",
        "names",
        "pair",
        "part",
        "person",
        "visit",
    ]
    person = schema.table("person")
    assert person is not None
    assert person.columns == (
        Column(name="id", type="integer", nullable=False),
        Column(
            name="name",
            type="character varying(20)",
            nullable=False,
            description="as written on the door",
        ),
        Column(name="feels", type="mood"),
        Column(name="tags", type="text[]"),
    )
    assert person.description == "who there is"
    assert person.primary_key == ("id",)
    assert person.unique == (("name", "feels"),)
    pair, visit, names = (schema.table(n) for n in ("pair", "visit", "names"))
    assert pair is not None
    assert pair.primary_key == ("b", "a")
    assert pair.columns[2].type == "numeric(8,2)"
    assert visit is not None
    assert visit.unique == ()
    assert visit.foreign_keys == (
        ForeignKey(columns=("who",), target_table="person", target_columns=("id",)),
        ForeignKey(columns=("b", "a"), target_table="pair", target_columns=("b", "a")),
        ForeignKey(columns=("who2",), target_table="person", target_columns=("id",)),
    )
    assert names is not None
    assert names.is_view
