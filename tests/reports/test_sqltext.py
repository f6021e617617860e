"""Queries laid out and held against each other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.reports.sqltext import DiffLine, compared, formatted, side_by_side


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("select 1", "SELECT\n  1"),
        ("select * from a where b = 'x  Y'", "SELECT\n  *\nFROM a\nWHERE\n  b = 'x  Y'"),
        ("  not sql at all (\n", "not sql at all ("),
        ("SELECT 1; DROP TABLE a", "SELECT 1; DROP TABLE a"),
        ("select a\r\nfrom (", "select a\nfrom ("),
        ("", ""),
        ("SELECT `a b` FROM t", 'SELECT\n  "a b"\nFROM t'),
        ("SELECT x::int FROM t", "SELECT\n  CAST(x AS INTEGER)\nFROM t"),
        ("VACUUM INTO 'stolen.db'", "VACUUM INTO 'stolen.db'"),
    ],
)
def test_layout(sql: str, expected: str) -> None:
    assert formatted(sql) == expected


def test_layout_says_nothing_on_the_side(caplog: pytest.LogCaptureFixture) -> None:
    formatted("PRAGMA writable_schema = 1")
    formatted("VACUUM INTO 'x'")
    assert caplog.text == ""


MONSTERS = [
    "SELECT " + "(" * 19_000,
    "SELECT " + "- " * 9_000 + "1",
    "SELECT * FROM a" + " JOIN b" * 30,
    "SELECT * FROM a" + " LEFT JOIN b" * 14 + " WHERE a ON b" + " ON 1" * 30,
    "/**/" * 4_000 + "x",
    "SELECT '" + "x" * 1_000_000,
]


@pytest.mark.parametrize(
    "sql", MONSTERS, ids=["brackets", "minus", "joins", "on", "comments", "long"]
)
def test_monsters_are_shown_as_they_are(sql: str) -> None:
    assert formatted(sql) == sql


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a", "a", [DiffLine(("a",), ("a",))]),
        ("a  =  1", "A = 1", [DiffLine(("a  =  1",), ("A = 1",))]),
        ("a = 'X'", "a = 'x'", [DiffLine(("a = ", "'X'"), ("a = ", "'x'"))]),
        ("a > 1", "a >= 1", [DiffLine(("a ", ">", " 1"), ("a ", ">=", " 1"))]),
        ("a\nb", "a", [DiffLine(("a",), ("a",)), DiffLine(("", "b"), None)]),
        ("a", "b\na", [DiffLine(None, ("", "b")), DiffLine(("a",), ("a",))]),
        ("", "x y", [DiffLine(("",), ("", "x y"))]),
        ("x = 'a\nb'", "x = 'a\nc'", None),
    ],
)
def test_side_by_side(left: str, right: str, expected: list[DiffLine] | None) -> None:
    found = side_by_side(left, right)
    if expected is not None:
        assert found == expected
    assert any(line.differs for line in found) == (_plain(left) != _plain(right))


def _plain(text: str) -> list[str]:
    return (text if "'" in text else text.lower()).split()


SQL = st.text(alphabet="ab1'\" \n>=(),", max_size=60)


@given(SQL, SQL)
def test_both_texts_survive(left: str, right: str) -> None:
    lines = side_by_side(left, right)
    for text, side in ((left, "left"), (right, "right")):
        shown = [getattr(line, side) for line in lines if getattr(line, side) is not None]
        assert "\n".join("".join(segments) for segments in shown) == text


@given(SQL)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert not any(line.differs for line in side_by_side(text, text))


def test_layout_and_case_are_not_differences() -> None:
    lines = compared("SELECT a FROM t WHERE b=1", "select A\nfrom T where  B = 1;")
    assert not any(line.differs for line in lines)


def test_long_queries_are_compared_in_bounded_time() -> None:
    left = "\n".join(f"a{i} = {i % 7}," for i in range(5_000))
    lines = side_by_side(left, left.replace("3", "4"))
    assert len(lines) == 5_000
    one_line = side_by_side("x, " * 5_000, "y, " * 5_000)
    assert [line.differs for line in one_line] == [True]
