"""A statement sees its session as if it were the first, whatever ran before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from attempts import make_files
from servers import Server, on

from sqljury.databases import Database, open_databases
from sqljury.execution import Limits

LIMITS = Limits()

# Each may leave something behind, and each may see it.
STATEMENTS = {
    "sqlite": (
        "SELECT name FROM t WHERE id = 4711",
        "SELECT changes(), total_changes(), last_insert_rowid()",
        "SELECT count(*), sum(run) FROM sqlite_stmt",
        "SELECT count(*) FROM t WHERE name LIKE 'N%'",
        "PRAGMA case_sensitive_like = ON",
        "PRAGMA cache_size = 5",
        "CREATE TEMP TABLE left_behind AS SELECT 1",
        "SELECT count(*) FROM sqlite_temp_master",
        "SELECT * FROM left_behind",
    ),
    "duckdb": (
        "SELECT setseed(0.5)",
        "SELECT setseed(0.5), random()",
        "SELECT hash(random()) IN (SELECT hash(random()))",
        "SET VARIABLE v = 5",
        "SELECT getvariable('v')",
        "PIVOT t ON id % 3 USING count(*)",
        "PIVOT (SELECT id % 2 AS a FROM t) ON a USING count(*)",
        "SELECT count(*) FROM duckdb_types()",
        "SELECT type_name FROM duckdb_types() WHERE type_name LIKE '%pivot%'",
        "CREATE TEMP TABLE left_behind AS SELECT 1",
        "SELECT * FROM left_behind",
        "SELECT count(*) FROM duckdb_tables()",
        "SELECT nextval('s')",
        "SELECT currval('s')",
        "SELECT current_setting('TimeZone'), current_setting('threads')",
        "PREPARE p AS SELECT 1",
        "SELECT count(*) FROM duckdb_prepared_statements()",
        "SELECT current_query_id(), current_transaction_id()",
        "SELECT * FROM duckdb_logs()",
        "SELECT write_log('x')",
    ),
    "postgresql": (
        "SELECT setseed(0.5)",
        "SELECT setseed(0.5), random()",
        "SELECT set_config('a.b', 'c', false)",
        "SELECT set_config('extra_float_digits', '-10', false)",
        "SELECT current_setting('a.b', true)",
        "SELECT 1.0::float8 / 3",
        "SELECT nextval('s')",
        "SELECT currval('s'), lastval()",
        "SELECT set_limit(0.1)",
        "SELECT * INTO TEMP left_behind FROM t",
        "SELECT * FROM left_behind",
        "SELECT pg_advisory_lock(5)",
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'",
        "PREPARE p AS SELECT 1",
        "SELECT count(*) FROM pg_prepared_statements",
        "SELECT DATE '2020-02-01', '1 day 2 hours'::interval::text",
        "SELECT txid_current_if_assigned()",
    ),
    "mysql": (
        "SELECT @v := 5",
        "SELECT @v",
        "SELECT last_insert_id(7)",
        "SELECT last_insert_id()",
        "SELECT SQL_CALC_FOUND_ROWS id FROM t LIMIT 1",
        "SELECT found_rows(), row_count()",
        "SELECT get_lock('sessions', 0)",
        "SELECT is_used_lock('sessions')",
        "SELECT 1 INTO @v",
        "SELECT nextval(s)",
        "SELECT lastval(s)",
        "CREATE TEMPORARY TABLE left_behind AS SELECT 1",
        "SELECT * FROM left_behind",
        "SELECT @@tx_read_only, @@sql_mode, @@autocommit",
        "SELECT 1 / 0, @@warning_count, @@error_count",
        "SELECT identity_test.x FROM (SELECT @@identity AS x) AS identity_test",
    ),
}


@pytest.fixture
def opens(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[str, Callable[[], Database]]]:
    """A way to open the same database anew."""
    engine = request.param
    if engine == "duckdb":
        pytest.importorskip("duckdb")
    if engine in ("sqlite", "duckdb"):
        place, name = str(make_files(engine, tmp_path)), "t"
    else:
        server: Server = request.getfixturevalue(engine)
        table = "CREATE TABLE t (id integer PRIMARY KEY, name varchar(9))"
        name = server.create(
            table, "INSERT INTO t VALUES (1, 'n1'), (2, 'n2')", "CREATE SEQUENCE s"
        )
        place = server.url + name

    def opened() -> Database:
        database = open_databases(place).open(name)
        assert database is not None
        return database

    yield engine, opened


_EACH = [on(engine) for engine in STATEMENTS]


@pytest.mark.parametrize("opens", _EACH, indirect=True)
def test_a_statement_sees_what_it_would_see_first(
    opens: tuple[str, Callable[[], Database]],
) -> None:
    engine, opened = opens
    first = {sql: _outcome(opened, sql) for sql in STATEMENTS[engine]}
    with closing(opened()) as database:
        for sql in (*STATEMENTS[engine], *reversed(STATEMENTS[engine])):
            assert _told(database, sql) == first[sql], sql


@pytest.mark.slow
@pytest.mark.parametrize("opens", _EACH, indirect=True)
def test_no_statement_depends_on_the_one_before(opens: tuple[str, Callable[[], Database]]) -> None:
    engine, opened = opens
    first = {sql: _outcome(opened, sql) for sql in STATEMENTS[engine]}
    with closing(opened()) as database:
        for one, other in product(STATEMENTS[engine], repeat=2):
            database.execute(one, LIMITS)
            assert _told(database, other) == first[other], (one, other)


def _outcome(opened: Callable[[], Database], sql: str) -> Any:
    with closing(opened()) as database:
        return _told(database, sql)


def _told(database: Database, sql: str) -> Any:
    execution = database.execute(sql, LIMITS)
    return execution.status, execution.table and execution.table.rows
