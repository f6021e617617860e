"""A PostgreSQL database with tables in two schemas: every judge reads them as the server does."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from servers import Server

import sqljury as sj
from sqljury.verdict import Outcome

SCRIPT = (
    "CREATE SCHEMA sales",
    "CREATE SCHEMA hr",
    "CREATE TABLE sales.customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT)",
    "CREATE TABLE hr.staff (id INTEGER PRIMARY KEY, name TEXT NOT NULL, boss INTEGER"
    " REFERENCES hr.staff (id), serves INTEGER REFERENCES sales.customer (id))",
    "CREATE TABLE sales.note (id INTEGER PRIMARY KEY)",
    "CREATE TABLE hr.note (id INTEGER PRIMARY KEY)",
    "INSERT INTO hr.note VALUES (1), (2)",
    "INSERT INTO sales.customer VALUES (1, 'Ada', 'Oslo'), (2, 'Ben', NULL), (3, 'Cy', 'Rome')",
    "INSERT INTO hr.staff VALUES (1, 'Dora', NULL, 1), (2, 'Eli', 1, 3), (3, 'Flo', 1, NULL)",
)
GOOD = (
    "SELECT name FROM sales.customer WHERE city = 'Oslo'",
    "SELECT c.name, s.name FROM sales.customer c JOIN hr.staff s ON s.serves = c.id",
    "SELECT sales.customer.name FROM sales.customer LEFT JOIN hr.staff"
    " ON hr.staff.serves = sales.customer.id WHERE hr.staff.id IS NULL",
    "SELECT b.name, COUNT(*) FROM hr.staff s JOIN hr.staff b ON s.boss = b.id GROUP BY b.name",
    "SELECT name FROM sales.customer UNION SELECT name FROM hr.staff ORDER BY name",
    "SELECT name FROM sales.customer WHERE id IN (SELECT serves FROM hr.staff)",
    'SELECT "name" FROM "hr"."staff" WHERE boss IS NOT NULL',
    "WITH s AS (SELECT serves FROM hr.staff) SELECT COUNT(serves) FROM s",
    "SELECT city, MAX(id) FROM sales.customer GROUP BY city HAVING COUNT(*) > 0",
)
BY_PATH = (
    "SELECT name FROM customer WHERE city = 'Oslo'",
    "SELECT c.name, staff.name FROM customer c JOIN hr.staff ON staff.serves = c.id",
    "SELECT staff.id FROM staff WHERE staff.boss IS NULL",
)
JUDGES = ("execution", "equivalence", "known_names", "canonical", "relpm", "tree_match")


DIFFERENT = (
    ("SELECT name FROM hr.staff", "SELECT name FROM sales.customer"),
    ("SELECT id FROM hr.note", "SELECT id FROM sales.note"),
    (
        "SELECT c.name FROM sales.customer c JOIN hr.staff s ON s.serves = c.id",
        "SELECT c.name FROM sales.customer c LEFT JOIN hr.staff s ON s.serves = c.id",
    ),
    (
        "SELECT name FROM sales.customer WHERE id IN (SELECT serves FROM hr.staff)",
        "SELECT name FROM sales.customer WHERE id NOT IN (SELECT serves FROM hr.staff)",
    ),
)
DIFFERENT_BY_PATH = (("SELECT id FROM note", "SELECT id FROM hr.note"),)
ELSEWHERE = ("SELECT name FROM sales.staff", "SELECT name FROM nobody.customer")


@pytest.fixture(scope="module", params=["path", "no path"])
def place(request: pytest.FixtureRequest, postgresql: Server) -> tuple[Server, str, bool]:
    """A server, its database, and whether tables are found without their schema."""
    name = postgresql.create(*SCRIPT)
    has_path = request.param == "path"
    if has_path:
        postgresql.run(f"ALTER DATABASE {name} SET search_path TO sales, hr, public")
    return postgresql, name, has_path


def judged(place: tuple[Server, str, bool], pairs: Iterable[tuple[str, str]]) -> list[sj.Record]:
    server, name, _ = place
    cases = [
        sj.Case(id=str(n), db_id=name, reference_sqls=(left,), predicted_sql=right)
        for n, (left, right) in enumerate(pairs)
    ]
    with sj.evaluate(cases, JUDGES, server.url + "{db_id}", workers=1) as found:
        return list(found.records())


def test_good_queries_are_right(place: tuple[Server, str, bool]) -> None:
    good = GOOD + BY_PATH if place[2] else GOOD
    records = judged(place, [(sql, sql) for sql in good])
    assert len(records) == len(JUDGES) * len(good)
    assert {record.verdict.outcome for record in records} == {Outcome.CORRECT}


def test_a_name_with_its_schema_is_the_plain_one(postgresql: Server) -> None:
    name = postgresql.create(*SCRIPT)
    postgresql.run(f"ALTER DATABASE {name} SET search_path TO sales, hr, public")
    pairs = [
        ("SELECT name FROM sales.customer", "SELECT customer.name FROM customer"),
        ("SELECT id FROM sales.note", "SELECT id FROM note"),
        ("SELECT id FROM staff", "SELECT hr.staff.id FROM hr.staff"),
    ]
    records = judged((postgresql, name, True), pairs)
    assert {record.verdict.outcome for record in records} == {Outcome.CORRECT}


def test_wrong_predictions_are_wrong(place: tuple[Server, str, bool]) -> None:
    wrong = DIFFERENT + DIFFERENT_BY_PATH if place[2] else DIFFERENT
    said = {Outcome.CORRECT: {"known_names"}, Outcome.UNKNOWN: {"canonical"}}
    for record in judged(place, wrong):
        judge = record.judge.partition(":")[0]
        of_judge = {one for one, names in said.items() if judge in names} or {Outcome.INCORRECT}
        assert record.verdict.outcome in of_judge, record


def test_a_table_is_not_in_another_schema(place: tuple[Server, str, bool]) -> None:
    pairs = [
        ("SELECT name FROM hr.staff", ELSEWHERE[0]),
        ("SELECT name FROM sales.customer", ELSEWHERE[1]),
    ]
    for record in judged(place, pairs):
        assert record.verdict.outcome is not Outcome.CORRECT, record
        assert not record.verdict.outcome.startswith("reference"), record
