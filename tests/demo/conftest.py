"""The cases, and the databases in every engine."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

import pytest
from demo_engines import ENGINES, Engine, Run

from sqljury.demo import DATABASES, script


@pytest.fixture(scope="session")
def demo_cases() -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads(
        files("sqljury.demo").joinpath("cases.json").read_bytes()
    )
    return cases


@pytest.fixture(scope="session")
def run_sqlite() -> Iterator[Run]:
    connections = {db_id: sqlite3.connect(":memory:") for db_id in DATABASES}
    for db_id, connection in connections.items():
        connection.executescript(script(db_id))
    yield lambda db_id, sql: connections[db_id].execute(sql).fetchall()
    for connection in connections.values():
        connection.close()


@pytest.fixture(
    scope="session",
    params=[
        "duckdb",
        pytest.param("postgresql", marks=pytest.mark.postgresql),
        pytest.param("mysql", marks=pytest.mark.mysql),
    ],
)
def elsewhere(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Engine]:
    with ENGINES[request.param](tmp_path_factory.mktemp("elsewhere")) as engine:
        yield engine


@pytest.fixture(scope="session")
def run_elsewhere(elsewhere: Engine) -> Run:
    return elsewhere.run
