"""Databases of one benchmark in several places: files here, the others in a warehouse."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from warehouses.fixtures import fakesnow

import sqljury as sj


def test_files_and_a_warehouse_in_one_run(tmp_path: Path) -> None:
    """As Spider 2.0-Lite has them: each case goes to the place that has its database."""
    here = tmp_path / "sqlite"
    here.mkdir()
    connection = sqlite3.connect(here / "pier.sqlite")
    connection.execute("CREATE TABLE pier (name TEXT)")
    connection.execute("INSERT INTO pier VALUES ('west')")
    connection.commit()
    connection.close()
    cases = [
        {"id": db_id, "db_id": db_id, "query": sql, "predicted_sql": sql}
        for db_id, sql in (
            ("pier", "SELECT group_concat(name) FROM pier"),
            ("HARBOUR", "SELECT name FROM boat QUALIFY ROW_NUMBER() OVER (ORDER BY id) = 1"),
            ("nowhere", "SELECT 1"),
        )
    ]
    with fakesnow(tmp_path) as server:
        server.run(
            "HARBOUR",
            "CREATE TABLE boat (id INT, name VARCHAR)",
            "INSERT INTO boat VALUES (1, 'Anna')",
        )
        places = f"{here},{server.url()}"
        found = sj.evaluate(cases, ["execution"], places, workers=1, run=tmp_path / "run")
        outcomes = {one.case.id: str(one.verdict.outcome) for one in found.records()}
    assert outcomes == {"pier": "correct", "HARBOUR": "correct", "nowhere": "database_missing"}
