"""The loader for tests: the same schema and rows on every engine."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from load import load
from servers import Server

from sqljury.databases import Database, open_databases
from sqljury.execution import Limits

SCRIPT = """
CREATE TABLE Shop (
  Id INTEGER PRIMARY KEY, "Full Name" TEXT NOT NULL UNIQUE, price DECIMAL(6, 2), weight REAL,
  picture BLOB, empty INT, loose);
CREATE TABLE item (shop_id INT, no INT, label VARCHAR(10), PRIMARY KEY (shop_id, no),
  FOREIGN KEY (shop_id) REFERENCES Shop (Id));
CREATE TABLE broken (shop_id INT REFERENCES Shop (Id));
INSERT INTO Shop VALUES (1, 'a''b', 2.5, 1, x'00ff', NULL, 'x'), (2, 'ü ', NULL, 0.25, NULL, NULL, 3);
INSERT INTO item VALUES (1, 1, 'A'), (1, 2, 'a'), (2, 1, NULL);
INSERT INTO broken VALUES (99);
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "shop.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(SCRIPT)
    return path


@pytest.fixture(
    params=[
        "duckdb",
        pytest.param("postgresql", marks=pytest.mark.postgresql),
        pytest.param("mysql", marks=pytest.mark.mysql),
    ]
)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "duckdb":
        pytest.importorskip("duckdb")
        return str(tmp_path / "shop.duckdb")
    server: Server = request.getfixturevalue(request.param)
    return server.url + server.create()


def _rows(database: Database, sql: str) -> list[tuple[Any, ...]]:
    execution = database.execute(sql, Limits())
    assert execution.table is not None, execution
    return execution.table.rows


def _open(place: str) -> Database:
    database = open_databases(place).open("")
    assert database is not None
    return database


def test_load(source: Path, place: str) -> None:
    load(source, place)
    with closing(_open(place)) as database:
        assert _rows(database, "SELECT * FROM Shop ORDER BY Id") == [
            (1, "a'b", Decimal("2.50"), 1.0, b"\x00\xff", None, "x"),
            (2, "ü ", None, 0.25, None, None, "3"),
        ]
        # By code point, as SQLite compares.
        assert _rows(database, "SELECT label FROM item WHERE label = 'a'") == [("a",)]
        assert _rows(database, "SELECT label FROM item ORDER BY label DESC LIMIT 1") != [("A",)]
        schema = database.schema()
        shop, item, broken = (schema.table(name) for name in ("Shop", "item", "broken"))
        assert shop is not None
        assert [c.name.casefold() for c in shop.columns][:2] == ["id", "full name"]
        assert item is not None
        assert item.primary_key == ("shop_id", "no")
        assert [key.target_table.casefold() for key in item.foreign_keys] == ["shop"]
        assert broken is not None
        assert broken.foreign_keys == ()


QUERIES: tuple[Callable[[str], str], ...] = (
    lambda t: f"SELECT count(*) FROM {t}",
    lambda t: f"SELECT * FROM {t}",
)


@pytest.mark.data
@pytest.mark.parametrize("db_id", ["concert_singer", "world_1"])
def test_spider_databases(data_dir: Path, place: str, db_id: str) -> None:
    source = data_dir / "spider" / "databases" / db_id / f"{db_id}.sqlite"
    load(source, place)
    with closing(_open(str(source))) as sqlite, closing(_open(place)) as other:
        for table in sqlite.schema().tables:
            for query in QUERIES:
                left, right = (_rows(d, query(table.name)) for d in (sqlite, other))
                assert sorted(map(str, right)) == sorted(map(str, left))
