"""Typed differences of pairs of queries."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqljury.databases import Schemas, read_schemas, schema_from_ddl
from sqljury.equivalence.canonical import canonical_query
from sqljury.likeness.differences import differences
from sqljury.schema import Schema
from sqljury.trees.nodes import Unreadable

SHOP = schema_from_ddl(
    "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER);"
    "CREATE TABLE sale (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL"
    " REFERENCES customer(id), amount REAL NOT NULL, day DATE)"
)


def words(reference: str, prediction: str, schema: Schema = SHOP) -> list[str]:
    left, right = (canonical_query(sql, schema, "sqlite") for sql in (reference, prediction))
    assert not isinstance(left, Unreadable), left
    assert not isinstance(right, Unreadable), right
    return [each.words for each in differences(right.relation, left.relation)]


NAMES = "SELECT name FROM customer"
BY_CITY = "SELECT city, COUNT(*) FROM customer GROUP BY city"
TABLE = [
    (NAMES, "select c.NAME from customer as c", []),
    (f"{NAMES} WHERE age > 20", NAMES, ["filter missing: customer.age >= 21"]),
    (NAMES, f"{NAMES} WHERE city = 'Rome'", ["filter added: customer.city = 'Rome'"]),
    (
        "SELECT day FROM sale WHERE amount > 20",
        "SELECT day FROM sale WHERE amount >= 20",
        ["filter compares otherwise: sale.amount >= 20, not sale.amount > 20"],
    ),
    (
        f"{NAMES} WHERE city = 'Rome'",
        f"{NAMES} WHERE city = 'Oslo'",
        ["filter has another constant: customer.city = 'Oslo', not customer.city = 'Rome'"],
    ),
    (
        f"{NAMES} WHERE city = 'Rome'",
        f"{NAMES} WHERE city = 'rome'",
        ["filter has other capitals: customer.city = 'rome', not customer.city = 'Rome'"],
    ),
    (NAMES, "SELECT city FROM customer", [
        "output column differs: customer.city, not customer.name",
    ]),
    ("SELECT name, city FROM customer", "SELECT city, name FROM customer", [
        "output columns in another order: customer.city, customer.name, "
        "not customer.name, customer.city",
    ]),
    (NAMES, "SELECT DISTINCT name FROM customer", ["repeated rows: DISTINCT added"]),
    (f"{NAMES} ORDER BY age", f"{NAMES} ORDER BY age DESC", [
        "sort key sorts the other way: customer.age DESC, not customer.age",
    ]),
    (f"{NAMES} ORDER BY age, city", f"{NAMES} ORDER BY city, age", [
        "sort keys in another order: customer.city, customer.age, not customer.age, customer.city",
    ]),
    (f"{NAMES} ORDER BY age LIMIT 3", f"{NAMES} ORDER BY age LIMIT 5", [
        "limit has another constant: LIMIT 5, not LIMIT 3",
    ]),
    (BY_CITY, "SELECT city, COUNT(*) FROM customer GROUP BY city, age", [
        "grouping key added: customer.age",
    ]),
    (BY_CITY, "SELECT city, AVG(age) FROM customer GROUP BY city", [
        "output column aggregates otherwise: AVG(customer.age), not COUNT(*)",
    ]),
    (f"{BY_CITY} HAVING COUNT(*) > 2", BY_CITY, ["condition on groups missing: COUNT(*) >= 3"]),
    (
        "SELECT name, amount FROM customer JOIN sale ON customer.id = customer_id",
        "SELECT name, amount FROM customer LEFT JOIN sale ON customer.id = customer_id",
        ["join added: LEFT JOIN"],
    ),
    (
        "SELECT city FROM customer UNION ALL SELECT name FROM customer",
        "SELECT city FROM customer UNION SELECT name FROM customer",
        ["repeated rows: DISTINCT added"],
    ),
    (
        "SELECT city FROM customer EXCEPT SELECT name FROM customer WHERE age > 3 LIMIT 1",
        "SELECT city FROM customer EXCEPT SELECT name FROM customer WHERE age > 3 LIMIT 2",
        ["limit has another constant: LIMIT 2, not LIMIT 1"],
    ),
    (
        f"{NAMES} WHERE id IN (SELECT customer_id FROM sale WHERE amount > 5)",
        f"{NAMES} WHERE id IN (SELECT customer_id FROM sale WHERE amount > 7)",
        ["filter has another constant: sale.amount > 7, not sale.amount > 5"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "prediction", "expected"), TABLE)
def test_in_words(reference: str, prediction: str, expected: list[str]) -> None:
    assert words(reference, prediction) == expected


@pytest.fixture(scope="module")
def spider(data_dir: Path) -> Schemas:
    return read_schemas(data_dir / "spider/tables.json")


def test_a_query_does_not_differ_from_itself(data_dir: Path, spider: Schemas) -> None:
    lines = (data_dir / "spider/dev_gold.sql").read_text().splitlines()[::20]
    for sql, db_id in (line.split("\t") for line in lines if line):
        schema = spider.get(db_id)
        assert schema is not None
        assert words(sql, sql, schema) == [], sql
