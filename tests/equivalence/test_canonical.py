"""The canonical tree does not depend on how a query was written, and says what it assumed."""

from __future__ import annotations

import time
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqljury.databases.ddl import schema_from_ddl
from sqljury.equivalence.canonical import (
    Canonical,
    canonical,
    canonical_query,
    columns_sorted,
    equality,
)
from sqljury.schema import Schema
from sqljury.trees import build_tree
from sqljury.trees.context import ALL_ASSUMPTIONS, Assumption, Context
from sqljury.trees.nodes import Relation, Unreadable

SHOP = schema_from_ddl("""
CREATE TABLE customer (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, city TEXT, age INTEGER
);
CREATE TABLE product (id INTEGER PRIMARY KEY, name TEXT, price INTEGER, kind INTEGER NOT NULL);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id),
  seller_id INTEGER REFERENCES customer (id), day DATE, total REAL
);
CREATE TABLE item (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  product_id INTEGER NOT NULL REFERENCES product (id),
  number INTEGER, PRIMARY KEY (order_id, product_id)
);
""")
KEYS = Assumption.PRIMARY_KEY
FOREIGN = Assumption.FOREIGN_KEY
NOT_NULL = Assumption.NOT_NULL
TYPES = Assumption.TYPES


def tree(sql: str, schema: Schema = SHOP) -> Relation:
    found = canonical_query(sql, schema, schema.dialect)
    assert isinstance(found, Canonical), found
    return found.relation


# ---------------------------------------------------------------- however it is written


@dataclass(frozen=True)
class Written:
    """A query as parts that may stand in any order: tables by alias, pairs of equal operands."""

    tables: tuple[tuple[str, str], ...]
    conditions: tuple[tuple[str, str, str], ...]
    outputs: tuple[str, ...]
    tail: str = ""


WRITTEN = (
    Written(
        (("customer", "c"), ("orders", "o"), ("item", "i")),
        (("c.id", "=", "o.customer_id"), ("i.order_id", "=", "o.id"), ("c.age", "=", "5")),
        ("c.name", "o.total", "i.number"),
    ),
    # Self-joins, in a chain and symmetric.
    Written(
        (("product", "a"), ("product", "b"), ("product", "c")),
        (("a.kind", "=", "b.price"), ("b.kind", "=", "c.price")),
        ("a.name", "c.name"),
    ),
    Written(
        (("product", "a"), ("product", "b")),
        (("a.kind", "=", "b.kind"), ("a.price", "<>", "b.price")),
        ("COUNT(*)",),
    ),
    Written(
        (("product", "a"), ("product", "b"), ("product", "c"), ("product", "d")),
        (("a.kind", "<>", "b.kind"), ("c.kind", "<>", "d.kind"), ("a.price", "=", "c.price")),
        ("COUNT(*)", "MAX(b.name)"),
    ),
    # A class of equal columns, and groups.
    Written(
        (("customer", "c"), ("orders", "o"), ("product", "p")),
        (("c.id", "=", "o.customer_id"), ("p.id", "=", "c.id"), ("p.kind", "=", "o.id")),
        ("o.customer_id", "COUNT(*)", "SUM(o.total)"),
        "GROUP BY o.customer_id HAVING COUNT(*) > 2 ORDER BY SUM(o.total) DESC LIMIT 3",
    ),
    Written(
        (("orders", "o"), ("orders", "p")),
        (("o.customer_id", "=", "p.seller_id"), ("o.total", "=", "p.total")),
        ("DISTINCT o.day", "p.day"),
        "ORDER BY o.day",
    ),
)


def text(written: Written, aliases: dict[str, str], turned: list[bool]) -> str:
    def renamed(part: str) -> str:
        for old, new in aliases.items():
            part = part.replace(f"{old}.", f"{new}.")
        return part

    conditions = (
        f"{b} {op} {a}" if turn else f"{a} {op} {b}"
        for (a, op, b), turn in zip(written.conditions, turned, strict=True)
    )
    tables = ", ".join(f"{table} AS {aliases[alias]}" for table, alias in written.tables)
    where = " AND ".join(map(renamed, conditions))
    outputs = ", ".join(map(renamed, written.outputs))
    return f"SELECT {outputs} FROM {tables} WHERE {where} {renamed(written.tail)}"


@given(data=st.data(), written=st.sampled_from(WRITTEN))
@settings(max_examples=120)
def test_order_and_names_do_not_count(data: st.DataObject, written: Written) -> None:
    first = {alias: f"{alias}1" for _, alias in written.tables}
    plain = text(written, first, [False] * len(written.conditions))
    tables = data.draw(st.permutations(written.tables))
    other = Written(
        tuple(tables),
        tuple(data.draw(st.permutations(written.conditions))),
        written.outputs,
        written.tail,
    )
    names = data.draw(st.permutations([f"t{i}" for i in range(len(tables))]))
    aliases = {alias: name for (_, alias), name in zip(tables, names, strict=True)}
    turned = data.draw(st.lists(st.booleans(), min_size=len(written.conditions), max_size=4))
    again = text(other, aliases, turned[: len(written.conditions)])
    assert tree(plain) == tree(again), f"{plain}\n{again}"


@given(data=st.data(), written=st.sampled_from(WRITTEN))
@settings(max_examples=60)
def test_joins_are_conditions(data: st.DataObject, written: Written) -> None:
    aliases = {alias: alias for _, alias in written.tables}
    plain = text(written, aliases, [False] * len(written.conditions))
    tables = data.draw(st.permutations(written.tables))
    joins = " CROSS JOIN ".join(f"(SELECT * FROM {table}) AS {alias}" for table, alias in tables)
    where = " AND ".join(f"{a} {op} {b}" for a, op, b in written.conditions)
    again = f"SELECT {', '.join(written.outputs)} FROM {joins} WHERE {where} {written.tail}"
    assert tree(plain) == tree(again), f"{plain}\n{again}"


QUERIES = (
    "SELECT c.name, COUNT(*) FROM customer c JOIN orders o ON o.customer_id = c.id GROUP BY c.id",
    "SELECT DISTINCT c.city FROM customer c LEFT JOIN orders o ON o.seller_id = c.id WHERE o.id IS NULL",
    "SELECT name FROM product WHERE id NOT IN (SELECT product_id FROM item WHERE number > 2)",
    "SELECT name FROM product ORDER BY price DESC, name LIMIT 3 OFFSET 2",
    "SELECT kind, name FROM product UNION SELECT age, city FROM customer EXCEPT SELECT 1, 'x'",
    "WITH t AS (SELECT kind, MAX(price) AS m FROM product GROUP BY kind) SELECT p.name FROM product p JOIN t ON t.kind = p.kind AND t.m = p.price",
    "SELECT name, RANK() OVER (PARTITION BY kind ORDER BY price) FROM product WHERE kind > 1",
    "SELECT CASE WHEN age > 3 THEN 'a' ELSE city END FROM customer WHERE age BETWEEN 2 AND 7 OR city LIKE 'x%'",
)


@pytest.mark.parametrize("sql", QUERIES)
@pytest.mark.parametrize("assuming", [ALL_ASSUMPTIONS, frozenset()])
def test_idempotent(sql: str, assuming: frozenset[Assumption]) -> None:
    found = canonical_query(sql, SHOP, "sqlite", assuming)
    assert isinstance(found, Canonical)
    again = canonical(found.relation, Context(SHOP, "sqlite", assuming))
    assert again.relation == found.relation


def test_nothing_is_assumed_that_may_not_be() -> None:
    for sql in QUERIES:
        found = canonical_query(sql, SHOP, "sqlite", frozenset())
        assert isinstance(found, Canonical)
        assert not found.assumptions


# ---------------------------------------------------------------- what is assumed

EQUAL = [
    ("SELECT name FROM product", "SELECT p.name AS n FROM product AS p", set()),
    ("SELECT COUNT(DISTINCT id) FROM product", "SELECT COUNT(*) FROM product", {KEYS}),
    ("SELECT COUNT(city) FROM customer", "SELECT COUNT(*) FROM customer", {NOT_NULL}),
    (
        "SELECT o.day FROM orders o JOIN customer c ON c.id = o.customer_id",
        "SELECT day FROM orders",
        {KEYS, FOREIGN},
    ),
    (
        "SELECT name FROM product WHERE price > 2",
        "SELECT name FROM product WHERE price >= 3",
        {TYPES},
    ),
    # What one text would need an assumption for does not count where both are written so.
    ("SELECT COUNT(city) FROM customer", "SELECT COUNT(c.city) FROM customer c", set()),
    (
        "SELECT name FROM product WHERE name = 'x'",
        "SELECT name FROM product WHERE name = 'X'",
        None,
    ),
    ("SELECT name, price FROM product", "SELECT price, name FROM product", None),
    ("SELECT name FROM product", "SELECT name, price FROM product", None),
    ("SELECT name FROM product", "SELECT nam FROM product", None),
    ("SELECT name FROM product ORDER BY id", "SELECT name FROM product", None),
    ("SELECT name FROM product WHERE 1 = 0", "SELECT name, price FROM product WHERE 1 = 0", None),
]


def equal_under(left: str, right: str, *, permuted: bool = False) -> frozenset[Assumption] | None:
    """What it takes that two texts return the same rows; None where one cannot be read, too."""
    one, other = (build_tree(sql, SHOP, "sqlite") for sql in (left, right))
    if isinstance(one, Unreadable) or isinstance(other, Unreadable):
        return None
    found = equality(one, other, SHOP, "sqlite", permuted=permuted)
    return None if found is None else found.assumptions


@pytest.mark.parametrize(("left", "right", "expected"), EQUAL)
def test_equal_under(left: str, right: str, expected: set[Assumption] | None) -> None:
    found = equal_under(left, right)
    assert found == (None if expected is None else frozenset(expected))
    assert equal_under(right, left) == found


PERMUTED = [
    ("SELECT name, price FROM product", "SELECT price, name FROM product"),
    (
        "SELECT kind, COUNT(*), MAX(price) FROM product GROUP BY kind",
        "SELECT MAX(price), kind, COUNT(*) FROM product GROUP BY kind",
    ),
    (
        "SELECT c.name, o.day FROM customer c JOIN orders o ON c.id = o.customer_id",
        "SELECT o.day, c.name FROM orders o JOIN customer c ON c.id = o.customer_id",
    ),
    (
        "SELECT DISTINCT name, kind FROM product ORDER BY name",
        "SELECT DISTINCT kind, name FROM product ORDER BY name",
    ),
    ("SELECT * FROM product", "SELECT kind, price, id, name FROM product"),
    (
        "SELECT name, kind FROM product UNION SELECT city, age FROM customer",
        "SELECT kind, name FROM product UNION SELECT age, city FROM customer",
    ),
]


@pytest.mark.parametrize(("left", "right"), PERMUTED)
def test_permuted(left: str, right: str) -> None:
    assert equal_under(left, right) is None
    assert equal_under(left, right, permuted=True) is not None


def test_permuted_keeps_rows_together() -> None:
    """Columns of one side and of the other may change places, and not those of one row."""
    left = "SELECT a.name, b.price FROM product a JOIN product b ON a.kind = b.id"
    right = "SELECT b.name, a.price FROM product a JOIN product b ON a.kind = b.id"
    assert equal_under(left, right, permuted=True) is None


ORDERS = [
    ("SELECT name FROM product", "SELECT name FROM product ORDER BY price", True),
    ("SELECT DISTINCT name FROM product", "SELECT DISTINCT name FROM product ORDER BY name", True),
    ("SELECT name FROM product ORDER BY id", "SELECT name FROM product", False),
    ("SELECT name FROM product ORDER BY id", "SELECT name FROM product ORDER BY price", False),
    ("SELECT name FROM product", "SELECT name FROM product ORDER BY price LIMIT 3", False),
    ("SELECT name FROM product LIMIT 3", "SELECT name FROM product ORDER BY price LIMIT 3", False),
]


@pytest.mark.parametrize(("left", "right", "expected"), ORDERS)
def test_extra_order(left: str, right: str, expected: bool) -> None:
    one, other = build_tree(left, SHOP, "sqlite"), build_tree(right, SHOP, "sqlite")
    assert not isinstance(one, Unreadable)
    assert not isinstance(other, Unreadable)
    found = equality(one, other, SHOP, "sqlite", extra_order=True)
    assert (found is not None) is expected
    assert equality(one, other, SHOP, "sqlite") is None


def test_columns_sorted_twice() -> None:
    context = Context(SHOP, "sqlite")
    found = canonical_query("SELECT price, name, id FROM product", SHOP, "sqlite")
    assert isinstance(found, Canonical)
    once = columns_sorted(found, context)
    assert columns_sorted(once, context) == once


# ---------------------------------------------------------------- texts that would take long


def _cross(n: int, where: str = "") -> str:
    return "SELECT COUNT(*) FROM " + ", ".join(f"product p{i}" for i in range(n)) + where


HOSTILE = [
    _cross(60),
    _cross(30, " WHERE " + " AND ".join(f"p{i}.kind <> p{(i + 1) % 30}.price" for i in range(30))),
    _cross(30, " WHERE " + " AND ".join(f"p{i}.kind = p{(i + 1) % 30}.price" for i in range(30))),
    "SELECT name FROM product WHERE "
    + " OR ".join(f"(price = {i} AND kind = {i})" for i in range(300)),
    "SELECT DISTINCT name FROM product p WHERE "
    + " AND ".join(
        f"EXISTS (SELECT 1 FROM item i{k} WHERE i{k}.product_id = p.id AND i{k}.number > {k})"
        for k in range(30)
    ),
    "SELECT a FROM ("
    + "SELECT a + a AS a FROM (" * 25
    + "SELECT price AS a FROM product"
    + ")" * 26,
]


@pytest.mark.parametrize("sql", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile(sql: str) -> None:
    started = time.process_time()
    found = canonical_query(sql, SHOP, "sqlite")
    assert isinstance(found, Canonical)
    assert time.process_time() - started < 20


def test_unreadable() -> None:
    found = canonical_query("SELECT FROM WHERE", SHOP, "sqlite")
    assert isinstance(found, Unreadable)
    assert equal_under("SELECT FROM WHERE", "SELECT FROM WHERE") is None


def test_a_foreign_key_may_name_a_column_that_does_not_exist() -> None:
    """SQLite takes such a key; Spider's database restaurants has one."""
    schema = schema_from_ddl("""
        CREATE TABLE restaurant (id INTEGER PRIMARY KEY, name TEXT);
        CREATE TABLE location (restaurant_id INTEGER REFERENCES restaurant (restaurant_id));
    """)
    sql = "SELECT l.restaurant_id FROM location AS l JOIN restaurant AS r ON l.restaurant_id = r.id"
    assert isinstance(canonical_query(sql, schema, "sqlite"), Canonical)
