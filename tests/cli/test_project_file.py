"""Options that stand in sqljury.toml instead of being typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands import run

CASES = [
    {"id": "a", "schema_sql": "CREATE TABLE t (x)", "gold_sql": "SELECT 1", "pred": "SELECT 1"},
    {"id": "b", "schema_sql": "CREATE TABLE t (x)", "gold_sql": "SELECT 1", "pred": "SELECT 1 + 0"},
]
TOLD = """
[evaluate]
files = ["cases.json"]
judge = ["exact_match", "canonical"]
fail-under = 0.9
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cases.json").write_text(json.dumps(CASES))
    (tmp_path / "sqljury.toml").write_text(TOLD)
    return tmp_path


def test_the_command_alone_does_it(folder: Path) -> None:
    done = run("evaluate", "--json", cwd=folder)
    assert [one["name"] for one in json.loads(done.stdout)["judges"]] == [
        "exact_match",
        "canonical",
    ]
    assert done.returncode == 1, "one of the two is written otherwise"


def test_what_is_typed_wins(folder: Path) -> None:
    done = run("evaluate", "-j", "exact_match", "--fail-under", "0.5", "--json", cwd=folder)
    assert [one["name"] for one in json.loads(done.stdout)["judges"]] == ["exact_match"]
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ("[evaluat]", "SJ008 sqljury.toml [evaluat]: there is no command 'evaluat'. Did you mean"),
        ("[evaluate]\ndatabase = 'x'", "there is no option 'database'. Did you mean 'databases'?"),
        ("cases = 3", "SJ008 sqljury.toml: cases = 3 stands in no command's table. Write it below"),
        ("[evaluate]\nworkers = -1", "The value stands in sqljury.toml."),
        ("[evaluate]\njudge = [", "SJ008 sqljury.toml: broken TOML"),
        ("[evaluate]\nlimit-rows = 'many'", "Invalid value for '--limit-rows'"),
        ("evaluate = 3", "evaluate = 3 stands in no command's table"),
        ("[audit.run]\nfiles = ['absent.json']\n[audit.ru]", "[audit.ru]: there is no command"),
    ],
)
def test_what_is_not_understood_is_named(folder: Path, told: str, said: str) -> None:
    (folder / "sqljury.toml").write_text(told)
    done = run("evaluate", "cases.json", cwd=folder)
    assert (done.returncode, said in done.stderr) == (2, True), done.stderr


def test_a_schema_is_a_file_or_statements(tmp_path: Path) -> None:
    schema = "CREATE TABLE t (a INTEGER NOT NULL)"
    (tmp_path / "schema.sql").write_text(schema)
    pair = ("SELECT a FROM t WHERE a > 1", "SELECT a FROM t WHERE NOT a <= 1")
    told = [
        run("compare", *pair, "--schema", given, cwd=tmp_path).stdout
        for given in ("schema.sql", schema)
    ]
    assert told[0] == told[1]
    assert told[0].startswith("proved")
