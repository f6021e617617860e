"""A text and its tree, written as text again, give the same rows on the engine."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sqljury.databases.sqlite_schema import read_schema
from sqljury.schema import Column, Schema, Table
from sqljury.trees import build_tree
from sqljury.trees.nodes import Unreadable
from sqljury.trees.render import render

_ROWS = Path(__file__).parent / "rows"
_MAKE = """
CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER, c TEXT);
CREATE TABLE u (a INTEGER, d INTEGER);
CREATE TABLE v (b INTEGER, e TEXT);
CREATE TABLE u2 (d INTEGER);
INSERT INTO t VALUES (1, 10, 'xa'), (2, 20, 'xb'), (3, 10, 'ya'), (4, NULL, 'Xz'), (5, 20, NULL);
INSERT INTO u VALUES (1, 10), (1, 3), (2, 4), (6, 7), (NULL, 1);
INSERT INTO v VALUES (10, 'p'), (20, 'q'), (30, 'r');
INSERT INTO u2 VALUES (1), (4);
"""
_COLUMNS = {"t": "abc", "u": "ad", "v": "be", "u2": "d"}

Run = Callable[[str], list[Any]]


def _texts(name: str) -> list[str]:
    lines = (_ROWS / name).read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("--")]


@pytest.fixture(scope="module")
def sqlite() -> tuple[Schema, Run]:
    connection = sqlite3.connect(":memory:")
    connection.executescript(_MAKE)

    def run(sql: str) -> list[Any]:
        end = time.monotonic() + 10
        connection.set_progress_handler(lambda: time.monotonic() > end, 10_000)
        return connection.execute(sql).fetchall()

    return read_schema(connection), run


@pytest.fixture(scope="module")
def duckdb() -> tuple[Schema, Run]:
    engine = pytest.importorskip("duckdb")
    connection = engine.connect()
    connection.execute(_MAKE)
    tables = tuple(
        Table(name=name, columns=tuple(Column(name=c, type="INTEGER") for c in columns))
        for name, columns in _COLUMNS.items()
    )
    return Schema(dialect="duckdb", tables=tables), lambda sql: connection.execute(sql).fetchall()


def _same_rows(sql: str, schema: Schema, run: Run) -> None:
    tree = build_tree(sql, schema, schema.dialect)
    assert not isinstance(tree, Unreadable), tree
    text = render(tree, schema.dialect)
    assert isinstance(text, str), text
    assert run(text) == run(sql), text


@pytest.mark.parametrize("sql", _texts("sqlite.sql"))
def test_rows_on_sqlite(sql: str, sqlite: tuple[Schema, Run]) -> None:
    _same_rows(sql, *sqlite)


@pytest.mark.parametrize("sql", _texts("duckdb.sql"))
def test_rows_on_duckdb(sql: str, duckdb: tuple[Schema, Run]) -> None:
    _same_rows(sql, *duckdb)
