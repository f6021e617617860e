"""Statements that must be stopped, for every engine: what they try, and how they may end.

They are written for a table ``t(id INTEGER PRIMARY KEY, name TEXT)`` with :data:`ROWS` rows.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqljury.execution import Status

ROWS = 2000

ENGINES = ("sqlite", "duckdb", "postgresql", "mysql")

OK = Status.OK
ERROR = Status.ERROR
TIMEOUT = Status.TIMEOUT
TOO_LARGE = Status.TOO_LARGE
MEMORY = Status.OUT_OF_MEMORY
REFUSED = Status.REFUSED


@dataclass(frozen=True)
class Hostile:
    """One statement, and the statuses in which it may end."""

    name: str
    sql: str
    statuses: tuple[Status, ...]
    engines: tuple[str, ...] = ENGINES

    def __str__(self) -> str:
        return self.name.replace(" ", "-")


def _refused(*statements: str, engines: tuple[str, ...] = ENGINES) -> list[Hostile]:
    return [Hostile(sql, sql, (REFUSED,), engines) for sql in statements]


_WRITES = _refused(
    "INSERT INTO t VALUES (-1, 'x')",
    "UPDATE t SET name = 'x'",
    "DELETE FROM t",
    "delete from t",
    "REPLACE INTO t VALUES (1, 'x')",
    "TRUNCATE TABLE t",
    "DROP TABLE t",
    "ALTER TABLE t ADD COLUMN c INTEGER",
    "CREATE TABLE u (id INTEGER)",
    "CREATE TABLE u AS SELECT * FROM t",
    "CREATE TEMP TABLE u AS SELECT * FROM t",
    "CREATE VIEW v AS SELECT * FROM t",
    "CREATE INDEX i ON t (name)",
    "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END",
    "MERGE INTO t USING t AS s ON t.id = s.id WHEN MATCHED THEN DELETE",
    "COPY t TO 'stolen.csv'",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s",
    "EXPLAIN ANALYZE DELETE FROM t",
    "ANALYZE",
    "VACUUM",
    "VACUUM INTO 'stolen.db'",
    "ATTACH DATABASE 'stolen.db' AS s",
    "ATTACH 'stolen.db' AS s",
    "DETACH DATABASE main",
    "PRAGMA writable_schema = ON",
    "PRAGMA query_only = OFF",
    "PRAGMA journal_mode = WAL",
    "SET GLOBAL max_execution_time = 0",
    "SET statement_timeout = 0",
    "SET lock_configuration = false",
    "RESET ALL",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD DATA INFILE '/etc/hosts' INTO TABLE t",
    "EXPORT DATABASE 'stolen'",
    "IMPORT DATABASE 'stolen'",
    "CALL pragma_version()",
    "DO $$ BEGIN DELETE FROM t; END $$",
    "/* harmless */ DELETE FROM t -- SELECT 1",
    "-- SELECT\nDROP TABLE t",
    "((DELETE FROM t))",
)

_SECOND_STATEMENTS = _refused(
    "SELECT 1; DELETE FROM t",
    "SELECT 1; SELECT 2",
    "COMMIT; DELETE FROM t",
    "SELECT 1 /* ; */ ; DROP TABLE t",
    "SELECT 1 -- \n; DROP TABLE t",
    "SELECT ';' ; DELETE FROM t",
    "SELECT 'it''s;' ; DELETE FROM t;",
    ";;SELECT 1;; DELETE FROM t;;",
    "WITH x AS (SELECT 1) SELECT * FROM x; VACUUM",
)

_IN_DISGUISE = [
    Hostile("write after WITH", "WITH x AS (SELECT 1) DELETE FROM t", (REFUSED, ERROR)),
    Hostile(
        "insert after WITH", "WITH x AS (SELECT 1) INSERT INTO t SELECT -1, 'x'", (REFUSED, ERROR)
    ),
    Hostile(
        "data-modifying CTE",
        "WITH d AS (DELETE FROM t RETURNING id) SELECT * FROM d",
        (REFUSED, ERROR),
    ),
    Hostile("select into", "SELECT * INTO u FROM t", (REFUSED, ERROR)),
    Hostile("select into a file", "SELECT * FROM t INTO OUTFILE 'stolen.csv'", (REFUSED, ERROR)),
    Hostile("table of a file", "SELECT * FROM '/etc/passwd'", (REFUSED, ERROR)),
    Hostile("nothing", "", (ERROR,)),
    Hostile("only a comment", "-- SELECT 1", (ERROR,)),
    Hostile("only semicolons", " ; ;; ", (ERROR,)),
    Hostile("prose", "Here is the query you asked for: SELECT 1", (ERROR,)),
    Hostile("half a statement", "SELECT * FROM", (ERROR,)),
    Hostile("an open string", "SELECT 'abc", (ERROR,)),
    Hostile("NUL", "SELECT 'a\0b'", (ERROR, OK)),
    Hostile("half a surrogate pair", "SELECT '\ud800'", (ERROR,)),
    Hostile("a parameter", "SELECT * FROM t WHERE id = ?", (ERROR,)),
    Hostile("ten megabytes", f"SELECT {'1,' * 5_000_000}1", (ERROR,)),
    Hostile("deep parentheses", f"SELECT {'(' * 20_000}1{')' * 20_000}", (ERROR, OK, MEMORY)),
    Hostile("deep negation", f"SELECT {'- ' * 50_000}1", (ERROR, OK, MEMORY)),
]

_SQLITE = [
    Hostile(name, sql, statuses, ("sqlite",))
    for name, sql, statuses in (
        ("load_extension", "SELECT load_extension('evil.so')", (REFUSED,)),
        ("tokenizer pointer", "SELECT fts3_tokenizer('x', x'0000000000000000')", (REFUSED,)),
        ("write to sqlite_master", "WITH x AS (SELECT 1) DELETE FROM sqlite_master", (REFUSED,)),
        (
            "change sqlite_master",
            "WITH x AS (SELECT 1) UPDATE sqlite_master SET sql = ''",
            (REFUSED,),
        ),
        ("path of the file", "SELECT file FROM pragma_database_list", (REFUSED,)),
        ("a setting", "SELECT * FROM pragma_journal_mode('wal')", (REFUSED, ERROR)),
        ("readfile", "SELECT readfile('/etc/passwd')", (REFUSED, ERROR)),
        ("writefile", "SELECT writefile('stolen', 'x')", (REFUSED, ERROR)),
        ("zeroblob", "SELECT zeroblob(2e9)", (TOO_LARGE,)),
        ("zeroblobs", "SELECT zeroblob(2e8) FROM t", (TIMEOUT, TOO_LARGE, MEMORY)),
        ("randomblob", "SELECT randomblob(1000000000)", (TOO_LARGE, MEMORY)),
        ("randomblobs", "SELECT randomblob(100000) FROM t, t AS u", (TIMEOUT, TOO_LARGE)),
        (
            "group_concat",
            "SELECT group_concat(hex(zeroblob(100000))) FROM t, t AS u",
            (TOO_LARGE, TIMEOUT),
        ),
        (
            "hex doubling",
            "SELECT hex(hex(hex(hex(hex(zeroblob(50000000))))))",
            (TIMEOUT, TOO_LARGE),
        ),
        ("wide format", "SELECT printf('%1000000000d', 1)", (OK, TOO_LARGE)),
        (
            "replace",
            "SELECT replace(hex(zeroblob(9e6)), '0', hex(zeroblob(9e6)))",
            (TIMEOUT, TOO_LARGE),
        ),
        (
            "LIKE",
            f"SELECT hex(zeroblob(400000)) LIKE '{'%0' * 50}%1' FROM t",
            (OK, TIMEOUT),
        ),
        ("GLOB", f"SELECT hex(zeroblob(400000)) GLOB '{'*[0]' * 50}1' FROM t", (OK, TIMEOUT)),
        (
            "doubling CTEs",
            "WITH c0 AS (SELECT 1 AS x), "
            + ", ".join(
                f"c{i} AS (SELECT x FROM c{i - 1} UNION ALL SELECT x FROM c{i - 1})"
                for i in range(1, 16)
            )
            + " SELECT count(*) FROM c15, c15 AS d, t",
            (OK, TIMEOUT, MEMORY),
        ),
        ("many columns", f"SELECT {','.join(['t.*'] * 2000)} FROM t", (ERROR,)),
    )
]

_DUCKDB = [
    Hostile(name, sql, statuses, ("duckdb",))
    for name, sql, statuses in (
        ("read_csv", "SELECT * FROM read_csv('/etc/passwd')", (REFUSED,)),
        ("read_text", "SELECT content FROM read_text('/etc/passwd')", (REFUSED,)),
        ("glob", "SELECT * FROM glob('/etc/*')", (REFUSED,)),
        ("sniff_csv", "SELECT * FROM sniff_csv('/etc/passwd')", (REFUSED,)),
        ("getenv", "SELECT getenv('HOME')", (ERROR, REFUSED)),
        ("secrets", "FROM duckdb_secrets()", (REFUSED,)),
        ("another engine", "SELECT * FROM sqlite_scan('x.db', 't')", (ERROR, REFUSED)),
        ("query of a write", "SELECT * FROM query('DELETE FROM t')", (ERROR, REFUSED)),
        ("a setting", "SELECT * FROM enable_logging()", (ERROR, REFUSED)),
        ("checkpoint", "SELECT * FROM force_checkpoint()", (ERROR, REFUSED)),
        ("from-first write", "FROM t INSERT INTO t SELECT *", (ERROR, REFUSED)),
        ("long strings", "SELECT repeat('a', 200000) FROM t", (TIMEOUT, TOO_LARGE, MEMORY)),
        (
            "aggregate",
            "SELECT string_agg(repeat('a', 1000), '') FROM t, t AS u",
            (TIMEOUT, MEMORY, TOO_LARGE),
        ),
        ("LIKE", f"SELECT repeat('a', 300000) LIKE '{'%a' * 50}%b' FROM t", (OK, TIMEOUT)),
        ("regexp", "SELECT regexp_matches(repeat('a', 100000), '(a+)+$b') FROM t", (OK, TIMEOUT)),
        ("sort", "SELECT * FROM range(100000000) ORDER BY hash(range)", (MEMORY, TIMEOUT)),
    )
]

_ENDLESS = [
    Hostile(
        "30-join cross product",
        f"SELECT sum({' + '.join(f't{i}.id' for i in range(30))}) "
        f"FROM {', '.join(f't AS t{i}' for i in range(30))}",
        (TIMEOUT, MEMORY),
    ),
    Hostile(
        "endless recursion",
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT count(*) FROM r",
        (TIMEOUT, MEMORY, ERROR),  # MySQL ends it by cte_max_recursion_depth
    ),
    Hostile(
        "endless rows",
        "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT x FROM r",
        (TOO_LARGE, TIMEOUT, MEMORY, ERROR),
    ),
    Hostile("too many rows", "SELECT a.id FROM t AS a, t AS b", (TOO_LARGE, TIMEOUT)),
]

HOSTILE = [*_WRITES, *_SECOND_STATEMENTS, *_IN_DISGUISE, *_SQLITE, *_DUCKDB, *_ENDLESS]

HARMLESS = [
    "SELECT 1",
    "SELECT 1;",
    "SELECT 1; -- x",
    "SELECT 1;;",
    ";SELECT 1",
    "-- first\nSELECT 1",
    "/* a; b */ SELECT 1",
    "SELECT 1 WHERE ';' <> 'DROP TABLE t'",
    "SELECT 1 /* ; DELETE FROM t */",
    "SELECT 1 -- ; DELETE FROM t",
    "SELECT 1 -- it's",
    "WITH x AS (SELECT 1 AS y) SELECT y FROM x",
]
"""Statements that look suspicious and give the single row ``(1,)`` everywhere."""

UNSTOPPABLE = {
    "sqlite": (
        "SELECT instr(hex(zeroblob(400000)), hex(zeroblob(200000)) || 'x') FROM t",
        "SELECT printf('%.*c', 2000000000, 'x') FROM t",
    ),
    "duckdb": (
        "SELECT levenshtein(repeat('a', 200000), repeat('b', 200000))",
        "SELECT repeat('a', 2000000000)",
    ),
}
"""One call of a function that runs longer than any limit: only killing the process ends it."""


def for_engine(engine: str) -> list[Hostile]:
    """The statements that concern one engine."""
    return [statement for statement in HOSTILE if engine in statement.engines]
