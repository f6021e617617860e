"""The likeliest difference of two queries, told first; and what follows from it, told with it."""

from __future__ import annotations

import pytest

import sqljury as sj
from sqljury.databases import schema_from_ddl

SHOP = schema_from_ddl(
    "CREATE TABLE customer (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT, age INTEGER);"
    "CREATE TABLE sale (id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL"
    " REFERENCES customer(id), clerk_id INTEGER NOT NULL, amount REAL NOT NULL, day DATE);"
    "CREATE TABLE partner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT)"
)
NAMES = "SELECT name FROM customer"
BUYERS = "SELECT name FROM customer JOIN sale ON customer.id = customer_id"
NO_SALE = f"{NAMES} WHERE id NOT IN (SELECT customer_id FROM sale WHERE amount > 5)"
OLDEST = f"{NAMES} WHERE age = (SELECT MAX(age) FROM customer)"
CITIES = "SELECT city FROM customer WHERE age > 30"


def told(reference: str, prediction: str) -> list[str]:
    text = sj.diff_queries(reference, prediction, schema=SHOP).text(None)
    return [line.removeprefix("- ") for line in text.splitlines()]


FIRST = [
    # tables
    (
        "SELECT name, COUNT(*) FROM customer JOIN sale ON customer.id = customer_id GROUP BY name",
        "SELECT name, COUNT(*) FROM customer GROUP BY name",
        "table missing: sale (on customer.id = sale.customer_id)",
    ),
    (
        BUYERS,
        f"{BUYERS} JOIN partner ON partner.id = customer.id".replace(" name ", " customer.name "),
        "table added: partner (on partner.id = customer.id; nothing else reads it)",
    ),
    (
        "SELECT name FROM customer WHERE city = 'Rome'",
        "SELECT name FROM partner WHERE city = 'Rome'",
        "table differs: partner, not customer",
    ),
    (
        f"{BUYERS} WHERE amount > 5",
        NAMES,
        "filter missing: sale.amount > 5 (table missing: sale)",
    ),
    (
        "SELECT amount FROM sale",
        "SELECT name FROM sale JOIN customer ON customer.id = customer_id",
        "output column differs: customer.name, not sale.amount (table added: customer)",
    ),
    # conditions
    (f"{NAMES} WHERE city = 'Rome'", f"{NAMES} WHERE name = 'Rome'",
     "filter reads another column: customer.name = 'Rome', not customer.city = 'Rome'"),
    (BUYERS, BUYERS.replace("customer_id", "clerk_id"),
     "join condition reads another column: customer.id = sale.clerk_id, "
     "not customer.id = sale.customer_id"),
    (f"{NAMES} WHERE city = 'Rome or Oslo'", f"{NAMES} WHERE city = 'Rome' AND city = 'Oslo'",
     "no rows at all: its conditions contradict each other"),
    (
        NO_SALE,
        f"{BUYERS} WHERE amount <= 5",
        "negation: asks for a row of sale with sale.amount <= 5, "
        "the reference asks that there is no row of sale with sale.amount > 5",
    ),
    (NO_SALE, NO_SALE.replace("amount >", "amount <"),
     "inside customer.id NOT IN (query of sale): filter compares otherwise: "
     "sale.amount < 5, not sale.amount > 5"),
    (
        "SELECT name FROM customer WHERE age > (SELECT AVG(age) FROM customer)",
        "SELECT name FROM customer WHERE age > (SELECT AVG(age) FROM customer WHERE city = 'Rome')",
        "inside customer.age > (SELECT AVG(customer.age) …): filter added: customer.city = 'Rome'",
    ),
    # aggregates and groups
    ("SELECT SUM(amount) FROM sale", "SELECT AVG(amount) FROM sale",
     "output column aggregates otherwise: AVG(sale.amount), not SUM(sale.amount)"),
    ("SELECT SUM(amount) FROM sale", "SELECT SUM(clerk_id) FROM sale",
     "output column reads another column: SUM(sale.clerk_id), not SUM(sale.amount)"),
    ("SELECT clerk_id, COUNT(*) FROM sale GROUP BY clerk_id", "SELECT COUNT(*) FROM sale",
     "grouping key missing: sale.clerk_id (output column missing, too)"),
    (
        "SELECT clerk_id FROM sale GROUP BY clerk_id HAVING COUNT(*) > 2",
        "SELECT clerk_id FROM sale GROUP BY clerk_id HAVING COUNT(DISTINCT day) > 2",
        "condition on groups aggregates otherwise: COUNT(distinct sale.day) > 2, "
        "not COUNT(*) > 2",
    ),
    # how often a row comes
    (f"SELECT DISTINCT {CITIES.removeprefix('SELECT ')}", CITIES, "repeated rows: DISTINCT missing"),
    (
        f"{NAMES} WHERE id IN (SELECT customer_id FROM sale)",
        BUYERS,
        "repeated rows: one for each match in sale, the reference only asks for a match",
    ),
    (
        BUYERS,
        f"{NAMES} WHERE EXISTS (SELECT 1 FROM sale WHERE customer_id = customer.id)",
        "repeated rows: one for any match in sale, the reference gives one for each",
    ),
    ("SELECT city FROM customer UNION SELECT city FROM partner",
     "SELECT city FROM customer UNION ALL SELECT city FROM partner",
     "repeated rows: DISTINCT missing"),
    # ties, order, columns
    (OLDEST, f"{NAMES} ORDER BY age DESC LIMIT 1",
     "ties: only one row with the highest customer.age, not all of them"),
    (f"{NAMES} ORDER BY age LIMIT 1", f"{NAMES} WHERE age = (SELECT MIN(age) FROM customer)",
     "ties: all rows with the lowest customer.age, not only one of them"),
    (OLDEST, "SELECT city FROM customer ORDER BY age DESC LIMIT 1",
     "output column differs: customer.city, not customer.name"),
    (f"{NAMES} WHERE city = 'Rome' ORDER BY age DESC LIMIT 1",
     f"{NAMES} WHERE city = 'Rome' AND age = (SELECT MAX(age) FROM customer)",
     "inside the highest customer.age: filter missing: customer.city = 'Rome'"),
    (NAMES, "SELECT name, city, age FROM customer",
     "output column added: customer.city, customer.age"),
    ("SELECT MAX(age) FROM customer", "SELECT name, age FROM customer ORDER BY age DESC LIMIT 1",
     "output column added: customer.name"),
    (BUYERS, BUYERS.replace("JOIN", "LEFT JOIN"), "join added: LEFT JOIN"),
    # queries that are asked, with groups
    (
        f"{BUYERS} GROUP BY customer.id HAVING COUNT(*) > 1",
        f"{NAMES} WHERE id IN (SELECT customer_id FROM sale GROUP BY customer_id, day"
        " HAVING COUNT(*) > 1)",
        "grouping key added: sale.day",
    ),
    (
        f"{NAMES} WHERE name NOT IN (SELECT name FROM partner JOIN sale ON partner.id = clerk_id)",
        f"{NAMES} WHERE name NOT IN (SELECT name FROM partner)",
        "inside customer.name NOT IN (query of partner, sale): "
        "table missing: sale (on partner.id = sale.clerk_id)",
    ),
    (
        f"{NAMES} WHERE id NOT IN (SELECT customer_id FROM sale)",
        f"{NAMES} WHERE id NOT IN (SELECT customer_id FROM sale)"
        " AND id NOT IN (SELECT clerk_id FROM sale)",
        "inside NOT EXISTS (query of sale): filter differs: (sale.customer_id = customer.id OR "
        "sale.clerk_id = customer.id), not sale.customer_id = customer.id",
    ),
    (f"{NAMES} WHERE city = 'Rome'", f"{NAMES} WHERE city = 'Rome' OR age > 3",
     "filter differs: (customer.city = 'Rome' OR customer.age > 3), not customer.city = 'Rome'"),
    (f"{NAMES} WHERE city IN ('Rome', 'Oslo')", f"{NAMES} WHERE city = 'Rome'",
     "filter compares otherwise: customer.city = 'Rome', not customer.city IN ('Rome', 'Oslo')"),
    ("SELECT MAX(age) FROM customer GROUP BY city",
     "SELECT age FROM customer ORDER BY age DESC LIMIT 1",
     "grouping key missing: customer.city"),
    # queries put together
    ("SELECT name FROM partner EXCEPT SELECT name FROM customer",
     "SELECT name FROM customer EXCEPT SELECT name FROM partner",
     "table differs: customer, not partner"),
    (f"{NAMES} WHERE city = 'Rome' INTERSECT {NAMES} WHERE city = 'Oslo'",
     f"{NAMES} WHERE city IN ('Rome', 'Oslo')",
     "set operation missing: INTERSECT (with a query of customer)"),
    (f"{NAMES} WHERE city = 'Rome' UNION {NAMES} WHERE city = 'Oslo' AND age > 3",
     "SELECT DISTINCT name FROM customer WHERE city IN ('Rome', 'Oslo') AND age > 3",
     "filter missing: (customer.city = 'Rome' OR (customer.city = 'Oslo' AND customer.age >= 4))"),
    (f"{NAMES} EXCEPT SELECT name FROM partner", NAMES,
     "filter missing: NOT EXISTS (query of partner)"),
    (f"{NAMES} UNION SELECT name FROM partner", "SELECT DISTINCT name FROM customer",
     "set operation missing: UNION (with a query of partner)"),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "prediction", "expected"), FIRST)
def test_the_likeliest_difference_is_told_first(
    reference: str, prediction: str, expected: str
) -> None:
    assert told(reference, prediction)[0] == expected


ONLY = [
    # What only follows from a difference is not told beside it.
    (BUYERS, f"{NAMES} WHERE id IN (SELECT customer_id FROM sale WHERE amount > 5)",
     ["filter added: sale.amount > 5",
      "repeated rows: one for any match in sale, the reference gives one for each"]),
    (NO_SALE, NO_SALE.replace("NOT IN", "IN"),
     ["negation: asks for a row of sale with sale.amount > 5, "
      "the reference asks that there is no row of sale with sale.amount > 5"]),
    ("SELECT clerk_id FROM sale GROUP BY clerk_id ORDER BY COUNT(*) DESC LIMIT 1",
     "SELECT clerk_id FROM sale GROUP BY clerk_id ORDER BY SUM(amount) DESC LIMIT 1",
     ["sort key aggregates otherwise: SUM(sale.amount) DESC, not COUNT(*) DESC"]),
    ("SELECT DISTINCT city FROM customer WHERE city IS NOT NULL", "SELECT city FROM customer",
     ["filter missing: customer.city IS NOT NULL", "repeated rows: DISTINCT missing"]),
    (f"{NAMES} WHERE age IS NOT NULL", NAMES,
     ["filter missing: customer.age IS NOT NULL", "otherwise equal, assuming not null"]),
    # A name is NOT NULL as the schema declares it.
    (f"{NAMES} WHERE name IS NOT NULL", NAMES, ["equal"]),
    # A filter is told once, though it narrows what the highest is sought among as well.
    (OLDEST, f"{NAMES} WHERE city = 'Rome' ORDER BY age DESC LIMIT 1",
     ["filter added: customer.city = 'Rome'",
      "ties: only one row with the highest customer.age, not all of them"]),
    # Near misses: nothing of it is told where the queries are the same.
    (OLDEST, f"{OLDEST} AND 1 = 1", ["equal"]),
    (f"{NAMES} WHERE id IN (SELECT customer_id FROM sale)",
     "SELECT name FROM customer WHERE EXISTS (SELECT 1 FROM sale WHERE customer_id = customer.id)",
     ["equal"]),
    ("SELECT amount FROM sale", "SELECT amount FROM sale JOIN customer ON customer.id = customer_id",
     ["equal, assuming foreign key, primary key"]),
    # Another number than one is no tie.
    (OLDEST, f"{NAMES} ORDER BY age DESC LIMIT 2",
     ["limit has another constant: LIMIT 2, not LIMIT 1"]),
]  # fmt: skip


@pytest.mark.parametrize(("reference", "prediction", "expected"), ONLY)
def test_what_is_told_in_all(reference: str, prediction: str, expected: list[str]) -> None:
    assert told(reference, prediction) == expected


def test_what_is_left_out_is_counted() -> None:
    found = sj.diff_queries(
        f"{NAMES} WHERE city = 'Rome' ORDER BY age LIMIT 3",
        "SELECT amount, day FROM sale GROUP BY amount, day HAVING COUNT(*) > 3",
        schema=SHOP,
    )
    lines, every = found.text().splitlines(), found.text(None).splitlines()
    assert lines[:4] == every[:4]
    assert lines[4:] == [f"- … and {len(every) - 4} more (--all)"]


def test_parts_of_a_line_that_are_left_out_are_counted() -> None:
    found = sj.diff_queries("SELECT id FROM sale", "SELECT * FROM sale", schema=SHOP)
    assert found.text(2) == "output column added: sale.customer_id, sale.clerk_id and 2 more"


def test_the_queries_may_be_of_another_dialect() -> None:
    found = sj.diff_queries(
        f"{NAMES} WHERE `city` = 'Rome'",
        f"{NAMES} WHERE `city` = 'Oslo'",
        schema=SHOP,
        dialect="mysql",
    )
    assert [each.kind for each in found.differences] == ["constant"]
    with pytest.raises(sj.InputError, match="no dialect"):
        sj.diff_queries(NAMES, NAMES, schema=SHOP, dialect="klingon")
