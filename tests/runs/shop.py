"""A tiny database and cases for the tests of runs."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from sqljury.case import MISSING, Case
from sqljury.case import Missing as MissingType

REFERENCE = "SELECT name FROM item WHERE price > 2"

SCRIPT = """
CREATE TABLE item (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price REAL);
INSERT INTO item VALUES (1, 'pen', 1.5), (2, 'ink', 4.0), (3, 'pad', 4.0), (4, 'cap', NULL);
"""

# prediction, references, database, expected outcome of execution:strict
OUTCOMES: list[tuple[str | MissingType | None, tuple[str, ...], str, str]] = [
    ("SELECT name FROM item WHERE price >= 3", (REFERENCE,), "shop", "correct"),
    ("SELECT name FROM item", (REFERENCE,), "shop", "incorrect"),
    ("SELECT nothing FROM item", (REFERENCE,), "shop", "prediction_error"),
    ("", (REFERENCE,), "shop", "prediction_error"),
    ("DELETE FROM item", (REFERENCE,), "shop", "prediction_refused"),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
        (REFERENCE,),
        "shop",
        "prediction_timeout",
    ),
    (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000) SELECT i FROM n",
        (REFERENCE,),
        "shop",
        "prediction_too_large",
    ),
    (MISSING, (REFERENCE,), "shop", "prediction_missing"),
    (None, (REFERENCE,), "shop", "abstained"),
    (None, (), "shop", "abstained"),
    ("SELECT 1", (), "shop", "reference_missing"),
    (MISSING, (), "shop", "reference_missing"),
    ("SELECT 1", ("SELECT nothing FROM item",), "shop", "reference_error"),
    ("SELECT nothing", ("SELECT nothing FROM item",), "shop", "reference_error"),
    (REFERENCE, ("SELECT nothing FROM item", REFERENCE), "shop", "correct"),
    (REFERENCE, (REFERENCE,), "gone", "database_missing"),
    (MISSING, (REFERENCE,), "gone", "database_missing"),
]


def make_database(folder: Path) -> Path:
    """``folder/shop/shop.sqlite``; returns the folder."""
    path = folder / "shop" / "shop.sqlite"
    path.parent.mkdir(parents=True)
    connection = sqlite3.connect(path)
    connection.executescript(SCRIPT)
    connection.close()
    return folder


def make_cases(count: int) -> Iterable[Case]:
    """As many cases as wanted, half of them right."""
    for number in range(count):
        price = number % 7
        yield Case(
            id=str(number),
            db_id="shop",
            predicted_sql=f"SELECT name FROM item WHERE price > {price}",
            reference_sqls=(f"SELECT name FROM item WHERE price > {number % 2 * price}",),
        )
