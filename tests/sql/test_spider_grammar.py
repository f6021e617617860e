"""What Spider's evaluation script reads of a query, and what it cannot read."""

from __future__ import annotations

import pytest

from sqljury.case import Case
from sqljury.databases.ddl import schema_from_ddl
from sqljury.judges import make_judge
from sqljury.sql.spider_grammar import OutsideGrammarError, as_read
from sqljury.verdict import Outcome

SCHEMA = schema_from_ddl(
    "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, built INTEGER, owner INTEGER);"
    "CREATE TABLE person (pid INTEGER PRIMARY KEY, name TEXT, age INTEGER)"
)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM boat",
        "SELECT name ,  built FROM boat WHERE built  >=  1990 AND name != 'Ada' ;",
        "SELECT DISTINCT T1.name FROM boat AS T1 JOIN person AS T2 ON T1.owner  =  T2.pid",
        "SELECT max(built - id) FROM boat",
        "SELECT avg(age) FROM person GROUP BY name HAVING count(DISTINCT pid) > 2",
        "SELECT name FROM boat ORDER BY built DESC LIMIT 3",
        "SELECT name FROM boat WHERE owner IN (SELECT pid FROM person WHERE age BETWEEN 3 AND 5)",
        'SELECT name FROM boat WHERE built NOT IN (SELECT age FROM person) OR name LIKE "%a, b%"',
        "SELECT name FROM boat INTERSECT SELECT name FROM person",
        "SELECT count(*) FROM (SELECT name FROM boat GROUP BY name)",
        "(SELECT name FROM boat)",
    ],
)
def test_its_grammar_is_read_whole(sql: str) -> None:
    assert as_read(sql, SCHEMA) == sql.rstrip("; ") or sql.endswith(";")


@pytest.mark.parametrize(
    ("sql", "why"),
    [
        ("SELECT name AS n FROM boat", "'as' is no column"),
        ("SELECT b.name FROM boat b", "'b' is no table"),
        ("SELECT max(built) - min(built) FROM boat", "'-' is no column"),
        ("SELECT name FROM boat INNER JOIN person ON owner = pid", "'inner' is no table"),
        ("SELECT name FROM boat LEFT JOIN person ON owner = pid", "'left' is no table"),
        ("SELECT name FROM boat WHERE built <> 3", "'>' is no column"),
        ("SELECT name FROM boat WHERE built=3", "'built=3' is no column"),
        ("SELECT name FROM `boat`", "'`' is no table"),
        ('SELECT name FROM "boat"', "is no table"),
        ("SELECT age FROM boat", "'age' is no column of boat"),
        ("SELECT T1.age FROM boat AS T1", "'t1.age' is no column of boat"),
        ("SELECT name FROM boat WHERE 3 < built", "'3' is no column"),
        ("SELECT name FROM boat AS person", "'person' is a table's name and another name"),
        ("SELECT name FROM boat WHERE name = 'it", "a quote is not closed"),
        ("SELECT upper(name) FROM boat", "is no column"),
        ("SELECT name FROM boat WHERE built > 3 LIMIT", "ends too early"),
        ("WITH x AS (SELECT 1) SELECT * FROM x", "no "),
        ("", "ends too early"),
    ],
)
def test_what_is_outside_is_named(sql: str, why: str) -> None:
    with pytest.raises(OutsideGrammarError, match=r".*") as caught:
        as_read(sql, SCHEMA)
    assert why in str(caught.value)


@pytest.mark.parametrize(
    ("sql", "read"),
    [
        (
            "SELECT T1.name FROM boat AS T1 JOIN person AS T2 ON T1.owner = T2.pid OR T1.id = 3 "
            "WHERE T2.age > 4",
            "SELECT T1.name FROM boat AS T1 JOIN person AS T2 ON T1.owner = T2.pid  "
            "WHERE T2.age > 4",
        ),
        (
            "SELECT name FROM boat WHERE owner = id OR built > 3 AND name = 'a'",
            "SELECT name FROM boat WHERE owner = id  AND name = 'a'",
        ),
        (
            "SELECT name FROM boat ORDER BY built LIMIT 1 WHERE built > 3",
            "SELECT name FROM boat ORDER BY built LIMIT 1",
        ),
        ("SELECT name FROM boat; DROP TABLE boat", "SELECT name FROM boat;"),
    ],
)
def test_what_is_passed_over_does_not_count(sql: str, read: str) -> None:
    assert as_read(sql, SCHEMA) == read


class _Known:
    dialect = "sqlite"

    def __init__(self, schema: object = SCHEMA) -> None:
        self._schema = schema

    def schema(self) -> object:
        return self._schema


@pytest.mark.parametrize(
    ("predicted", "reference", "ours", "official"),
    [
        ("SELECT b.name FROM boat AS b", "SELECT name FROM boat", "correct", "correct"),
        ("SELECT b.name FROM boat b", "SELECT name FROM boat", "correct", "incorrect"),
        ("SELECT name AS n FROM boat", "SELECT name FROM boat", "correct", "incorrect"),
        ("SELECT name FROM boat", "SELECT name AS n FROM boat", "correct", "unknown"),
        (
            "SELECT T1.name FROM boat AS T1 JOIN person AS T2 ON T1.owner = T2.pid",
            "SELECT T1.name FROM boat AS T1 JOIN person AS T2 ON T1.owner = T2.pid OR T1.id = 3",
            "incorrect",
            "correct",
        ),
    ],
)
def test_the_official_variant_says_what_the_script_says(
    predicted: str, reference: str, ours: str, official: str
) -> None:
    case = Case(id="1", predicted_sql=predicted, reference_sqls=(reference,))
    found = [
        make_judge(name).judge(case, _Known()).outcome.value  # type: ignore[arg-type]
        for name in ("exact_set_match", "exact_set_match:official")
    ]
    assert found == [ours, official]


def test_without_tables_the_official_variant_does_not_know() -> None:
    case = Case(id="1", predicted_sql="SELECT 1", reference_sqls=("SELECT 1",))
    found = make_judge("exact_set_match:official").judge(case, _Known(None))  # type: ignore[arg-type]
    assert found.outcome is Outcome.UNKNOWN
