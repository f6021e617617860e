"""What is checked is what is sent: no character and no comment makes an engine read another
statement than the one that was checked. Every odd character and every form of a comment stands in
every position, on every engine as every kind of login."""

from __future__ import annotations

import re
import sqlite3
import unicodedata
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from itertools import product

import pytest
from attempts import (
    AT_LEISURE,
    ENGINES,
    LOGINS,
    Target,
    drop_login,
    file_target,
    make_files,
    make_server,
    reads_secret,
    server_target,
)
from hypothesis import given
from hypothesis import strategies as st

from sqljury.databases.guard import admit, mysql_dialect, without_strings
from sqljury.execution import Execution, Status

CONTROLS = [chr(i) for i in (*range(32), *range(0x7F, 0xA0)) if chr(i) not in "\t\n"]
SPACES = [c for i in range(0xA0, 0x110000) if unicodedata.category(c := chr(i))[0] == "Z"]
INVISIBLE = list("\u180e\u200b\u200c\u200d\u200e\u202e\u2060\u2066\ufeff\u00ad\U000e0020\ue000")
ODD = [*CONTROLS, *SPACES, *INVISIBLE]

DIALECTS = (
    *("sqlite", "duckdb", "postgres", "oracle"),
    *("snowflake", "bigquery", "databricks", "trino", "tsql", "redshift"),
    *map(mysql_dialect, ("", "ANSI_QUOTES", "NO_BACKSLASH_ESCAPES,ANSI_QUOTES")),
)
COMMENTS = (
    *("--{}", "-- {}", "--x{}", "--{}x", "#{}", "# x{}x", "//{}"),
    *(
        "/*{}*/",
        "/* x{}",
        "/*/* {} */",
        "/*/* {} */*/",
        "/*{}/*",
        "*/{}",
        "/*!{}*/",
        "/*!50000 {}*/",
    ),
    *("/*M!{}*/", "/*M!100000 {} */", "/*+{}*/", "/*+ SET_VAR(x={}) */", "/**/{}", "-/**/-{}"),
    *(
        "/{}*",
        "-{}-",
        "'--{}'",
        "'{}",
        '"{}',
        "`{}`",
        "[{}",
        "$${}$$",
        "$a${}",
        "E'\\'{}'",
        "'\\'{}'",
    ),
)
"""What an odd character, or the hidden part of a statement, stands in."""

HIDDEN = {
    "sqlite": ", load_extension('x')",
    "duckdb": ", seeds(0.5)",
    "postgresql": ", secret_of(7)",
    "mysql": ", take_lock()",
}
"""A second column that is refused wherever it is read."""


def _statements(hidden: str) -> Iterator[str]:
    name, _, rest = hidden.partition("(")
    for odd in (*ODD, "\r\n", " ", ""):
        yield f"SELECT 1 AS a{odd}{hidden}"
        yield f"SELECT 1 AS a --{odd}{hidden}"
        yield f"{odd}SELECT 1 AS a{hidden}{odd}"
        yield f"SELECT 1 AS a {name}{odd}({rest}"
        yield f"SELECT{odd}1 AS a;{odd}SELECT 2{hidden}"
    for comment, odd in product(
        COMMENTS, ("\r", "\n", "\r\n", "\f", "\v", "\0", "\x1f", " ", "\xa0")
    ):
        made = comment.format(odd)
        yield f"SELECT 1 AS a {made}{hidden}"
        yield f"{made}SELECT 1 AS a{hidden}"
        yield f"SELECT 1 AS a {comment.format(odd + hidden)}"
        yield f"SELECT 1 AS a {comment.format(odd + hidden + odd)}\n"
        yield f"SELECT 1 AS a {comment.format(odd + '*/' + hidden)}"
        yield f"SELECT 1 AS a {made}\n{hidden}"
        yield f"SELECT '{made}' AS a {made}{hidden} --'"
        for quote in ("'", '"', "`", "$$"):
            behind = comment.format(odd + quote)
            yield f"SELECT 1 AS a {behind}\n{hidden} -- {quote}"
            yield f"SELECT 1 {behind}\n{hidden} -- {quote}"


# ---------------------------------------------------------------- the guard alone


_NAMES = {
    **dict.fromkeys(("postgres", "snowflake", "trino", "redshift"), r"\"[^\"]*\""),
    "sqlite": r"\"[^\"]*\"|`[^`]*`|\[[^\]]*\]",
    "oracle": r"\"[^\"]*\"|`[^`]*`|\[[^\]]*\]",
    "tsql": r"\"[^\"]*\"|\[(?:[^\]]|\]\])*+\]",
    "bigquery": r"`(?:[^`\\]|\\.)*+`",
    "databricks": r"`[^`]*`",
}


def _is_plain(sent: str, dialect: str) -> bool:
    """Whether nothing outside quotes can be read in two ways."""
    bare = re.sub(_NAMES.get(dialect, r"\"[^\"]*\"|`[^`]*`"), "", without_strings(sent, dialect))
    opened = ["--", "/*"] + ["#"] * dialect.startswith(("mysql", "bigquery"))
    opened += ["//"] * (dialect == "snowflake")
    return all(c in "\t\n" or c >= " " for c in bare) and not any(o in bare for o in opened)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_is_sent_has_no_comment_and_no_odd_character(dialect: str) -> None:
    for statement in _statements(", f(7)"):
        sent = admit(statement, dialect)
        if isinstance(sent, str):
            assert _is_plain(sent, dialect), statement
            assert admit(sent, dialect) == sent, statement


@given(
    text=st.text(
        alphabet="aeE1 ;'\"`-/*#$\\!\n\r\t\f\v\0\x01\x85\xa0\u2028\ufeff()[]ß", max_size=30
    ),
    dialect=st.sampled_from(DIALECTS),
)
def test_what_is_sent_is_read_again_as_it_was(text: str, dialect: str) -> None:
    sent = admit("SELECT " + text, dialect)
    if isinstance(sent, str):
        assert _is_plain(sent.replace("\xa0", " "), dialect)
        assert admit(sent, dialect) == sent


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_odd_character_is_refused_and_named(dialect: str) -> None:
    for odd in filter(lambda character: character != "\r", ODD):
        outcome = admit(f"SELECT\n 1 AS{odd}a", dialect)
        assert isinstance(outcome, Execution)
        assert outcome.status is Status.REFUSED
        assert f"U+{ord(odd):04X}" in outcome.message
        assert "at line 2, column 6" in outcome.message


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    ("sql", "sent"),
    [
        ("SELECT 1,\r\n2\r+ 3", "SELECT 1,\n2\n+ 3"),
        ("SELECT 1 -- one\r\n+ 2", "SELECT 1  \n+ 2"),
        ("SELECT 'a\r\nb\xa0c\x01' AS x", "SELECT 'a\r\nb\xa0c\x01' AS x"),
        ("SELECT größe, 名 FROM t", "SELECT größe, 名 FROM t"),
    ],
)
def test_ordinary_texts_are_sent(dialect: str, sql: str, sent: str) -> None:
    assert admit(sql, dialect) == sent


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("comment", ["-- a\rb", "-- \x0b", "/* \0 */", "-- a\u2028b", "/*\x85*/"])
def test_a_comment_that_engines_read_differently_is_refused(dialect: str, comment: str) -> None:
    outcome = admit(f"SELECT 1 {comment}\n", dialect)
    assert isinstance(outcome, Execution)
    assert outcome.status is Status.REFUSED


@pytest.mark.parametrize(
    "sql", [r"SELECT '\'' AS a --'", "SELECT 1 --x", "SELECT 1 # x", "SELECT $$'$$ AS a --'"]
)
def test_an_unknown_engine_gets_what_all_engines_read_in_the_same_way(sql: str) -> None:
    for outcome in (admit(sql, "oracle"), admit(sql, "postgres", pinned=False)):
        assert isinstance(outcome, Execution)
        assert outcome.status is Status.REFUSED


def test_quotes_are_read_as_the_session_of_mysql_has_them() -> None:
    backslash = "SELECT '\\', f(), '"
    assert admit(backslash + "#'", "mysql") == backslash
    assert admit(backslash + "#'", mysql_dialect("NO_BACKSLASH_ESCAPES")) == backslash + "#'"
    assert without_strings('SELECT "f"()', mysql_dialect("ANSI_QUOTES,ANSI")) == 'SELECT "f"()'
    assert without_strings('SELECT "f"()', "mysql") == "SELECT  ()"


# ---------------------------------------------------------------- the engines' own parsers

PIECES = [
    *("f(1)", "'", '"', "`", "$$", "$a$", "\\", "\\'", "''", "E'", "N'", "U&'", "x'", "1E", "$1"),
    *(
        "a",
        "_",
        "é",
        " ",
        "\n",
        "\r",
        ",",
        "-",
        "/",
        "*",
        "#",
        "[",
        "]",
        "{",
        "}",
        "(",
        ")",
        ".",
        "::",
    ),
    *("@", "@'", "_utf8", " AS ", " UNION SELECT ", "||", "+", "=", "?", ":a", ";", "!", "|"),
]


def _called_in_sqlite(sql: str) -> bool:
    called: set[str] = set()

    def noted(_action: int, _first: str | None, second: str | None, *_: object) -> int:
        called.add(second or "")
        return sqlite3.SQLITE_OK

    with closing(sqlite3.connect(":memory:")) as connection:
        connection.create_function("f", 1, lambda value: value)
        connection.set_authorizer(noted)
        with suppress(sqlite3.Error, sqlite3.Warning, ValueError):
            connection.execute(sql)
    return "f" in called


def _called_in_duckdb(sql: str) -> bool:
    duckdb = pytest.importorskip("duckdb")
    ((tree,),) = duckdb.execute("SELECT json_serialize_sql(?)", [sql]).fetchall()
    return '"function_name":"f"' in tree


def _called_in_postgres(sql: str) -> bool:
    names = pytest.importorskip("sqljury.databases.postgresql_words").read_statement(sql, 150000)
    return not isinstance(names, Execution) and "f" in names.types


CALLED = {
    "sqlite": _called_in_sqlite,
    "duckdb": _called_in_duckdb,
    "postgres": _called_in_postgres,
}


@pytest.mark.parametrize("dialect", CALLED)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=14))
def test_no_function_that_an_engine_calls_is_taken_for_a_text(
    dialect: str, pieces: list[str]
) -> None:
    sent = admit("SELECT " + "".join(pieces), dialect)
    if isinstance(sent, str) and CALLED[dialect](sent):
        assert "f(1)" in without_strings(sent, dialect)


# ---------------------------------------------------------------- every engine, every login


@pytest.fixture(scope="module")
def stack() -> Iterator[ExitStack]:
    """What is undone when all tests have run."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture(scope="module")
def servers() -> dict[str, tuple[str, str]]:
    """The name of the database on each server, and of its plain login."""
    return {}


@pytest.fixture
def target(
    request: pytest.FixtureRequest,
    servers: dict[str, tuple[str, str]],
    stack: ExitStack,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Target]:
    engine, login = request.param
    if engine in ("sqlite", "duckdb"):
        if engine == "duckdb":
            pytest.importorskip("duckdb")
        made = file_target(make_files(engine, tmp_path_factory.mktemp(engine)))
    else:
        server = request.getfixturevalue(engine)
        if engine not in servers:
            servers[engine] = make_server(engine, server)
            stack.callback(drop_login, engine, server, servers[engine][1])
        name, user = servers[engine]
        made = server_target(engine, server, name, user if login == "plain" else "")
    yield made
    made.database.close()


def _on(*engines: str) -> pytest.MarkDecorator:
    pairs = [
        pytest.param(
            (engine, login),
            id="-".join(filter(None, (engine, login))),
            marks=[getattr(pytest.mark, engine)] if engine in ("postgresql", "mysql") else [],
        )
        for engine in engines
        for login in LOGINS[engine]
    ]
    return pytest.mark.parametrize("target", pairs, indirect=True)


@_on(*ENGINES)
def test_nothing_hidden_is_run(target: Target, request: pytest.FixtureRequest) -> None:
    engine, _ = request.node.callspec.params["target"]
    before = target.facts()
    for statement in _statements(HIDDEN[engine]):
        execution = target.database.execute(statement, AT_LEISURE)
        shown = (statement, execution)
        assert execution.status in (Status.OK, Status.ERROR, Status.REFUSED), shown
        assert execution.table is None or execution.table.width == 1, shown
        assert not reads_secret(execution), shown
    assert target.facts() == before
    assert target.database.execute("SELECT count(*) FROM t", AT_LEISURE).ok


FOUND = {
    "sqlite": (
        "SELECT 1 AS a --\r\n, load_extension('x')",
        "\ufeffSELECT 1 AS a, load_extension('x')",
    ),
    "duckdb": ("SELECT 1 AS a --\r, seeds(0.5)", "SELECT 1 AS a, seeds\xa0(0.5)"),
    "postgresql": (
        "SELECT 1 AS a --\r, secret_of(7)",
        "--\rCOPY (SELECT 1) TO PROGRAM 'touch /tmp/stolen'",
        "SELECT 1 --\r; COPY (SELECT 1) TO PROGRAM 'touch /tmp/stolen'",
        "--\rPREPARE left_behind AS SELECT 42\n",
        "EXECUTE left_behind",
        "--\rEXECUTE left_behind\n",
        "SELECT E'a' --\n'\\', secret_of(7), 'b'",
        "SELECT E'a' /*\n*/ '\\', secret_of(7), 'b'",
    ),
    "mysql": (
        "SELECT 1 AS a --\xa0, change_setting()",
        "SELECT 1 AS a --\u2003, take_lock()",
        "SELECT 1 AS a # \r, take_lock()",
        "SELECT 1 AS a --\x01\n, take_lock()",
        'SELECT /*+ SET_VAR(sql_mode=\'ANSI_QUOTES\') */ 1 AS a, "\\", take_lock(), "',
    ),
}


@_on(*ENGINES)
def test_what_was_found_is_not_run(target: Target, request: pytest.FixtureRequest) -> None:
    engine, _ = request.node.callspec.params["target"]
    before = target.facts()
    for statement in FOUND[engine]:
        execution = target.database.execute(statement, AT_LEISURE)
        plain = statement.startswith("SELECT E'a'") or "SET_VAR" in statement
        ended = (
            (Status.REFUSED, Status.ERROR, Status.OK) if plain else (Status.REFUSED, Status.ERROR)
        )
        assert execution.status in ended, (statement, execution)
        assert not reads_secret(execution), statement
    assert target.facts() == before
