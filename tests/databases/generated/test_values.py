"""Values: neighbours, patterns matched and just missed, conditions as SQLite decides them."""

from __future__ import annotations

import sqlite3
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.databases.generated.values import (
    Affinity,
    ValueKind,
    affinity_of,
    kind_of,
    matches,
    misses,
    neighbours,
    pool_of,
    satisfies,
    stored,
)
from sqljury.value_profile import ColumnUse


@pytest.fixture(scope="module")
def sqlite() -> sqlite3.Connection:
    return sqlite3.connect(":memory:")


@pytest.mark.parametrize(
    ("value", "near"),
    [
        (3, [2, 4]),
        (2.5, [2.0, 3.0, 1.5, 3.5]),
        ("Abc", ["aBC", "Abcx", "xAbc", "Ab"]),
        ("2014", ["2013", "2015"]),
        ("x", ["X", "xx"]),
        ("", ["x"]),
        (None, []),
        ("2014-03-01", ["2014-02-28", "2014-03-02", "2014-01-29", "2014-04-01", "2013-03-01"]),
        ("2014-99-01", ["2014-99-01x"]),
        ("0001-01-01", None),
    ],
)
def test_neighbours(value, near) -> None:
    found = neighbours(value)
    assert near is None or [v for v in near if v not in found] == []
    assert value not in found


@pytest.mark.parametrize("pattern", ["a%", "%a", "%a%", "a_c", "_", "%", "a", "", "%a%b%", "A\\%"])
def test_matches_match_and_misses_miss_in_sqlite(sqlite, pattern: str) -> None:
    ask = "SELECT ? LIKE ?"
    assert all(sqlite.execute(ask, (v, pattern)).fetchone()[0] for v in matches(pattern, "%", "_"))
    misses_as_written = [v for v in misses(pattern, "%", "_") if v.lower() != pattern.lower()]
    near = [sqlite.execute(ask, (v, pattern)).fetchone()[0] for v in misses_as_written]
    assert not near or not all(near) or "%" in pattern


_text = st.text("aAbB%_*?1", max_size=6)
_value = st.one_of(st.integers(-3, 3), st.sampled_from((0.5, 2.0, -1.5)), _text)


@given(_text, _text, st.sampled_from(("like", "glob")))
def test_patterns_as_sqlite_reads_them(text: str, pattern: str, operator: str) -> None:
    if operator == "glob" and "[" in pattern:
        return
    connection = sqlite3.connect(":memory:")
    expected = connection.execute(f"SELECT ? {operator.upper()} ?", (text, pattern)).fetchone()[0]
    connection.close()
    assert satisfies(text, operator, (pattern,)) == bool(expected)


@given(_value, _value, st.sampled_from(("=", "<>", "<", "<=", ">", ">=")))
def test_comparisons_as_sqlite_makes_them(left, right, operator: str) -> None:
    if isinstance(left, str) != isinstance(right, str):
        return  # affinity decides; the generator only needs values that are of use
    connection = sqlite3.connect(":memory:")
    expected = connection.execute(f"SELECT ? {operator} ?", (left, right)).fetchone()[0]
    connection.close()
    assert satisfies(left, operator, (right,)) == bool(expected)


def test_null_satisfies_nothing_but_being_null() -> None:
    assert satisfies(None, "null", ())
    assert not satisfies(1, "null", ())
    assert not satisfies(None, "not null", ())
    assert not any(satisfies(None, op, (1,)) for op in ("=", "<>", "<", "in", "like"))


def test_a_pattern_of_stars_takes_no_time() -> None:
    started = time.process_time()
    assert not satisfies("a" * 1000, "like", ("%a" * 49 + "b",))
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("declared", "affinity"),
    [
        ("INTEGER", Affinity.INTEGER),
        ("unsigned big int", Affinity.INTEGER),
        ("VARCHAR(20)", Affinity.TEXT),
        ("", Affinity.NONE),
        ("BLOB", Affinity.NONE),
        ("DOUBLE", Affinity.REAL),
        ("DECIMAL(6,2)", Affinity.NUMERIC),
        ("DATETIME", Affinity.NUMERIC),
        ("BOOLEAN", Affinity.NUMERIC),
        ("FLOATING POINT", Affinity.INTEGER),  # INT is looked for first
    ],
)
def test_affinity(declared: str, affinity: Affinity) -> None:
    assert affinity_of(declared) is affinity


_stored_values = st.one_of(
    st.integers(-10, 10),
    st.sampled_from((0.5, 2.0, -1.5, 1e10)),
    st.sampled_from(("1", "007", " 3 ", "2.0", "1.50", "x", "", "1e2", "-4", "abc1", "2014-01-01")),
    st.none(),
)


@given(_stored_values, st.sampled_from(("INT", "REAL", "TEXT", "NUMERIC", "", "DATE")))
def test_values_are_stored_as_sqlite_stores_them(value, declared: str) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE t (c {declared})")
    connection.execute("INSERT INTO t VALUES (?)", (value,))
    (kept,) = connection.execute("SELECT c FROM t").fetchone()
    connection.close()
    ours = stored(value, affinity_of(declared))
    assert (ours, type(ours)) == (kept, type(kept))


@pytest.mark.parametrize(
    ("declared", "use", "kind"),
    [
        ("INT", None, ValueKind.INT),
        ("TEXT", None, ValueKind.TEXT),
        ("TEXT", ColumnUse(constants=("2014",)), ValueKind.INT),
        ("TEXT", ColumnUse(numeric=True), ValueKind.INT),
        ("TEXT", ColumnUse(constants=(2.5,)), ValueKind.REAL),
        ("TEXT", ColumnUse(constants=("2014-01-01",)), ValueKind.DATE),
        ("TEXT", ColumnUse(numeric=True, likes=("%a",)), ValueKind.TEXT),
        ("TEXT", ColumnUse(dated=True), ValueKind.DATE),
        ("DATE", None, ValueKind.DATE),
        ("DATE", ColumnUse(constants=(2014,)), ValueKind.INT),
        ("TIMESTAMP", ColumnUse(), ValueKind.DATE),
        ("BOOLEAN", None, ValueKind.BOOL),
        ("BOOL", ColumnUse(constants=("T",)), ValueKind.TEXT),
        ("DECIMAL(6,2)", None, ValueKind.REAL),
        ("NUMERIC", ColumnUse(constants=("x",)), ValueKind.TEXT),
        ("REAL", None, ValueKind.REAL),
    ],
)
def test_kinds_follow_type_and_use(declared: str, use, kind: ValueKind) -> None:
    assert kind_of(declared, use) is kind


def test_a_year_among_dates_is_days_of_it() -> None:
    hot, near = pool_of(ValueKind.DATE, [ColumnUse(constants=("2014",), dated=True)])
    assert {"2014-01-01", "2014-12-31"} <= set(hot)
    assert "2013-12-31" in near
