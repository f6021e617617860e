"""Enhanced tree matching: pairs that each published rule makes equal, and look-alikes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqljury.databases.ddl import schema_from_ddl
from sqljury.databases.schemas import Schemas, read_schemas
from sqljury.equivalence.etm import etm_form

SCHEMA = schema_from_ddl(
    "CREATE TABLE shop (id INTEGER PRIMARY KEY, city TEXT, code TEXT NOT NULL UNIQUE);"
    "CREATE TABLE sale (nr INTEGER PRIMARY KEY, shop INTEGER REFERENCES shop(id),"
    " price REAL NOT NULL, day TEXT, kind TEXT)",
)

EQUAL = {
    "alias": ("SELECT t.City FROM shop AS t", 'select "CITY" from Shop'),
    "outputs in any order": ("SELECT city, id FROM shop", "SELECT id, city FROM shop"),
    "output names": (
        "SELECT kind, COUNT(*) AS n FROM sale GROUP BY kind ORDER BY n",
        "SELECT kind, COUNT(*) FROM sale GROUP BY kind ORDER BY COUNT(*)",
    ),
    "join order": (
        "SELECT city, nr FROM shop JOIN sale ON shop.id = sale.shop",
        "SELECT city, nr FROM sale JOIN shop ON sale.shop = shop.id",
    ),
    "operands": (
        "SELECT nr FROM sale WHERE kind = 'a' AND (price > 1 OR day = 'x')",
        "SELECT nr FROM sale WHERE ('x' = day OR price > 1) AND kind = 'a'",
    ),
    "double quotes": (
        'SELECT nr FROM sale WHERE kind = "a"',
        "SELECT nr FROM sale WHERE kind = 'a'",
    ),
    "1 extreme": (
        "SELECT city FROM shop WHERE code = (SELECT MAX(code) FROM shop)",
        "SELECT city FROM shop ORDER BY code DESC LIMIT 1",
    ),
    "2 distinct": ("SELECT DISTINCT code FROM shop", "SELECT code FROM shop"),
    "2 count distinct": ("SELECT COUNT(DISTINCT code) FROM shop", "SELECT COUNT(*) FROM shop"),
    "3 intersect": (
        "SELECT nr FROM sale WHERE price > 1 INTERSECT SELECT nr FROM sale WHERE price < 3",
        "SELECT nr FROM sale WHERE price < 3 AND price > 1",
    ),
    "4 group": (
        "SELECT city, COUNT(*) FROM shop GROUP BY id, city",
        "SELECT city, COUNT(*) FROM shop GROUP BY id",
    ),
    "5 except": (
        "SELECT id FROM shop EXCEPT SELECT shop FROM sale",
        "SELECT id FROM shop WHERE id NOT IN (SELECT shop FROM sale)",
    ),
    "6 count": ("SELECT COUNT(price) FROM sale", "SELECT COUNT(*) FROM sale"),
    "7 not null": ("SELECT nr FROM sale WHERE price IS NOT NULL", "SELECT nr FROM sale"),
    "8 average": (
        "SELECT CAST(SUM(price) AS REAL) / COUNT(*) FROM sale",
        "SELECT AVG(price) FROM sale",
    ),
    "9 count of case": (
        "SELECT COUNT(CASE WHEN kind = 'a' THEN 1 END) FROM sale",
        "SELECT SUM(CASE WHEN kind = 'a' THEN 1 ELSE 0 END) FROM sale",
    ),
    "10 first": ("SELECT price FROM sale ORDER BY price LIMIT 1", "SELECT MIN(price) FROM sale"),
    "11 star": ("SELECT * FROM shop", "SELECT code, city, id FROM shop"),
    "12 numbers": (
        "SELECT nr FROM sale WHERE price > 5",
        "SELECT nr FROM sale WHERE price > '5.0'",
    ),
    "13 member": (
        "SELECT nr FROM sale WHERE shop IN (SELECT id FROM shop WHERE city = 'x')",
        "SELECT nr FROM sale JOIN shop ON sale.shop = shop.id WHERE city = 'x'",
    ),
    "14 parent": ("SELECT nr FROM sale JOIN shop ON sale.shop = shop.id", "SELECT nr FROM sale"),
    "15 substrings": (
        "SELECT nr FROM sale WHERE SUBSTR(day, 1, 4) = 'year' AND SUBSTR(day, 5, 2) >= 'ab'",
        "SELECT nr FROM sale WHERE day >= 'yearab'",
    ),
    "16 prefix": (
        "SELECT nr FROM sale WHERE day LIKE 'ab%'",
        "SELECT nr FROM sale WHERE SUBSTR(day, 1, 2) = 'ab'",
    ),
    "17 dates": ("SELECT nr FROM sale ORDER BY JULIANDAY(day)", "SELECT nr FROM sale ORDER BY day"),
    "18 list": (
        "SELECT nr FROM sale WHERE kind NOT IN ('a', 'b')",
        "SELECT nr FROM sale WHERE kind <> 'b' AND kind <> 'a'",
    ),
    "19 equal columns": (
        "SELECT id, city FROM shop JOIN sale ON shop.id = sale.shop",
        "SELECT sale.shop, city FROM shop JOIN sale ON shop.id = sale.shop",
    ),
    "20 same table": (
        "SELECT nr FROM sale WHERE nr IN (SELECT nr FROM sale WHERE price > 1)",
        "SELECT nr FROM sale WHERE price > 1",
    ),
    "21 twice": ("SELECT nr FROM sale INTERSECT SELECT nr FROM sale", "SELECT nr FROM sale"),
    "22 between": (
        "SELECT nr FROM sale WHERE price BETWEEN 1 AND 2",
        "SELECT nr FROM sale WHERE price >= 1 AND price <= 2",
    ),
    "23 not": ("SELECT nr FROM sale WHERE NOT price > 1", "SELECT nr FROM sale WHERE price <= 1"),
    "24 iif": (
        "SELECT IIF(price > 1, 'a', 'b') FROM sale",
        "SELECT CASE WHEN price > 1 THEN 'a' ELSE 'b' END FROM sale",
    ),
    "25 anti join": (
        "SELECT city FROM shop LEFT JOIN sale ON shop.id = sale.shop WHERE sale.shop IS NULL",
        "SELECT city FROM shop WHERE id NOT IN (SELECT shop FROM sale)",
    ),
    "26 with": (
        "WITH dear AS (SELECT nr FROM sale WHERE price > 9) SELECT nr FROM dear",
        "SELECT nr FROM (SELECT nr FROM sale WHERE price > 9) AS dear",
    ),
}

DIFFERENT = {
    "count of what may be NULL": ("SELECT COUNT(kind) FROM sale", "SELECT COUNT(*) FROM sale"),
    "distinct of what repeats": ("SELECT DISTINCT kind FROM sale", "SELECT kind FROM sale"),
    "bound": ("SELECT nr FROM sale WHERE price > 1", "SELECT nr FROM sale WHERE price >= 1"),
    "direction": ("SELECT nr FROM sale ORDER BY price", "SELECT nr FROM sale ORDER BY price DESC"),
    "letter case of a text": (
        "SELECT nr FROM sale WHERE kind = 'a'",
        "SELECT nr FROM sale WHERE kind = 'A'",
    ),
    "outer join": (
        "SELECT city FROM shop LEFT JOIN sale ON shop.id = sale.shop",
        "SELECT city FROM shop JOIN sale ON shop.id = sale.shop",
    ),
    "the parent is read": (
        "SELECT nr FROM sale JOIN shop ON sale.shop = shop.id WHERE city = 'x'",
        "SELECT nr FROM sale",
    ),
    "order of EXCEPT": (
        "SELECT kind FROM sale EXCEPT SELECT city FROM shop",
        "SELECT city FROM shop EXCEPT SELECT kind FROM sale",
    ),
    "a table twice": (
        "SELECT a.nr FROM sale AS a JOIN sale AS b ON a.day = b.kind",
        "SELECT b.nr FROM sale AS a JOIN sale AS b ON a.day = b.kind",
    ),
}


@pytest.mark.parametrize("name", EQUAL)
def test_a_rule_makes_them_equal(name: str) -> None:
    one, other = (etm_form(sql, SCHEMA, "sqlite") for sql in EQUAL[name])
    assert one is not None
    assert one == other, (one.sql(), other and other.sql())


@pytest.mark.parametrize("name", DIFFERENT)
def test_no_rule_makes_them_equal(name: str) -> None:
    one, other = (etm_form(sql, SCHEMA, "sqlite") for sql in DIFFERENT[name])
    assert one is not None
    assert one != other


def test_what_is_no_query_has_no_form() -> None:
    assert etm_form("DROP TABLE shop", SCHEMA, "sqlite") is None
    assert etm_form("SELECT 'broken", SCHEMA, "sqlite") is None


def test_recorded_scores(data_dir: Path) -> None:
    """Equal on BIRD but for one, where the schema file lacks a NOT NULL that the database has.

    The recording of Spider's half has not one query with a join or a second output column among
    its matches, even where the texts differ in blanks only: the published program finds 47 matches
    where 12 are recorded, and these 47 are ours.
    """
    found = {}
    for name, tables in (
        ("bird", "bird/dev_tables.json.gz"),
        ("spider", "spider/test_tables.json"),
    ):
        schemas = read_schemas(data_dir / tables)
        rows = json.loads((data_dir / f"rose-vec/rose-vec-{name}.json").read_text())
        folder = data_dir / f"rose-vec/recorded/rose-vec/rose-vec-{name}/decisive/ETM"
        recorded = {
            (row["question_id"], row["predicted_sql"]): row["score"] == 1.0
            for row in json.loads((folder / "eval_results.json").read_text())
        }
        found[name] = [
            (recorded[row["question_id"], row["predicted_sql"]], _matches(row, schemas))
            for row in rows
        ]
    assert sum(one is other for one, other in found["bird"]) == 167
    assert all(ours for theirs, ours in found["spider"] if theirs)


def _matches(row: dict[str, str], schemas: Schemas) -> bool:
    schema = schemas.get(row["db_id"])
    one = etm_form(row["gold_sql"], schema, "sqlite")
    return one is not None and one == etm_form(row["predicted_sql"], schema, "sqlite")
