"""`sqljury compare`, as a user types it."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from pathlib import Path

import pytest

import commands

DDL = "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL);"
LONG = "SELECT name FROM boat WHERE length > 9"
LONGER = "SELECT name FROM boat WHERE length > 10"
LONG_TOO = "SELECT b.name FROM boat b WHERE 9 < b.length"


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("compare") / "schema.sql"
    path.write_text(DDL)
    return path


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return commands.run("compare", *arguments)


def test_a_database_that_tells_them_apart_is_printed(schema: Path) -> None:
    done = run(LONG, LONGER, "--schema", schema)
    assert done.returncode == 0, done.stderr
    head, _, rest = done.stdout.partition("\n")
    assert head.startswith("refuted   score 0.")
    connection = sqlite3.connect(":memory:")
    connection.executescript(rest.partition("seen in")[0])  # the results are comments
    assert connection.execute(LONG).fetchall() != connection.execute(LONGER).fetchall()
    connection.close()
    assert "clean" in rest


@pytest.mark.parametrize(
    ("right", "fail_on", "code"),
    [
        (LONGER, "refuted", 1),
        (LONGER, "unknown,refuted", 1),
        (LONGER, "unknown", 0),
        (LONG_TOO, "refuted,unknown", 0),
        (LONG_TOO, "proved", 1),
        ("SELECT oops", "unknown", 1),
        (LONGER, "maybe", 2),
    ],
)
def test_exit_codes(schema: Path, right: str, fail_on: str, code: int) -> None:
    assert run(LONG, right, "--schema", schema, "--fail-on", fail_on).returncode == code


@pytest.mark.parametrize(
    ("text", "why"),
    [("which boats?", "a query cannot begin with"), ("DROP TABLE boat", "DROP is not a query")],
)
def test_what_is_no_query_is_refused(schema: Path, text: str, why: str) -> None:
    done = run(LONG, text, "--schema", schema)
    assert (done.returncode, done.stdout.split()[0]) == (2, "unknown")
    assert "SJ318 the right query does not run" in done.stderr and why in done.stderr


def test_json(schema: Path) -> None:
    found = json.loads(run(LONG, LONGER, "--schema", schema, "--json").stdout)
    assert list(found) == [
        "verdict", "assumptions", "rules", "profile", "witness", "contradicted_proof", "tried",
        "seconds",
    ]  # fmt: skip
    assert found["verdict"] == "refuted"
    assert found["witness"]["left"] != found["witness"]["right"]


def test_the_rules_of_a_proof_are_named(schema: Path) -> None:
    queries = ("SELECT DISTINCT id FROM boat", "SELECT id FROM boat")
    found = json.loads(run(*queries, "--schema", schema, "--json").stdout)
    assert (found["assumptions"], found["rules"]) == (["primary key"], ["distinct_rows"])
    assert "\nrewritten by distinct_rows" in run(*queries, "--schema", schema).stdout


def test_the_schema_of_a_database(tmp_path: Path) -> None:
    path = tmp_path / "harbour.sqlite"
    connection = sqlite3.connect(path)
    connection.executescript(DDL)
    connection.close()
    before = path.read_bytes()
    done = run(LONG, LONG_TOO, "--database", path)
    assert done.stdout.startswith("proved")
    assert path.read_bytes() == before


def test_one_schema_of_several(data_dir: Path) -> None:
    tables = data_dir / "spider" / "tables.json"
    sql = "SELECT count(*) FROM singer"
    done = run(sql, sql, "--schema", tables, "--db-id", "concert_singer")
    assert done.stdout.startswith("proved")
    assert "SJ316" in run(sql, sql, "--schema", tables).stderr


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ((), "SJ316"),
        (("--schema", "nowhere.sql"), "SJ206"),
        (("--database", "nowhere.sqlite"), "SJ201"),
        (("--policy", "nonsense"), "SJ601"),
        (("--profiles", "dirty"), "SJ315"),
    ],
)
def test_mistakes_say_what_to_do(schema: Path, arguments, code: str) -> None:
    given = (
        arguments
        if arguments[:1] in ((), ("--schema",), ("--database",))
        else (
            "--schema",
            schema,
            *arguments,
        )
    )
    done = run(LONG, LONGER, *given)
    assert done.returncode == 2
    assert code in done.stderr
