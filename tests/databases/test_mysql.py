"""MySQL and MariaDB: values, limits, schema, what a session may keep, what ends a statement."""

from __future__ import annotations

import datetime as dt
import signal
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from servers import Server, kill_client, wait_for

from sqljury.databases import Database, open_databases
from sqljury.errors import InputError
from sqljury.execution import Limits, Status
from sqljury.schema import Column, ForeignKey

pytestmark = pytest.mark.mysql

LIMITS = Limits()
TABLES = (
    """CREATE TABLE person (
        id int PRIMARY KEY, name varchar(20) NOT NULL COMMENT 'as written on the door',
        feels enum('sad', 'ok'), ok tinyint(1), UNIQUE (name, feels), UNIQUE (name(3), id)
        ) COMMENT 'who there is'""",
    """CREATE TABLE pair (
        a int NOT NULL, b varchar(20) NOT NULL, price decimal(8, 2), PRIMARY KEY (b, a))""",
    """CREATE TABLE visit (
        who int, a int, b varchar(20), who2 int,
        CONSTRAINT f1 FOREIGN KEY (who) REFERENCES person (id),
        CONSTRAINT f2 FOREIGN KEY (b, a) REFERENCES pair (b, a),
        CONSTRAINT f3 FOREIGN KEY (who2) REFERENCES person (id))""",
    "CREATE VIEW names AS SELECT name FROM person",
    f"INSERT INTO person (id, name) VALUES {', '.join(f'({i}, {i})' for i in range(1, 51))}",
    "CREATE TABLE n (i int PRIMARY KEY)",
    f"INSERT INTO n VALUES {', '.join(f'({i})' for i in range(2000))}",
    "CREATE TABLE odd (d date, t datetime, b bit(9))",
    "SET STATEMENT sql_mode = '' FOR INSERT INTO odd VALUES "
    "('0000-00-00', '0000-00-00 00:00:00', b'100000001')",
    "CREATE FUNCTION get_a_lock() RETURNS int DETERMINISTIC RETURN get_lock(database(), 1)",
    "CREATE FUNCTION set_a() RETURNS int DETERMINISTIC BEGIN SET @a = 5; RETURN 1; END",
    "CREATE FUNCTION lift() RETURNS int DETERMINISTIC "
    "BEGIN SET SESSION sort_buffer_size = 4096; RETURN 1; END",
    "CREATE FUNCTION erase() RETURNS int DETERMINISTIC BEGIN DELETE FROM n; RETURN 1; END",
)


@pytest.fixture(scope="module")
def name(mysql: Server) -> str:
    return mysql.create(*TABLES)


@pytest.fixture
def database(mysql: Server, name: str) -> Iterator[Database]:
    database = open_databases(mysql.url + "{db_id}").open(name)
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
        ("1.5e0", 1.5),
        ("count(*) OVER ()", 1),
        ("NULL", None),
        ("true", 1),
        ("1 / 0", None),
        ("'ü€😀'", "ü€😀"),
        ("cast('a' AS char(3))", "a"),
        ("x'00ff'", b"\x00\xff"),
        ("b'100000001' + 0", 257),
        ("date '2020-02-29'", dt.date(2020, 2, 29)),
        ("time '-30:00:01'", -dt.timedelta(hours=30, seconds=1)),
        ("timestamp '2020-01-02 03:04:05.6'", dt.datetime(2020, 1, 2, 3, 4, 5, 600000)),
        ("json_object('a', 1)", '{"a": 1}'),
        ("18446744073709551615", 18446744073709551615),
    ],
)
def test_values(database: Database, sql: str, value: object) -> None:
    ((found,),) = _rows(database, f"SELECT {sql} AS x")
    assert found == value
    assert type(found) is type(value)


def test_values_of_columns(database: Database) -> None:
    assert _rows(database, "SELECT d, t, b FROM odd") == [
        ("0000-00-00", "0000-00-00 00:00:00", 257)
    ]


@pytest.mark.parametrize(
    ("sql", "columns", "rows"),
    [
        ("SELECT 1 AS a, 2 AS a", ("a", "a"), [(1, 2)]),
        ("SELECT 1 AS a, 'x' AS b LIMIT 0", ("a", "b"), []),
        ("SELECT name FROM names LIMIT 1;", ("name",), [("1",)]),
        ("SELECT '100%' AS `%s`, 5 % 3 AS y", ("%s", "y"), [("100%", 2)]),
        ("SELECT 'ü' AS `ß`", ("ß",), [("ü",)]),
    ],
)
def test_tables(
    database: Database, sql: str, columns: tuple[str, ...], rows: list[tuple[Any, ...]]
) -> None:
    table = database.execute(sql, LIMITS).table
    assert table is not None
    assert (table.columns, table.rows) == (columns, rows)


# ---------------------------------------------------------------- ends

TWICE = "SELECT a.i FROM n AS a, n AS b"


@pytest.mark.parametrize(
    ("sql", "status", "words"),
    [
        ("SELECT nope FROM person", Status.ERROR, "Unknown column 'nope'"),
        ("SELECT * FROM nope", Status.ERROR, "doesn't exist"),
        ("SELECT * FORM person", Status.ERROR, "error in your SQL syntax"),
        ("SELECT 1 INTO @x", Status.ERROR, "no result table"),
        ("SELECT sleep(9)", Status.TIMEOUT, "exceeded 0.5 s"),
        ("SELECT benchmark(10000000000, md5('a'))", Status.TIMEOUT, "exceeded 0.5 s"),
        (f"{TWICE} ORDER BY md5(a.i * b.i)", Status.TIMEOUT, "exceeded 0.5 s"),
        (f"{TWICE} LIMIT 20001", Status.TOO_LARGE, "20000 rows"),
        (f"{TWICE} LIMIT 20000", Status.OK, ""),
        ("SELECT repeat('x', 10000) FROM n", Status.TOO_LARGE, "bytes"),
        ("SELECT erase()", Status.REFUSED, "READ ONLY"),
    ],
)
def test_how_it_ends(database: Database, sql: str, status: Status, words: str) -> None:
    seconds = 0.5 if status is Status.TIMEOUT else 30
    execution = database.execute(sql, Limits(seconds=seconds, rows=20_000, bytes=2_000_000))
    assert execution.status is status, execution
    assert words in execution.message
    assert _rows(database, "SELECT count(*) FROM n") == [(2000,)]


def test_a_cut_result_is_not_drained(mysql: Server, name: str, database: Database) -> None:
    sql = f"SELECT a.i AS cut_{name} FROM n AS a, n AS b, n AS c"
    start = time.monotonic()
    assert database.execute(sql, Limits(rows=1000)).status is Status.TOO_LARGE
    assert time.monotonic() - start < 10
    wait_for(lambda: mysql.running(f"cut_{name}") == 0, 10)


def test_the_clock_is_looked_at_while_rows_come(database: Database) -> None:
    start = time.monotonic()
    sql = "SELECT a.i FROM n AS a, n AS b, n AS c"
    execution = database.execute(sql, Limits(seconds=0.5, rows=10**9, bytes=10**12))
    assert execution.status is Status.TIMEOUT
    assert time.monotonic() - start < 10


def test_memory(database: Database) -> None:
    if not database.engine.startswith("mariadb"):
        pytest.skip("MySQL cannot be told")
    sql = f"SELECT count(*) FROM ({TWICE} ORDER BY md5(a.i) LIMIT 300000) AS q"
    assert database.execute(sql, Limits(memory=500_000)).status is Status.OUT_OF_MEMORY
    assert database.execute("SELECT i FROM n", LIMITS).ok


def test_nothing_is_cut_in_silence(database: Database) -> None:
    sql = "SELECT char_length(group_concat(repeat('x', 100) ORDER BY i)) FROM n"
    assert _rows(database, sql) == [(2000 * 101 - 1,)]
    if database.engine.startswith("mariadb"):
        sql = "WITH RECURSIVE r (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r WHERE x < 5000)"
        assert _rows(database, f"{sql} SELECT count(*) FROM r") == [(5000,)]


# ---------------------------------------------------------------- nothing leaks


@pytest.mark.parametrize(
    ("first", "then", "rows"),
    [
        ("SELECT @a := 5", "SELECT @a", [(None,)]),
        ("SELECT set_a()", "SELECT @a", [(None,)]),
        ("SELECT last_insert_id(7)", "SELECT last_insert_id()", [(0,)]),
        ("SELECT get_a_lock()", "SELECT is_used_lock(database())", [(None,)]),
        ("SELECT lift()", "SELECT @@sort_buffer_size > 4096", [(1,)]),
    ],
)
def test_a_session_forgets(
    database: Database,
    first: str,
    then: str,
    rows: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(type(database._words), "found_in", lambda *_: "")  # type: ignore[attr-defined]
    assert database.execute(first, LIMITS).ok
    assert _rows(database, then) == rows


def test_variables_work_inside_a_statement(database: Database) -> None:
    sql = "SELECT @r := @r + 1 AS x FROM n, (SELECT @r := 0) AS q ORDER BY i LIMIT 3"
    assert [int(x) for (x,) in _rows(database, sql)] == [1, 2, 3]


def test_a_user_that_may_only_read(mysql: Server, name: str) -> None:
    user = name
    mysql.run(f"CREATE USER {user}@'%' IDENTIFIED BY 'a/b c'")
    try:
        mysql.run(f"GRANT SELECT ON {name}.person TO {user}@'%'")
        mysql.run(f"GRANT SELECT, SHOW VIEW ON {name}.names TO {user}@'%'")
        place = mysql.url.partition("@")[2]
        database = open_databases(f"mariadb://{user}:a%2Fb%20c@{place}{{db_id}}").open(name)
        assert database is not None
        with closing(database):
            assert database.warnings() == []  # type: ignore[attr-defined]
            assert _rows(database, "SELECT count(*) FROM names") == [(50,)]
            assert database.execute("SELECT * FROM pair", LIMITS).status is Status.REFUSED
            assert database.execute("SELECT sleep(9)", Limits(seconds=0.2)).status is (
                Status.TIMEOUT
            )
            sql = "SELECT a.id FROM person a, person b, person c, person d"
            assert database.execute(sql, Limits(rows=9)).status is Status.TOO_LARGE
            assert [t.name for t in database.schema().tables] == ["names", "person"]
            assert database.fingerprint() == database.fingerprint()
    finally:
        mysql.run(f"DROP USER {user}@'%'")


def test_a_powerful_user_is_warned_of(database: Database) -> None:
    (words,) = database.warnings()  # type: ignore[attr-defined]
    assert "only SELECT" in words


# ---------------------------------------------------------------- connections


ENDLESS = (
    "SELECT sleep(60) AS {}",
    "SELECT sum(md5(a.i + b.i + c.i)) AS {} FROM n AS a, n AS b, n AS c",
    "SELECT a.i AS {} FROM n AS a, n AS b, n AS c, n AS d",
)


@pytest.mark.parametrize("sql", ENDLESS)
def test_sigterm_stops_the_server(mysql: Server, name: str, sql: str) -> None:
    words = f"terminated_{ENDLESS.index(sql)}_{name}"
    sql = sql.format(words)
    kill_client(mysql, name, sql, signal.SIGTERM, words=words, seconds=60, patience=15)


@pytest.mark.parametrize("sql", [ENDLESS[1], pytest.param(ENDLESS[0], marks=pytest.mark.slow)])
def test_sigkill_leaves_the_time_limit(mysql: Server, name: str, sql: str) -> None:
    words = f"killed_{ENDLESS.index(sql)}_{name}"
    sql = sql.format(words)
    kill_client(mysql, name, sql, signal.SIGKILL, words=words, seconds=2, patience=15)


# ---------------------------------------------------------------- finding


def test_options(mysql: Server, name: str) -> None:
    with pytest.raises(InputError, match=r"SJ263.*unix_socket"):
        open_databases(f"{mysql.url}{name}?local_infile=1").open(name)


# ---------------------------------------------------------------- schema


def test_engine(database: Database) -> None:
    assert database.engine.removeprefix("mariadb").removeprefix("mysql")[0].isdigit()
    assert database.dialect == "mysql"


def test_schema(database: Database) -> None:
    schema = database.schema()
    assert [t.name for t in schema.tables] == ["n", "names", "odd", "pair", "person", "visit"]
    person, pair, visit, names = (schema.table(n) for n in ("person", "pair", "visit", "names"))
    assert person is not None
    assert [bool(column.collation) for column in person.columns] == [False, True, True, False]
    assert [replace(c, type=c.type.replace("(11)", ""), collation="") for c in person.columns] == [
        Column(name="id", type="int", nullable=False),
        Column(
            name="name", type="varchar(20)", nullable=False, description="as written on the door"
        ),
        Column(name="feels", type="enum('sad','ok')"),
        Column(name="ok", type="tinyint(1)"),
    ]
    assert person.description == "who there is"
    assert person.primary_key == ("id",)
    assert person.unique == (("name", "feels"),)
    assert pair is not None
    assert pair.primary_key == ("b", "a")
    assert visit is not None
    assert visit.foreign_keys == (
        ForeignKey(columns=("who",), target_table="person", target_columns=("id",)),
        ForeignKey(columns=("b", "a"), target_table="pair", target_columns=("b", "a")),
        ForeignKey(columns=("who2",), target_table="person", target_columns=("id",)),
    )
    assert names is not None
    assert names.is_view
    assert names.description == ""
