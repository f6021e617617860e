"""Functions that a statement calls without naming them: checks of types, macros named like an
engine's own functions, names that a server compares in its own way."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest
from attempts import drop_login
from servers import Server

from sqljury.databases import Database, open_databases
from sqljury.databases.generated import in_duckdb
from sqljury.execution import Limits, Status
from sqljury.schema import Column, Table

LIMITS = Limits()

# The check leaves an advisory lock: what another session sees of it tells that it was run.
POSTGRESQL = (
    "CREATE FUNCTION locks(i int) RETURNS bool LANGUAGE plpgsql SECURITY DEFINER AS "
    "$$ BEGIN PERFORM pg_advisory_lock(4711); RETURN true; END $$",
    "CREATE DOMAIN checked AS int CHECK (locks(VALUE))",
    "CREATE DOMAIN positive AS int CHECK (VALUE > 0)",
    "CREATE DOMAIN twice AS checked",
    "CREATE TYPE withdom AS (d checked)",
    "CREATE TYPE outer_one AS (w withdom)",
    "CREATE TYPE span AS RANGE (subtype = twice)",
    "CREATE TABLE u (id int, d checked)",
    "CREATE TABLE w (id int, a checked[])",
    "CREATE VIEW v AS SELECT d FROM u",
    "CREATE FUNCTION takes(d checked) RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE FUNCTION gives(i int) RETURNS withdom LANGUAGE sql AS 'SELECT ROW(i)::withdom'",
    "CREATE FUNCTION inside(i int) RETURNS int LANGUAGE plpgsql AS "
    "$$ DECLARE d withdom; BEGIN d := ROW(i); RETURN 1; END $$",
    "CREATE TYPE plain AS (i int)",
    "CREATE FUNCTION shown(p plain) RETURNS text LANGUAGE sql AS 'SELECT locks(1)::text'",
    "CREATE CAST (plain AS text) WITH FUNCTION shown(plain) AS IMPLICIT",
    "CREATE TABLE k (c plain)",
    "INSERT INTO u VALUES (1, 5)",
    "INSERT INTO w VALUES (1, '{5}')",
    "SELECT pg_advisory_unlock_all()",
)

REACHING = """
SELECT '5'::checked
SELECT 5::twice
SELECT checked(5)
SELECT twice '5'
SELECT '(5)'::withdom
SELECT CAST('(5)' AS public."withdom")
SELECT '("(5)")'::outer_one
SELECT '{5}'::checked[]
SELECT '{5}'::_checked
SELECT '[1,2]'::span
SELECT span(1, 2)
SELECT '(1,5)'::u
SELECT jsonb_populate_record(null::u, '{"d": 5}')
SELECT jsonb_populate_record(u, '{"d": 6}') FROM u
SELECT json_populate_recordset(x, '[{"d": 6}]') FROM u AS x
SELECT * FROM jsonb_to_record('{"d": 5}') AS x (d checked)
SELECT json_value('5', '$' RETURNING checked)
SELECT takes(5)
SELECT gives(5)
SELECT inside(5)
SELECT array_append(ARRAY[d], '6') FROM u
SELECT array_append((SELECT array_agg(d) FROM v), '7')
SELECT ARRAY(SELECT d FROM u) || '7'
SELECT lag(d, 1, '7') OVER () FROM u
SELECT coalesce(u, '(1,9)') FROM u
SELECT x FROM u AS x UNION SELECT '(1,9)'
SELECT id FROM w WHERE a = '{7}'
SELECT a FROM w UNION SELECT '{8}'
SELECT upper(c) FROM k
""".strip().splitlines()

HARMLESS = """
SELECT 5::positive
SELECT id, d FROM u WHERE d = '5'
SELECT max(d), count(*) FROM v GROUP BY d
SELECT a[1] FROM w
SELECT * FROM u JOIN w USING (id)
""".strip().splitlines()


@pytest.fixture(scope="module")
def checked(postgresql: Server) -> Iterator[tuple[str, str, Server]]:
    """A database and its plain login."""
    name = postgresql.create(*POSTGRESQL)
    user = f"{name}_plain"
    postgresql.run(f"CREATE ROLE {user} LOGIN PASSWORD 'hush-hush'", database=name)
    postgresql.run(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {user}", database=name)
    yield name, user, postgresql
    postgresql.run(f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {user}", database=name)
    drop_login("postgresql", postgresql, user)


@pytest.mark.postgresql
@pytest.mark.parametrize("login", ["super", "plain"])
def test_the_check_of_a_type_is_not_reached(checked: tuple[str, str, Server], login: str) -> None:
    name, user, server = checked
    url = server.url.replace("postgres@", f"{user}:hush-hush@" if login == "plain" else "postgres@")
    database = open_databases(url + name).open(name)
    assert database is not None
    with closing(database):
        for sql in REACHING:
            assert database.execute(sql, LIMITS).status is Status.REFUSED, sql
        for sql in HARMLESS:
            assert database.execute(sql, LIMITS).ok, sql


@pytest.mark.postgresql
def test_the_tree_has_one_query_and_nothing_else(checked: tuple[str, str, Server]) -> None:
    name, _, server = checked
    database = open_databases(server.url + name).open(name)
    assert database is not None
    with closing(database):
        for sql, words in (
            ("SELECT * INTO x FROM u", "INTO in a query"),
            ("SELECT * FROM u FOR UPDATE", "FOR UPDATE or FOR SHARE in a query"),
            ("WITH d AS (DELETE FROM u RETURNING id) SELECT * FROM d", "DELETE in a query"),
            ("WITH d AS (MERGE INTO u USING w ON true WHEN MATCHED THEN DELETE) TABLE u", ""),
            ('SELECT U&"l\\006fcks"(1)', "Unicode escapes"),
            ("SELECT (1).locks", "locks"),
        ):
            execution = database.execute(sql, LIMITS)
            assert execution.status is Status.REFUSED, execution
            assert words in execution.message
        for sql in ("SELECT * FORM u", "SELECT 1 +", f"SELECT {'(' * 9000}1", "SELECT 'a' 'b'"):
            assert database.execute(sql, LIMITS).status is Status.ERROR, sql
        for deep in ("1" + "+1" * 300_000, "1" + "::int" * 150_000, "- " * 20_000 + "1"):
            assert database.execute(f"SELECT {deep}", LIMITS).status is Status.ERROR
        assert database.execute(f"SELECT id IN ({'1,' * 50_000}1) FROM u", LIMITS).ok


@pytest.mark.postgresql
def test_native_code_leaves_nothing_for_the_next_statement(postgresql: Server) -> None:
    name = postgresql.create()
    with suppress(Exception):  # the server may not have it
        postgresql.run("CREATE EXTENSION isn", database=name)
    if not postgresql.run("SELECT 1 FROM pg_extension WHERE extname = 'isn'", database=name):
        pytest.skip("this server has no isn")
    postgresql.run(
        "CREATE FUNCTION weak(bool) RETURNS bool LANGUAGE C IMMUTABLE STRICT "
        "AS '$libdir/isn', 'accept_weak_input'",
        database=name,
    )
    database = open_databases(postgresql.url + name).open(name)
    assert database is not None
    with closing(database):
        wrong = "SELECT '978-0-393-04002-8'::isbn13"
        assert database.execute("SELECT isn_weak(true)", LIMITS).status is Status.REFUSED
        assert database.execute(wrong, LIMITS).status is Status.ERROR
        assert database.execute("SELECT weak(true)", LIMITS).ok
        assert database.execute(wrong, LIMITS).status is Status.ERROR


# ---------------------------------------------------------------- MySQL, MariaDB


@pytest.mark.mysql
def test_a_name_with_other_letters_is_the_same_name(mysql: Server) -> None:
    name = mysql.create(
        "CREATE TABLE t (größe int, name int)",
        "CREATE FUNCTION setzt_groesse(i int) RETURNS int RETURN get_lock('a', 0)",
        "CREATE FUNCTION misses(i int) RETURNS int RETURN get_lock('a', 0)",
    )
    database = open_databases(mysql.url + name).open(name)
    assert database is not None
    with closing(database):
        for sql in (
            "SELECT setzt_gröesse(1)",
            "SELECT ſetzt_groeſſe(1)",
            "SELECT `SÉTZT_groesse` (1)",
            "SELECT mißes(1)",
        ):
            execution = database.execute(sql, LIMITS)
            assert execution.status in (Status.REFUSED, Status.ERROR), execution
            assert execution.status is Status.REFUSED or "does not exist" in execution.message
        assert database.execute("SELECT größe FROM t", LIMITS).ok


@pytest.mark.mysql
@pytest.mark.parametrize("mode", ["ANSI", "NO_BACKSLASH_ESCAPES", "ANSI_QUOTES", "ORACLE", ""])
def test_quotes_are_read_as_the_session_reads_them(
    mysql: Server, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = mysql.create("CREATE FUNCTION locks() RETURNS int RETURN get_lock('a', 0)")
    module = importlib.import_module("sqljury.databases.mysql")
    connect = module._connect

    def connected(*given: Any) -> Any:
        """As on a server with this mode."""
        connection = connect(*given)
        connection.query(f"SET SESSION sql_mode = '{mode}'")
        return connection

    monkeypatch.setattr(module, "_connect", connected)
    database = open_databases(mysql.url + name).open(name)
    assert database is not None
    with closing(database):
        for sql in (
            "SELECT '\\', locks(), ' #'",
            "SELECT '\\'', locks() #'",
            'SELECT "\\", locks(), " #"',
            'SELECT "\\"", locks() #"',
            'SELECT "\'", locks() #\'"',
            'SELECT "\'" AS "/*", locks() AS "*/" #\'"',
            "SELECT `'`, locks() #'`",
        ):
            execution = database.execute(sql, LIMITS)
            shown = (sql, execution)
            assert execution.table is None or execution.table.width == 1, shown


# ---------------------------------------------------------------- DuckDB


def _duckdb(folder: Path, *statements: str) -> Database:
    duckdb = pytest.importorskip("duckdb")
    with closing(duckdb.connect(str(folder / "t.duckdb"))) as connection:
        for statement in ("CREATE TABLE t AS SELECT 1 AS id, 'A' AS name", *statements):
            connection.execute(statement)
    database = open_databases(folder).open("t")
    assert database is not None
    return database


@pytest.mark.parametrize(
    ("macro", "sql"),
    [
        ("lower(x) AS setseed(0.5)", "SELECT lower(name) FROM t"),
        ("lower(x) AS setseed(0.5)", "SELECT main.lower(name) FROM t"),
        ("lower(x) AS setseed(0.5)", "SELECT name.lower() FROM t"),
        ("LOWER(x) AS setseed(0.5)", 'SELECT "LoWeR" (name) FROM t'),
        ("to_days(x) AS setseed(0.5)", "SELECT INTERVAL 3 DAY"),
        ("range(x) AS TABLE SELECT * FROM query(x)", "FROM range('SELECT 42')"),
        ('"odd name"(x) AS setseed(x)', 'SELECT "odd name"(0.5)'),
    ],
)
def test_a_macro_is_refused_whatever_its_name(tmp_path: Path, macro: str, sql: str) -> None:
    with closing(_duckdb(tmp_path, f"CREATE MACRO {macro}")) as database:
        execution = database.execute(sql, LIMITS)
        assert execution.status is Status.REFUSED, execution
        assert "the macro" in execution.message


def test_a_macro_hides_no_other_macro(tmp_path: Path) -> None:
    """Not from this database, and not from the next one of the same process."""
    hides = (
        "AS TABLE SELECT 'x' AS function_name, '' AS macro_definition, false AS internal, "
        "'scalar' AS function_type, false AS has_side_effects, '' AS stability"
    )
    made = (f"CREATE MACRO duckdb_functions() {hides}", "CREATE MACRO seeds(x) AS setseed(x)")
    with closing(_duckdb(tmp_path, *made)) as database:
        assert database.execute("SELECT seeds(0.5)", LIMITS).status is Status.REFUSED
        assert database.execute("SELECT setseed(0.5)", LIMITS).status is Status.REFUSED


def test_macros_that_do_no_harm_are_run(tmp_path: Path) -> None:
    with closing(_duckdb(tmp_path, "CREATE MACRO upper(x) AS x || '!'")) as database:
        execution = database.execute("SELECT upper(name) FROM t", LIMITS)
        assert execution.table is not None
        assert execution.table.rows == [("A!",)]


def test_a_declared_type_runs_no_second_statement(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    stolen = tmp_path / "stolen.csv"
    column = Column(name="a", type=f"INT); COPY (SELECT 1) TO '{stolen}'; CREATE TABLE u (b INT")
    in_duckdb([Table(name="t", columns=(column,))], {}, ["SELECT 1"], LIMITS, as_declared=True)
    assert not stolen.exists()
