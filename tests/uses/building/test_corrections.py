"""Questions and references that are corrected: at a date, with values that occur."""

from __future__ import annotations

import sqlite3
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.execution import Execution, Limits
from sqljury.uses.building import Corrections, build_trust
from sqljury.uses.building.cleaning import clean
from sqljury.uses.building.corrections import filled_in
from sqljury.uses.building.relative_time import made_absolute, reads_clock, relative_times, said

NOW = date(2024, 5, 31)
CLOCK = "SELECT a FROM t WHERE d > date('now', '-1 day')"
ATIS = "SELECT f FROM flight JOIN day d WHERE d.year = 1991 AND d.month_number = 5 AND d.day_number = 23"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which flights leave today?", "Which flights leave on 31 May 2024?"),
        (
            "Who came yesterday or on the day before?",
            "Who came on 30 May 2024 or on the day before?",
        ),
        ("Tomorrow, who comes?", "On 1 June 2024, who comes?"),
        ("What was sold last year?", "What was sold in 2023?"),
        ("What is due next month?", "What is due in June 2024?"),
        ("What is due this week?", "What is due from 27 May 2024 to 2 June 2024?"),
        ("How many came since last month?", "How many came since April 2024?"),
        ("Orders at the end of last year", "Orders at the end of 2023"),
        ("Anything in the last 3 months?", "Anything from 29 February 2024 to 31 May 2024?"),
        ("Who joined two weeks ago?", "Who joined on 17 May 2024?"),
        ("Who joined since 3 months ago?", "Who joined since 29 February 2024?"),
        ("Who joined 3 months ago?", None),
        ("Who came on this month/09?", "Who came on 9 May 2024?"),
        ("Who came in 12/last year?", "Who came in December 2023?"),
        ("Who came on 12/24/last year?", "Who came on 24 December 2023?"),
        ("Throughout this year, who came?", "Throughout 2024, who came?"),
        ("How old is each patient ?", "How old is each patient, as of 31 May 2024 ?"),
        ("List today's menu.", None),
        ("Show all orders of the last week.", None),
        ("Who is here right now?", None),
        ("What has been sold so far this year?", None),
    ],
)
def test_counted_from_a_date(question: str, expected: str | None) -> None:
    found = made_absolute(question, CLOCK, NOW)
    if expected is None:
        assert found is None
    else:
        assert found == (expected, "SELECT a FROM t WHERE d > date('2024-05-31', '-1 day')")
    assert made_absolute(question, CLOCK, None) is None


@pytest.mark.parametrize(
    ("question", "sql", "expected"),
    [
        ("flights from Boston today", ATIS, "flights from Boston on 23 May 1991"),
        ("flights on tomorrow please", ATIS, "flights on 23 May 1991 please"),
        ("Who came 2 days ago?", "SELECT a FROM t WHERE d = '2024-05-02'", "Who came on 2 May 2024?"),
        ("today or tomorrow", ATIS, None),
        ("last month", ATIS, None),
        ("today", ATIS + " AND d.day_number = 24", None),
        ("today", ATIS.replace("23", "99"), None),
        ("today", "SELECT a FROM t WHERE d BETWEEN '2024-05-02' AND '2024-05-03'", None),
        ("today", "SELECT a FROM t", None),
        ("today", "SELECT broken FROM (", None),
    ],
)  # fmt: skip
def test_the_date_that_the_reference_names(question: str, sql: str, expected: str | None) -> None:
    found = made_absolute(question, sql, None)
    assert found == (None if expected is None else (expected, sql))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT CURRENT_DATE, current_timestamp", "SELECT '2024-05-31', '2024-05-31 00:00:00'"),
        ("SELECT NOW() - x, 'now' FROM now", "SELECT '2024-05-31' - x, '2024-05-31' FROM now"),
        ("SELECT CURRENT_TIME, CURRENT_DATE", None),
        (
            "SELECT datetime( current_time, '-1 day')",
            "SELECT datetime( '2024-05-31 00:00:00', '-1 day')",
        ),
        ("SELECT strftime('%Y', CURRENT_TIME)", "SELECT strftime('%Y', '2024-05-31 00:00:00')"),
    ],
)
def test_clocks_are_stopped(sql: str, expected: str | None) -> None:
    found = made_absolute("Who is there today?", sql, NOW)
    assert (None if found is None else found[1]) == expected


@given(
    st.sampled_from(
        ["today", "last year", "in the past 3 weeks", "next week", "2 days ago", "now"]
    ),
    st.sampled_from(["Who came {}?", "{} there are how many?", "what {}"]),
    st.dates(date(1900, 1, 1), date(2200, 12, 31)),
)
def test_nothing_relative_is_left(when: str, frame: str, now: date) -> None:
    found = made_absolute(frame.format(when), CLOCK, now)
    if found is not None:
        assert relative_times(found[0]) == () and not reads_clock(found[1])
        assert made_absolute(*found, now) is None


def test_dates_in_words() -> None:
    assert said(date(999, 1, 9)) == "9 January 999"


# ---------------------------------------------------------------- values


@pytest.fixture
def shop(tmp_path: Path):
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    connection.executescript(
        """
        CREATE TABLE shop (shop_id INTEGER PRIMARY KEY, town TEXT, size INTEGER);
        CREATE TABLE sale (sale_id INTEGER PRIMARY KEY, shop_id INTEGER REFERENCES shop (shop_id),
                           item TEXT, price REAL);
        INSERT INTO shop VALUES (1, 'Hull', 3), (2, 'O''Neill', 5), (3, ' Riga', 7), (4, NULL, 9);
        INSERT INTO sale VALUES (1, 1, 'net', 2.5), (2, 2, 'oar', 4), (3, 3, 'sail', 1), (4, 4, 'net', 1);
        """
    )
    connection.close()
    database = open_databases(str(tmp_path)).open("shop")
    assert database is not None
    yield database
    database.close()


JOIN = "SELECT price FROM sale s JOIN shop p ON s.shop_id = p.shop_id"


@pytest.mark.parametrize(
    ("question", "sql", "expected"),
    [
        # Both values come from one row: no net was sold in O'Neill.
        ("Price of a rope in Oslo?", f"{JOIN} WHERE item = 'rope' AND town = 'Oslo'",
         {("Price of a net in Hull?", f"{JOIN} WHERE item = 'net' AND town = 'Hull'"),
          ("Price of a oar in O'Neill?", f"{JOIN} WHERE item = 'oar' AND town = 'O''Neill'")}),
        # What is not exchanged still holds.
        ("In OSLO above 3?", f"{JOIN} WHERE price > 3 AND town = 'Oslo'",
         {("In O'Neill above 3?", f"{JOIN} WHERE price > 3 AND town = 'O''Neill'")}),
        ("Shops of size 4?", "SELECT town FROM shop WHERE size = 4 AND town = trim(town) AND town < 'I'",
         {("Shops of size 3?", "SELECT town FROM shop WHERE size = 3 AND town = trim(town) AND town < 'I'")}),
        ("Size in Oslo?", 'SELECT size FROM shop WHERE town = "Oslo" AND size < 4',
         {("Size in Hull?", 'SELECT size FROM shop WHERE town = "Hull" AND size < 4')}),
        # Not said, said twice, not compared by =, below an OR, in a subquery, in a union.
        ("Size there?", "SELECT size FROM shop WHERE town = 'Oslo'", None),
        ("Oslo, size in Oslo?", "SELECT size FROM shop WHERE town = 'Oslo'", None),
        ("Size in Oslo?", "SELECT size FROM shop WHERE town LIKE 'Oslo'", None),
        ("Size in Oslo?", "SELECT size FROM shop WHERE town = 'Oslo' OR size = 99", None),
        ("Oslo?", "SELECT 1 FROM sale WHERE shop_id IN (SELECT shop_id FROM shop WHERE town = 'Oslo')", None),
        ("Oslo?", "SELECT 1 FROM shop WHERE town = 'Oslo' UNION SELECT 2 FROM shop WHERE 0", None),
        ("Size in Oslo?", "SELECT size FROM shop WHERE town = 'Oslo' AND size > 99", None),
    ],
)  # fmt: skip
def test_values_that_occur_together(shop, question: str, sql: str, expected) -> None:
    def run(text: str) -> Execution:
        return shop.execute(text, Limits(seconds=5))

    found = {filled_in(question, sql, run, shop.schema(), seed=seed) for seed in range(8)}
    assert found == (expected or {None})
    assert filled_in(question, sql, lambda _: None, shop.schema()) is None


def test_corrected_questions_are_used_and_say_so(shop) -> None:
    cases = [
        Case(id="1", db_id="shop", question="Size in Oslo?",
             reference_sqls=("SELECT size FROM shop WHERE town = 'Oslo'", "SELECT 1")),
        Case(id="2", db_id="shop", question="Shops opened today?",
             reference_sqls=("SELECT shop_id FROM shop WHERE date('now') > '2000-01-01'",)),
        Case(id="3", db_id="shop", question="Who is here now?",
             reference_sqls=("SELECT shop_id FROM shop WHERE date('now') > '2000-01-01'",)),
    ]  # fmt: skip
    schemas = {"shop": shop.schema()}

    def run(_db_id: str, sql: str) -> Execution:
        return shop.execute(sql, Limits(seconds=5))

    assert len(clean(cases, schemas, run).left_out) == 3
    found = clean(cases, schemas, run, Corrections(NOW))
    assert [(one.case.id, one.reason) for one in found.left_out] == [("3", "relative_time")]
    size = next(one.case for one in found.usable if one.case.id == "1")
    assert size.question != "Size in Oslo?" and len(size.reference_sqls) == 1
    assert size.extra == {
        "corrected": "null_result",
        "question_before": "Size in Oslo?",
        "sql_before": "SELECT size FROM shop WHERE town = 'Oslo'",
    }
    built = build_trust(cases, schemas, run, name="b", corrections=Corrections(NOW))
    kept = [one for part in built.splits.values() for one in part if one.answerable]
    corrected = sum("question_before" in one.extra for one in kept)
    assert sum(built.card.corrected.values()) == corrected
