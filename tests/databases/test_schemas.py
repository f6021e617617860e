"""Schemas that come without a database."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from sqljury.databases import read_schemas, schema_from_ddl
from sqljury.errors import InputError
from sqljury.schema import ForeignKey

SHOP = {
    "db_id": "shop",
    "table_names_original": ["Customer", "order"],
    "column_names_original": [
        [-1, "*"],
        [0, "id"],
        [0, "name"],
        [1, "customer"],
        [1, "line"],
        [1, "day"],
    ],
    "column_types": ["text", "number", "text", "number", "number", "time"],
    "primary_keys": [1, 3, 4],
    "foreign_keys": [[3, 1]],
}


def test_tables_json_gives_types_and_keys(tmp_path: Path) -> None:
    path = tmp_path / "tables.json.gz"
    path.write_bytes(gzip.compress(json.dumps([SHOP]).encode()))
    schema = read_schemas(path).get("SHOP")
    assert schema is not None
    order = schema.table("ORDER")
    assert order is not None
    assert [(c.name, c.type) for c in order.columns] == [
        ("customer", "NUMERIC"),
        ("line", "NUMERIC"),
        ("day", "TIMESTAMP"),
    ]
    assert order.primary_key == ("customer", "line")
    assert order.foreign_keys == (
        ForeignKey(columns=("customer",), target_table="Customer", target_columns=("id",)),
    )
    assert read_schemas(path).get("other") is None


def test_a_key_that_points_elsewhere_is_half_a_key(tmp_path: Path) -> None:
    path = tmp_path / "tables.json"
    path.write_text(json.dumps([{**SHOP, "primary_keys": [1, 3]}]))
    schema = read_schemas(path).get("shop")
    assert schema is not None
    assert [table.primary_key for table in schema.tables] == [("id",), ()]


def test_sql_serves_every_name(tmp_path: Path) -> None:
    path = tmp_path / "schema.sql"
    path.write_text("CREATE TABLE t (a INTEGER PRIMARY KEY); INSERT INTO t VALUES (1);")
    schema = read_schemas(path).get("whatever")
    assert schema is not None and [t.name for t in schema.tables] == ["t"]


DIALECTS = [
    "CREATE TABLE a (id INT NOT NULL AUTO_INCREMENT, b INT, PRIMARY KEY (id), UNIQUE KEY k (b),"
    " CONSTRAINT f FOREIGN KEY (b) REFERENCES c (d)) ENGINE=InnoDB",
    "CREATE TABLE a (id integer NOT NULL, b integer);"
    "ALTER TABLE ONLY a ADD CONSTRAINT p PRIMARY KEY (id);"
    "ALTER TABLE a ADD UNIQUE (b); CREATE TYPE mood AS ENUM ('x;y');"
    "ALTER TABLE a ADD CONSTRAINT f FOREIGN KEY (b) REFERENCES c(d) ON DELETE CASCADE",
    "CREATE TABLE a (id INT NOT NULL, b INT, PRIMARY KEY (id), UNIQUE KEY u (b), KEY k (b),"
    " INDEX i (id, b), CONSTRAINT f FOREIGN KEY (b) REFERENCES c (d))",
    "CREATE TABLE a (id INTEGER PRIMARY KEY NOT NULL, b INTEGER UNIQUE REFERENCES c(d))",
]


@pytest.mark.parametrize("script", DIALECTS)
def test_dialects_give_the_same_keys(script: str) -> None:
    (table,) = schema_from_ddl(script).tables
    assert table.primary_key == ("id",)
    assert table.unique == (("b",),)
    assert table.foreign_keys == (
        ForeignKey(columns=("b",), target_table="c", target_columns=("d",)),
    )
    assert [column.nullable for column in table.columns] == [False, True]


BROKEN = [
    ("x.json", "[{", "SJ207"),
    ("x.json", "[]", "SJ207"),
    ("x.json", '[{"db_id": "a"}]', "SJ207"),
    ("x.json", json.dumps([{**SHOP, "primary_keys": [99]}]), "SJ207"),
    ("x.sql", "SELECT 1", "SJ207"),
    ("x.sql", "", "SJ207"),
    ("x.sql", "CREATE TABLE (", "SJ207"),
    ("x.sql", "CREATE TABLE t (" + "(" * 50_000, "SJ207"),
    ("x.sql", "CREATE TABLE a (p int NOT NULL KEY u (p), INDEX x (p), FULLTEXT KEY (p))", "SJ207"),
]


@pytest.mark.parametrize(("name", "text", "code"), BROKEN)
def test_what_cannot_be_understood(tmp_path: Path, name: str, text: str, code: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=code):
        read_schemas(tmp_path / name)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="SJ206"):
        read_schemas(tmp_path / "tables.json")


def test_all_published_schemas(data_dir: Path) -> None:
    counts = {
        name: len(read_schemas(data_dir / name).by_id)
        for name in ("spider/tables.json", "spider/test_tables.json", "bird/dev_tables.json.gz")
    }
    assert counts == {
        "spider/tables.json": 166,
        "spider/test_tables.json": 206,
        "bird/dev_tables.json.gz": 11,
    }


def test_a_small_file_that_unpacks_to_a_large_one(tmp_path: Path) -> None:
    bomb = tmp_path / "bomb.sql.gz"
    bomb.write_bytes(gzip.compress(b"CREATE TABLE t (x);" + b" " * 70_000_000, 9))
    with pytest.raises(InputError, match="more than 67108864 characters"):
        read_schemas(bomb)


def test_a_compressed_file_with_a_flipped_bit(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(b"CREATE TABLE t (x);" * 1000))
    packed[30] ^= 255
    (tmp_path / "broken.sql.gz").write_bytes(packed)
    with pytest.raises(InputError, match="SJ207"):
        read_schemas(tmp_path / "broken.sql.gz")
