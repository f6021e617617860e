"""Words of the question against each query; equal rows on generated databases; kinds of rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator

import pytest

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.faults.wording import Wording
from sqljury.judges.jury_features import FeatureRow
from sqljury.judges.jury_features.groups.asked import lists_groups, sorts_otherwise
from sqljury.sql import parse

SCHEMA = """
CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, kind TEXT, crew INTEGER, built INTEGER);
CREATE TABLE trip (id INTEGER PRIMARY KEY, boat_id INTEGER REFERENCES boat(id), miles INTEGER);
"""
ROWS = """
INSERT INTO boat VALUES (1,'Anna','ferry',3,1990), (2,'Bela','tug',2,1980), (3,'Cora','tug',9,2000);
INSERT INTO trip VALUES (1,1,5), (2,2,7), (3,1,7);
"""

Find = Callable[[str, str, str], dict[str, float]]


@pytest.fixture(scope="module")
def find(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Find]:
    file = tmp_path_factory.mktemp("databases") / "harbour.sqlite"
    connection = sqlite3.connect(file)
    connection.executescript(SCHEMA + ROWS)
    connection.close()
    database = open_databases(file).open("harbour")
    cache = ExecutionCache()

    def found(question: str, prediction: str, reference: str) -> dict[str, float]:
        case = Case(id="1", db_id="harbour", question=question, predicted_sql=prediction,
                    reference_sqls=(reference,) if reference else ())  # fmt: skip
        evidence = DatabaseEvidence(case, database, cache, Limits())
        row = FeatureRow("generated+asked+tables+compared").judge(case, evidence)
        assert row.labels == ()
        return dict(row.measures)

    yield found
    database.close()


@pytest.mark.parametrize(
    ("question", "order", "otherwise"),
    [
        ("The boats by crew, largest first.", "crew", True),
        ("The boats by crew, largest first.", "crew DESC", False),
        ("Boats in descending order of crew", "crew ASC", True),
        ("Boats from the smallest to the largest crew", "crew DESC", True),
        ("Sort the boats by crew.", "crew DESC", False),
        ("Boats in alphabetical order of name", "name DESC", True),
        ("Boats in reverse alphabetical order", "name DESC", False),
        ("Boats by age, oldest first", "built", False),
        ("Boats by age, oldest first", "built DESC", True),
        ("Boats from the most recent to the oldest", "built DESC", False),
        ("Boats in descending order of age", "built DESC", True),
        ("Boats in ascending and then in descending order", "crew DESC", False),
        ("How many are there at most?", "crew DESC", False),
    ],
)
def test_direction_of_an_order(question: str, order: str, otherwise: bool) -> None:
    tree = parse(f"SELECT name FROM boat ORDER BY {order}", "sqlite")
    assert tree is not None
    assert sorts_otherwise(tree, Wording(question)) is otherwise


@pytest.mark.parametrize(
    ("question", "sql", "lists"),
    [
        ("How many kinds have two boats?", "SELECT kind FROM boat GROUP BY kind", True),
        ("Count the boats of each kind", "SELECT COUNT(*) FROM boat GROUP BY kind", False),
        ("How many kinds have two boats?",
         "SELECT COUNT(*) FROM (SELECT kind FROM boat GROUP BY kind)", False),
        ("How many boats has the largest kind?",
         "SELECT COUNT(*) FROM boat GROUP BY kind ORDER BY 1 DESC LIMIT 1", False),
    ],
)  # fmt: skip
def test_groups_where_one_number_is_asked_for(question: str, sql: str, lists: bool) -> None:
    tree = parse(sql, "sqlite")
    assert tree is not None
    assert lists_groups(tree, Wording(question)) is lists


def test_rows_that_are_equal_by_chance(find: Find) -> None:
    by_chance = find(
        "", "SELECT name FROM boat WHERE crew > 2", "SELECT name FROM boat WHERE id<>2"
    )
    always = find("", "SELECT name FROM boat WHERE NOT crew <= 2",
                  "SELECT name FROM boat WHERE crew > 2")  # fmt: skip
    assert by_chance["generated_differ"] > 0.3
    assert always["generated_differ"] == always["generated_slight"] == 0


def test_differing_rows_are_not_compared_on_generated_databases(find: Find) -> None:
    found = find("", "SELECT name FROM boat", "SELECT kind FROM boat")
    assert not [name for name in found if name.startswith("generated_")]


@pytest.mark.parametrize(
    ("prediction", "of_tie"),
    [
        ("SELECT boat_id FROM trip ORDER BY miles DESC LIMIT 1", 1),
        ("SELECT boat_id FROM trip ORDER BY miles LIMIT 1", 0),
    ],
)
def test_one_of_the_rows_that_tie(find: Find, prediction: str, of_tie: int) -> None:
    reference = "SELECT boat_id FROM trip WHERE miles = (SELECT MAX(miles) FROM trip)"
    assert find("", prediction, reference)["tables_of_tie"] == of_tie


def test_rows_of_things_without_partners(find: Find) -> None:
    inner = (
        "SELECT boat.id, COUNT(trip.id) FROM boat JOIN trip ON boat.id = boat_id GROUP BY boat.id"
    )
    outer = inner.replace("JOIN", "LEFT JOIN")
    assert find("", outer, inner)["tables_added_zeros"] == 1
    assert find("", inner, outer)["tables_added_zeros"] == 0


def test_without_a_reference_the_prediction_s_rows_are_known(find: Find) -> None:
    found = find("", "SELECT kind FROM boat", "")
    assert found["tables_columns_prediction"] == 1
    assert 0 < found["tables_repeats_prediction"] < 1


def test_which_types_are_compared_with_which_constants(find: Find) -> None:
    sql = "SELECT name FROM boat WHERE crew > 3 AND kind = 'tug' OR crew = 'many'"
    found = find("Boats", sql, "")
    kinds = {name: n for name, n in found.items() if name.startswith("compared_") and n}
    names = ("number_with_number", "number_with_text", "text_with_text")
    assert kinds == {f"compared_{one}": 1 for one in names}
