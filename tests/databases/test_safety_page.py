"""What docs/safety.md promises, sentence by sentence, on every engine."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from attempts import make_files
from servers import Server, on

from sqljury.databases import Database, open_databases
from sqljury.execution import MIB, Limits, Status

ENGINES = ("sqlite", "duckdb", "postgresql", "mysql")
LIMITS = Limits()
ROWS = ", ".join(f"({i}, 'n{i}')" for i in range(1000))
TABLE = (
    "CREATE TABLE t (id integer PRIMARY KEY, name varchar(100))",
    f"INSERT INTO t VALUES {ROWS}",
)
RECURSION = "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r{}) SELECT {} FROM r"


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Database]]:
    found: dict[str, Database] = {}
    yield found
    for database in found.values():
        database.close()


@pytest.fixture
def database(
    request: pytest.FixtureRequest,
    opened: dict[str, Database],
    tmp_path_factory: pytest.TempPathFactory,
) -> Database:
    engine = request.param
    if engine not in opened:
        if engine == "duckdb":
            pytest.importorskip("duckdb")
        if engine in ("sqlite", "duckdb"):
            place, name = str(make_files(engine, tmp_path_factory.mktemp(engine))), "t"
        else:
            server: Server = request.getfixturevalue(engine)
            name = server.create(*TABLE, *MADE[engine])
            place = server.url + name
        made = open_databases(place).open(name)
        assert made is not None
        opened[engine] = made
    return opened[engine]


MADE = {
    "postgresql": (
        "CREATE VIEW v AS SELECT count(*) AS sessions FROM pg_stat_activity",
        "CREATE FUNCTION doubled(i int) RETURNS int LANGUAGE sql AS 'SELECT 2 * i'",
        "CREATE FUNCTION risky(q text) RETURNS int LANGUAGE plpgsql AS "
        "$$ BEGIN EXECUTE q; RETURN 1; END $$",
    ),
    "mysql": (
        "CREATE VIEW v AS SELECT count(*) AS users FROM mysql.user",
        "CREATE FUNCTION doubled(i int) RETURNS int DETERMINISTIC RETURN 2 * i",
        "CREATE FUNCTION risky(q text) RETURNS int DETERMINISTIC RETURN get_lock(q, 0)",
    ),
}


ON_EACH = pytest.mark.parametrize("database", [on(e) for e in ENGINES], indirect=True)


def _on_each(*statements: str, **more: tuple[str, ...]) -> pytest.MarkDecorator:
    """Statements for every engine, and those for one."""
    pairs = [on(e, sql) for e in ENGINES for sql in (*statements, *more.get(e, ()))]
    return pytest.mark.parametrize(("database", "sql"), pairs, indirect=["database"])


def _status(database: Database, sql: str, limits: Limits = LIMITS) -> Status:
    return database.execute(sql, limits).status


# ---------------------------------------------------------------- what becomes of a prediction


@_on_each(
    "DELETE FROM t",
    "UPDATE t SET name = 'x'",
    "INSERT INTO t VALUES (-1, 'x')",
    "DROP TABLE t",
    "CREATE TABLE u AS SELECT 1",
    "ATTACH 'x.db' AS x",
    "COPY t TO 'x.csv'",
    "LOAD 'x'",
    "SELECT 1; SELECT 2",
    sqlite=("WITH x AS (SELECT 1) DELETE FROM t", "SELECT load_extension('x')"),
    duckdb=("WITH x AS (SELECT 1) DELETE FROM t", "SELECT * FROM read_csv('/etc/passwd')"),
    postgresql=("WITH x AS (DELETE FROM t RETURNING *) TABLE x", "SELECT pg_read_file('x')"),
    mysql=("SELECT load_file('x')", "SELECT * FROM t INTO OUTFILE 'x'"),
)
def test_a_prediction_that_writes_attaches_loads_copies_or_holds_a_second_statement_is_refused(
    database: Database, sql: str
) -> None:
    assert _status(database, sql) is Status.REFUSED


@_on_each(
    "SET a = 1",
    sqlite=("PRAGMA query_only = OFF", "SELECT * FROM pragma_query_only"),
    duckdb=("SELECT setseed(0.5)", "SELECT * FROM query('SELECT 1')", "SELECT write_log('x')"),
    postgresql=(
        "SELECT set_config('a.b', 'c', false)",
        "SELECT setseed(0.5)",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_terminate_backend(4194304)",
        "SELECT query_to_xml('select 1', true, false, '')",
    ),
    mysql=("SELECT get_lock('a', 0)", "SELECT * FROM t LOCK IN SHARE MODE", "KILL 1"),
)
def test_a_function_that_sets_locks_reaches_sessions_or_runs_a_text_is_refused(
    database: Database, sql: str
) -> None:
    assert _status(database, sql) is Status.REFUSED


@_on_each(
    sqlite=("SELECT sql FROM sqlite_stmt",),
    duckdb=("SELECT * FROM duckdb_secrets()", "SELECT * FROM duckdb_logs()"),
    postgresql=("TABLE pg_authid", "TABLE pg_shadow", "TABLE pg_stat_activity", "TABLE pg_stats"),
    mysql=(
        "SELECT * FROM mysql.user",
        "SELECT * FROM mysql.global_priv",
        "SELECT * FROM information_schema.processlist",
        "SELECT * FROM performance_schema.threads",
    ),
)
def test_the_servers_own_tables_are_refused(database: Database, sql: str) -> None:
    assert _status(database, sql) is Status.REFUSED


@ON_EACH
def test_what_has_not_ended_in_time_is_a_timeout(database: Database) -> None:
    sql = RECURSION.format(" WHERE x > 0", "count(*)")
    if database.engine.startswith("mysql"):
        pytest.skip("MySQL ends a recursion after 1000 rounds")
    assert _status(database, sql, Limits(seconds=0.3)) is Status.TIMEOUT


@_on_each("SELECT a.id FROM t AS a, t AS b")
def test_more_rows_or_bytes_than_the_limit_are_too_large(database: Database, sql: str) -> None:
    assert _status(database, sql, Limits(rows=999)) is Status.TOO_LARGE
    assert _status(database, sql, Limits(bytes=10_000)) is Status.TOO_LARGE
    assert _status(database, "SELECT id FROM t", Limits(rows=1000)) is Status.OK


def test_more_memory_than_the_limit_is_out_of_memory_on_duckdb(tmp_path: Path) -> None:
    pytest.importorskip("duckdb")
    database = open_databases(make_files("duckdb", tmp_path)).open("t")
    assert database is not None
    with closing(database):
        sql = "SELECT * FROM range(30000000) ORDER BY hash(range)"
        assert _status(database, sql, Limits(memory=32 * MIB)) is Status.OUT_OF_MEMORY


@_on_each("", "-- nothing", "The answer is 42.", "SELECT * FROM", "SELECT missing FROM t")
def test_no_statement_is_an_error(database: Database, sql: str) -> None:
    assert _status(database, sql) is Status.ERROR


@_on_each(
    sqlite=("SELECT readfile('x')", "SELECT * INTO u FROM t"),
    duckdb=("SELECT getenv('HOME')",),
    postgresql=("SELECT load_file('x')",),
    mysql=("WITH d AS (DELETE FROM t RETURNING id) SELECT * FROM d", "SELECT 1 INTO @v"),
)
def test_an_attempt_in_words_that_the_engine_does_not_understand_is_an_error(
    database: Database, sql: str
) -> None:
    assert _status(database, sql) is Status.ERROR


# ---------------------------------------------------------------- how it is stopped


@_on_each(
    "SELECT ';', ';' ; DELETE FROM t",
    "SELECT 1 /* ; */ ; DELETE FROM t",
    "SELECT 1 -- ; \n ; DELETE FROM t",
    postgresql=("SELECT $$;$$; DELETE FROM t", "SELECT E'\\';'; DELETE FROM t"),
    mysql=("SELECT '\\';'; DELETE FROM t", "SELECT 1 # ;\n; DELETE FROM t"),
)
def test_strings_and_comments_cannot_hide_a_second_statement(database: Database, sql: str) -> None:
    assert _status(database, sql) is Status.REFUSED


@_on_each(
    "SELECT\xa0id FROM t",
    "SELECT id\fFROM t",
    "SELECT id FROM t\u2003WHERE id = 1",
    "SELECT id FROM t -- all\rof them",
)
def test_what_engines_read_in_different_ways_is_refused_and_the_message_says_where(
    database: Database, sql: str
) -> None:
    execution = database.execute(sql, LIMITS)
    assert execution.status is Status.REFUSED
    assert "line 1, column" in execution.message


@_on_each(
    "SELECT name, '\xa0\f' AS x FROM t\r\nWHERE id = 1 -- one\r\n",
    "/* all */ SELECT/* of */id -- them\nFROM t",
)
def test_comments_and_ends_of_lines_are_no_part_of_what_is_sent(
    database: Database, sql: str
) -> None:
    assert _status(database, sql) is Status.OK


def test_what_only_a_newer_server_understands_is_refused() -> None:
    grammar = pytest.importorskip("sqljury.databases.postgresql_words")
    sql = "SELECT a FROM t QUALIFY b"
    assert grammar.read_statement(sql, 170000).status is Status.ERROR
    assert grammar.read_statement(sql, 180000).status is Status.REFUSED
    assert "PostgreSQL 17" in grammar.read_statement(sql, 180000).message


@_on_each(
    "SELECT id AS query, name AS version FROM t LIMIT 1",
    "SELECT 'what; DROP TABLE t' AS a",
)
def test_ordinary_words_are_not_refused(database: Database, sql: str) -> None:
    assert _status(database, sql) is Status.OK


@pytest.mark.parametrize(
    ("database", "sql"),
    [
        on("postgresql", "SELECT id FROM t WHERE name = 'set_config'"),
        on("mysql", "SELECT id FROM t WHERE name = 'load_file'"),
    ],
    indirect=["database"],
)
def test_a_text_that_holds_a_refused_name_is_refused(database: Database, sql: str) -> None:
    assert _status(database, sql) is Status.REFUSED


ON_SERVERS = pytest.mark.parametrize("database", [on("postgresql"), on("mysql")], indirect=True)


@ON_SERVERS
def test_views_and_functions_that_are_not_refused_are_run_as_they_are(database: Database) -> None:
    assert _status(database, "SELECT * FROM v") is Status.OK
    assert _status(database, "SELECT doubled(id) FROM t") is Status.OK
    assert _status(database, "SELECT risky('select 1')") is Status.REFUSED


# ---------------------------------------------------------------- in the engines' own ways


@pytest.mark.parametrize("database", [on("mysql")], indirect=True)
def test_a_recursion_is_not_cut_on_mariadb(database: Database) -> None:
    if not database.engine.startswith("mariadb"):
        pytest.skip("MySQL ends it with an error")
    execution = database.execute(RECURSION.format(" WHERE x < 5000", "count(*)"), LIMITS)
    assert execution.table is not None
    assert execution.table.rows == [(5000,)]


@pytest.mark.parametrize("database", [on("mysql")], indirect=True)
def test_a_group_concat_is_cut_at_16_mib(database: Database) -> None:
    sql = "SELECT length(group_concat(repeat('x', 50000))) FROM t"
    execution = database.execute(sql, LIMITS)
    assert execution.table is not None
    assert execution.table.rows == [(16 * MIB,)]


@pytest.mark.parametrize("database", [on("mysql")], indirect=True)
def test_a_value_longer_than_a_packet_is_null(database: Database) -> None:
    sql = "SELECT repeat('x', @@max_allowed_packet + 1)"
    execution = database.execute(sql, LIMITS)
    assert execution.table is not None
    assert execution.table.rows == [(None,)]


# ---------------------------------------------------------------- memory of SQLite


def test_memory_is_limited_on_sqlite(tmp_path: Path) -> None:
    """In a process of its own: the limit cannot be raised again."""
    import subprocess
    import sys

    path = make_files("sqlite", tmp_path)
    script = (
        "from sqljury.databases import open_databases; from sqljury.execution import Limits; "
        f"d = open_databases({str(path)!r}).open('t'); "
        "print(d.execute('WITH r(x) AS (SELECT a.id || hex(zeroblob(200)) FROM t AS a, t AS b) "
        "SELECT x FROM r ORDER BY x', Limits(memory=8_000_000, seconds=9)).status.value)"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert result.stdout == "out_of_memory\n", result.stderr
    assert sqlite3.connect(path).execute("SELECT count(*) FROM t").fetchone() == (1000,)
