"""Detectors that look at the SQL and ask no model: names, values, rows."""

from __future__ import annotations

import sqlite3

import pytest
from fake_models import Courtroom, verdict_of

from sqljury.case import Case
from sqljury.databases import open_databases


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("harbour")
    connection = sqlite3.connect(folder / "harbour.sqlite")
    connection.executescript(
        "CREATE TABLE boat (id INTEGER, name TEXT, age INTEGER);"
        "INSERT INTO boat VALUES (1, 'Vasa', NULL), (2, 'Fram', NULL);"
    )
    connection.close()
    return open_databases(folder).open("harbour")


PROSE = "This question cannot be answered with the given tables."


@pytest.mark.parametrize(
    ("judge", "sql", "outcome", "labels"),
    [
        ("known_names", "SELECT name FROM boat", "correct", ()),
        ("known_names", "SELECT nam FROM boat", "incorrect", ("unknown_column",)),
        ("known_names", "SELECT nam FROM bot, boat", "incorrect", ("unknown_table",)),
        ("known_names", PROSE, "incorrect", ("not_a_query",)),
        ("known_names", f"SELECT id FROM boat WHERE id IN ({'1, ' * 6000}1)", "unknown", ()),
        ("known_names", f"SELECT '{'x' * 300_000}' FROM boat", "unknown", ()),
        ("nonempty", "SELECT name FROM boat", "correct", ()),
        ("nonempty", "SELECT name FROM boat WHERE id > 2", "incorrect", ("empty_result",)),
        ("nonempty", "SELECT max(age) FROM boat", "incorrect", ("empty_result",)),
        ("nonempty", "SELECT 0", "correct", ()),
        ("nonempty", PROSE, "prediction_error", ()),
        ("known_values", "SELECT id FROM boat WHERE name = 'Vasa'", "correct", ()),
        ("known_values", "SELECT id FROM boat WHERE name = 'vasa'", "incorrect", ("unknown_value",)),
        ("known_values", 'SELECT id FROM boat WHERE name IN ("Fram", "Gjøa")', "incorrect", ("unknown_value",)),
        ("known_values", "SELECT id FROM boat WHERE name LIKE 'V%'", "correct", ()),
        ("known_values", "SELECT count(*) FROM boat WHERE id = 9", "incorrect", ("unknown_value",)),
        ("known_values", "SELECT 1", "correct", ()),
    ],
)  # fmt: skip
def test_verdicts(database, judge: str, sql: str, outcome: str, labels: tuple[str, ...]) -> None:
    case = Case(id="1", db_id="harbour", predicted_sql=sql)
    verdict = verdict_of(judge, Courtroom(case, database, lambda _: None))
    assert (verdict.outcome, verdict.labels) == (outcome, labels)


def test_without_a_schema_nobody_can_say() -> None:
    case = Case(id="1", predicted_sql="SELECT 1")
    verdict = verdict_of("known_names", Courtroom(case, None, lambda _: None))
    assert verdict.outcome in ("unknown", "database_missing")
