"""The lexical guard: what is one query, in each dialect's own lexical rules."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.databases.guard import MAX_LENGTH, admit
from sqljury.execution import Execution, Status

DIALECTS = ("sqlite", "duckdb", "postgres", "mysql", "tsql")


@pytest.mark.parametrize(
    ("dialect", "sql", "admitted"),
    [
        ("sqlite", "SELECT 1", "SELECT 1"),
        ("sqlite", "  select 1 ;\n", "  select 1"),
        ("sqlite", "\n;; SELECT 1 ; -- done", "SELECT 1"),
        ("sqlite", "VALUES (1)", "VALUES (1)"),
        ("sqlite", "((SELECT 1))", "((SELECT 1))"),
        ("sqlite", "/* a; b */ SELECT 1;", "SELECT 1"),
        ("sqlite", "/* SELECT */ SELECT ';' ; ", "SELECT ';'"),
        ("sqlite", "SELECT 'it''s; fine'", "SELECT 'it''s; fine'"),
        ("sqlite", 'SELECT ";" , `;`, [;] FROM t', 'SELECT ";" , `;`, [;] FROM t'),
        ("sqlite", "SELECT 1 -- ; DROP", "SELECT 1"),
        ("duckdb", "FROM t", "FROM t"),
        ("duckdb", "PIVOT t ON name", "PIVOT t ON name"),
        ("duckdb", "SELECT [1, 2][1]", "SELECT [1, 2][1]"),
        ("postgres", "TABLE t", "TABLE t"),
        ("postgres", "SELECT $$;$$, $a$ $$; $a$", "SELECT $$;$$, $a$ $$; $a$"),
        ("postgres", r"SELECT E'\';'", r"SELECT E'\';'"),
        ("postgres", "/* /* ; */ ; */ SELECT 1", "SELECT 1"),
        ("mysql", r"SELECT '\';'", r"SELECT '\';'"),
        ("mysql", "SELECT 1 # ; DROP", "SELECT 1"),
        ("mysql", "SELECT 1 -- ; DROP", "SELECT 1"),
        ("mysql", "SELECT 5--3, 5---3", "SELECT 5- -3, 5- - -3"),
        ("mysql", "SELECT '/*! no comment */'", "SELECT '/*! no comment */'"),
        ("mysql", "SELECT /*+ NO_ICP(t) */ 1", "SELECT   1"),
        ("tsql", "SELECT ';'", "SELECT ';'"),
    ],
)
def test_admitted(dialect: str, sql: str, admitted: str) -> None:
    assert admit(sql, dialect) == admitted


@pytest.mark.parametrize(
    ("dialect", "sql", "message"),
    [
        ("sqlite", "DROP TABLE t", "DROP is not a query"),
        ("sqlite", "/* x */ -- y\n(update t)", "UPDATE is not a query"),
        ("sqlite", "EXPLAIN SELECT 1", "EXPLAIN is not a query"),
        ("sqlite", "SELECT 1; SELECT 2", "more than one statement"),
        ("sqlite", "SELECT 1; Have a nice day", "more than one statement"),
        ("sqlite", r"SELECT '\'; DROP TABLE t; --'", "more than one statement"),
        ("postgres", r"SELECT '\'; DROP TABLE t; --'", "more than one statement"),
        ("postgres", "/* /* */ SELECT 1 */ DROP TABLE t", "DROP is not a query"),
        ("postgres", "SELECT a$x$ ; DROP TABLE t; --$x$", "more than one statement"),
        ("mysql", "/* /* */ DROP TABLE t", "DROP is not a query"),
        ("mysql", "SELECT 1 --; DROP TABLE t", "more than one statement"),
        ("mysql", "SELECT 1 /*!50000 ; DROP TABLE t */", "a comment that the server would execute"),
        ("mysql", "/*M! DROP TABLE t */", "a comment that the server would execute"),
    ],
)
def test_refused(dialect: str, sql: str, message: str) -> None:
    assert admit(sql, dialect) == Execution(Status.REFUSED, message=message)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("", "empty"),
        (" ;\n-- SELECT 1", "empty"),
        ("SELECTED 1", "cannot begin with 'SELECTED 1'"),
        ("Sure! SELECT 1", "cannot begin with 'Sure! SELECT 1'"),
        ("```sql\nSELECT 1\n```", "cannot begin with '```sql"),
        ("1", "cannot begin with '1'"),
        ("SELECT '\udc80'", "surrogate"),
        ("SELECT " + "1" * MAX_LENGTH, "too long"),
    ],
)
def test_errors_of_the_prediction(dialect: str, sql: str, words: str) -> None:
    outcome = admit(sql, dialect)
    assert isinstance(outcome, Execution)
    assert outcome.status is Status.ERROR
    assert words in outcome.message


@given(
    text=st.text(alphabet="ab ;'\"`-/*#$\\\n()[]", max_size=40), dialect=st.sampled_from(DIALECTS)
)
def test_never_raises_and_admits_only_queries(text: str, dialect: str) -> None:
    admitted = admit("SELECT " + text, dialect)
    if isinstance(admitted, str):
        assert admitted.startswith("SELECT")
        assert admit(admitted, dialect) == admitted
    assert isinstance(admit(text, dialect), Execution)


@given(text=st.text(alphabet="ab;'\"-/*#\n", max_size=30), dialect=st.sampled_from(DIALECTS))
def test_a_quoted_text_hides_nothing_behind_it(text: str, dialect: str) -> None:
    literal = "'" + text.replace("'", "''") + "'"
    assert isinstance(admit(f"SELECT {literal}", dialect), str)
    assert isinstance(admit(f"SELECT {literal}; DROP TABLE t", dialect), Execution)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "text",
    [
        "E'a' " + "--x" * 40 + "\n b",
        "E'a' -- x\n" * 20_000 + "b",
        "$a$ $b$ " * 20_000,
        "'" * 200_001,
        "/*" * 200_000,
        "[ " * 200_000,
        "E'" + "\\'" * 200_000,
    ],
    ids=lambda text: text[:8],
)
def test_no_text_is_read_again_and_again(dialect: str, text: str) -> None:
    """Seconds where each character is looked at a few times, years where comments are."""
    admit("SELECT " + text, dialect)
