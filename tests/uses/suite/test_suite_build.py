"""Test suites built from a small benchmark: what they tell apart, files, resuming."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import sqljury as sj
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.schema import Schema
from sqljury.uses.suite.build import build_suites
from sqljury.uses.suite.databases import Original, completed, mutation
from sqljury.variants import neighbours

SCRIPT = """
CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT NOT NULL, age INT CHECK (age > 0));
CREATE TABLE boat (
  id INTEGER PRIMARY KEY, owner_id INT REFERENCES owner(id), name TEXT COLLATE NOCASE, length REAL
);
CREATE INDEX boat_name ON boat (name);
CREATE VIEW long_boat AS SELECT * FROM boat WHERE length > 8;
INSERT INTO owner VALUES (1, 'Ann', 30), (2, 'Bo', 41), (3, 'Cy', 30), (4, 'Di', 66);
INSERT INTO boat VALUES (1, 1, 'Ara', 9.5), (2, 1, 'Bee', 7.0), (3, 2, 'Cat', 8.0), (4, 3, 'ara', 5.5);
"""

REFERENCES = (
    "SELECT name FROM owner WHERE age > 35",
    "SELECT o.name, count(*) FROM owner o JOIN boat b ON o.id = b.owner_id GROUP BY o.id",
    "SELECT name FROM boat ORDER BY length DESC LIMIT 1",
    "SELECT name FROM owner WHERE id NOT IN (SELECT owner_id FROM boat)",
    "SELECT nothing FROM owner",
)


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("harbour")
    for name in ("harbour", "haven"):
        (folder / name).mkdir()
        connection = sqlite3.connect(folder / name / f"{name}.sqlite")
        connection.executescript(SCRIPT)
        connection.close()
    return folder


def cases(*names: str) -> list[Case]:
    return [
        Case(id=f"{name}{i}", db_id=name, reference_sqls=(sql,))
        for name in names
        for i, sql in enumerate(REFERENCES)
    ]


@pytest.fixture(scope="module")
def built(databases: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("suites")
    build_suites(cases("harbour"), databases, out, databases_per_query=8)
    return out


def manifest(folder: Path) -> dict[str, object]:
    return json.loads((folder / "suite.json").read_text())


def contents(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def test_the_manifest_says_what_was_told_apart(built: Path) -> None:
    report = manifest(built / "harbour")["report"]
    assert report["references"] == 4
    assert list(report["left_out"]) == ["SELECT nothing FROM owner"]
    assert 0 < report["by_original"] < report["told_apart"] <= report["neighbours"]
    files = sorted(path.name for path in (built / "harbour").glob("*.sqlite"))
    assert sorted(report["databases"]) == files
    assert report["databases"][0] == "harbour.sqlite"
    assert json.loads((built / "suites.json").read_text())["suites"] == [report]


def test_the_suite_tells_neighbours_apart_that_the_original_does_not(
    built: Path, databases: Path
) -> None:
    from sqljury.databases import open_databases

    schema = open_databases(databases).open("harbour").schema()
    pairs = [
        Case(id=f"{i}/{j}", db_id="harbour", predicted_sql=text, reference_sqls=(sql,))
        for i, sql in enumerate(REFERENCES[:4])
        for j, text in enumerate(neighbours(sql, schema, most=40))
    ]
    judges = ["execution:strict,column_order=any", "test_suite:strict,column_order=any"]
    with sj.evaluate(pairs, judges, databases, suites=built, workers=1) as found:
        right = {
            judge: {r.case.id for r in found.records() if r.judge == judge and r.verdict.score}
            for judge in judges
        }
    one, many = (right[judge] for judge in judges)
    assert many < one, "what the suite lets pass, the original does too"
    assert len(many) <= 0.5 * len(one)


def test_the_original_comes_along_with_its_rows_and_definitions(built: Path) -> None:
    def rows(connection: sqlite3.Connection, sql: str) -> list[tuple[object, ...]]:
        return connection.execute(sql).fetchall()

    for path in sorted((built / "harbour").glob("*.sqlite")):
        connection = sqlite3.connect(path)
        definitions = {row[0] for row in rows(connection, "SELECT name FROM sqlite_master")}
        assert {"owner", "boat", "long_boat", "boat_name"} <= definitions
        assert rows(connection, "PRAGMA foreign_key_check") == []
        assert rows(connection, "PRAGMA integrity_check") == [("ok",)]
        if path.name == "harbour.sqlite":
            assert len(rows(connection, "SELECT * FROM boat")) == 4
            assert rows(connection, "SELECT id FROM boat WHERE name = 'ARA'") == [(1,), (4,)]
        connection.close()


def test_what_is_there_is_not_built_again(built: Path, databases: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in (built / "harbour").iterdir()}
    (again,) = build_suites(cases("harbour"), databases, built, databases_per_query=8)
    assert again.resumed
    assert {path: path.stat().st_mtime_ns for path in (built / "harbour").iterdir()} == before


@pytest.mark.parametrize("change", ["seed", "references", "databases_per_query"])
def test_other_inputs_are_built_anew(databases: Path, tmp_path: Path, change: str) -> None:
    build_suites(cases("harbour")[:2], databases, tmp_path, databases_per_query=2)
    options: dict[str, int] = {"databases_per_query": 2}
    if change in ("seed", "databases_per_query"):
        options[change] = 3
    given = cases("harbour")[: 3 if change == "references" else 2]
    (found,) = build_suites(given, databases, tmp_path, **options)
    assert not found.resumed


SCRIPT_OF_ONE_BUILD = """
import sys
from sqljury.uses.suite.build import build_suites
if __name__ == "__main__":
    build_suites(
        sys.argv[1], sys.argv[2], sys.argv[3], databases_per_query=6, workers=int(sys.argv[4])
    )
"""


def test_the_same_bytes_under_any_hash_seed_and_number_of_workers(
    databases: Path, tmp_path: Path
) -> None:
    sj.write_cases(cases("harbour", "haven"), tmp_path / "cases.jsonl")
    (tmp_path / "build.py").write_text(SCRIPT_OF_ONE_BUILD)
    found = []
    for hash_seed, workers in (("1", "1"), ("2", "2")):
        out = tmp_path / f"out{hash_seed}"
        command = [sys.executable, "build.py", "cases.jsonl", str(databases), str(out), workers]
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        subprocess.run(command, cwd=tmp_path, env=environment, check=True)
        found.append(contents(out))
    assert len(found[0]) > 6
    assert found[0] == found[1]


def test_nothing_else_is_replaced(databases: Path, tmp_path: Path) -> None:
    (tmp_path / "harbour").mkdir()
    (tmp_path / "harbour" / "precious.txt").write_text("keep")
    with pytest.raises(InputError, match="SJ552"):
        build_suites(cases("harbour"), databases, tmp_path)
    assert (tmp_path / "harbour" / "precious.txt").read_text() == "keep"


@pytest.mark.parametrize("db_id", ["", "..", "../..", "/etc", ".hidden"])
def test_a_name_that_is_a_path_stays_in_the_folder(databases: Path, tmp_path: Path, db_id) -> None:
    from sqljury.uses.suite.build import SuiteOptions, _SuiteJob

    job = _SuiteJob(db_id, (), SuiteOptions(databases=str(databases)), tmp_path)
    assert job.place.parent == tmp_path
    assert job.place.resolve().parent == tmp_path.resolve()


def test_nothing_to_build_from(databases: Path, tmp_path: Path) -> None:
    for given in ([Case(id="1", db_id="harbour")], cases("gone")):
        with pytest.raises(InputError, match="SJ550"):
            build_suites(given, databases, tmp_path)


@pytest.fixture
def original(databases: Path) -> Original:
    from sqljury.databases import open_databases
    from sqljury.execution import Limits

    database = open_databases(databases).open("harbour")
    assert database is not None
    schema = database.schema()
    tables = tuple(table for table in schema.tables if not table.is_view)
    rows: Callable[[str], list[tuple[object, ...]]] = lambda name: (  # noqa: E731
        database.execute(f"SELECT * FROM {name}", Limits()).table.rows
    )
    return Original(
        Schema(dialect="sqlite", tables=tables),
        {table.name: rows(table.name) for table in tables},
        {("owner", "age"): [35, 34, 36]},
    )


def test_mutations_keep_keys_and_foreign_keys(original: Original) -> None:
    seen = set()
    for number in range(30):
        made = mutation(original, number, "0/harbour")
        assert made == mutation(original, number, "0/harbour")
        owners = {row[0] for row in made["owner"]}
        assert len(owners) == len(made["owner"])
        assert {row[1] for row in made["boat"]} <= owners
        seen.add(json.dumps(made, sort_keys=True))
    assert len(seen) >= 25


def test_tables_of_which_nothing_is_said_get_rows_that_point_to_what_is_there(
    original: Original,
) -> None:
    made = completed(original, {"owner": [(77, "Zoe", 20)]}, "0")
    assert made["owner"] == [(77, "Zoe", 20)]
    assert {row[1] for row in made["boat"]} == {77}
    assert len(made["boat"]) == 4
    assert completed(original, {"boat": [(1, None, "x", 1.0)]}, "0")["boat"] == [
        (1, None, "x", 1.0)
    ]
