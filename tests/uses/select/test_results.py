"""Which candidates return the same table, on a real database."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from sqljury.case import Case
from sqljury.databases import open_databases
from sqljury.evidence import DatabaseEvidence, ExecutionCache
from sqljury.execution import Limits
from sqljury.judges import make_judge, spec_of
from sqljury.uses.select.results import Results
from sqljury.verdict import Verdict


@pytest.fixture
def shop(tmp_path: Path) -> str:
    connection = sqlite3.connect(tmp_path / "shop.sqlite")
    connection.executescript(
        "CREATE TABLE item (id INTEGER, name TEXT, price REAL);"
        "INSERT INTO item VALUES (1, 'a', 2.0), (2, 'b', 3.0), (3, 'c', 3.0);"
    )
    connection.close()
    return str(tmp_path)


def grouped(databases: str, *pool: str | None, match: str = "strict") -> Verdict:
    case = Case(id="1", db_id="shop", predicted_sql="SELECT 1", pool=pool)
    database = open_databases(databases).open("shop")
    assert database is not None
    try:
        evidence = DatabaseEvidence(case, database, ExecutionCache(), Limits(seconds=5))
        return Results(match=match).judge(case, evidence)
    finally:
        database.close()


@pytest.mark.parametrize(
    ("match", "pool", "groups"),
    [
        # Equal rows in another order, numbers of another type, another column name.
        ("strict", ("SELECT id FROM item", "SELECT id FROM item ORDER BY id DESC"), [0, 0]),
        ("strict", ("SELECT 1", "SELECT 1.0", "SELECT '1'"), [0, 0, 1]),
        # The order counts where more than half ask for one.
        (
            "strict",
            ("SELECT id FROM item ORDER BY id", "SELECT id FROM item ORDER BY id DESC"),
            [0, 1],
        ),
        (
            "strict",
            (
                "SELECT id FROM item ORDER BY id",
                "SELECT id FROM item",
                "SELECT id FROM item ORDER BY id DESC",
            ),
            [0, 0, 1],
        ),
        # Rows that the order does not tell apart are free.
        (
            "strict",
            (
                "SELECT id FROM item ORDER BY price",
                "SELECT id FROM item ORDER BY price, id DESC",
                "SELECT id FROM item ORDER BY price DESC",
            ),
            [0, 0, 1],
        ),
        ("strict", ("SELECT id, name FROM item", "SELECT name, id FROM item"), [0, 1]),
        (
            "strict;column_order=any",
            ("SELECT id, name FROM item", "SELECT name, id FROM item"),
            [0, 0],
        ),
        ("strict", ("SELECT price FROM item", "SELECT DISTINCT price FROM item"), [0, 1]),
        ("bird", ("SELECT price FROM item", "SELECT DISTINCT price FROM item"), [0, 0]),
        ("spider", ("SELECT price FROM item", "SELECT DISTINCT price FROM item"), [0, 0]),
        # Failures are in no group, and equal texts are one query.
        ("strict", ("SELECT", "SELECT 2", "SELECT 2", None, "SELEC 3", ""), [None, 0, None]),
        ("strict", ("SELECT id FROM item WHERE id > 9", "SELECT name FROM item WHERE 0"), [0, 0]),
        (
            "strict",
            ("SELECT id FROM item WHERE id > 9", "SELECT id, name FROM item WHERE 0"),
            [0, 1],
        ),
        ("strict;tolerance=0.01", ("SELECT 1.0", "SELECT 1.001", "SELECT 1.5"), [0, 0, 1]),
    ],
)
def test_groups(shop: str, match: str, pool: tuple[str | None, ...], groups: list[int]) -> None:
    assert grouped(shop, *pool, match=match).evidence["group"] == groups


def test_rows_and_status(shop: str) -> None:
    found = grouped(shop, "SELECT id FROM item", "SELECT 1 WHERE 0", "DELETE FROM item", "SELEC")
    assert found.evidence["rows"] == [3, 0, None, None]
    assert found.evidence["status"] == ["ok", "ok", "refused", "error"]


def test_each_text_is_run_once(shop: str) -> None:
    database = open_databases(shop).open("shop")
    assert database is not None
    seen: list[bytes] = []
    cache = ExecutionCache(watch=lambda token: seen.append(token) if token else None)
    case = Case(id="1", db_id="shop", pool=("SELECT 1", "SELECT 2", "SELECT 1") * 500)
    Results().judge(case, DatabaseEvidence(case, database, cache, Limits()))
    database.close()
    assert len(seen) == 2


def test_workers_can_make_it_from_its_name() -> None:
    judge = Results(match="strict;column_order=any")
    assert make_judge(spec_of(judge)) == judge
