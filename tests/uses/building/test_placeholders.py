"""Questions with placeholders: other values, queries of one meaning, statistics; flags, halves."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import pytest

from sqljury.benchmarks import read_cases
from sqljury.case import Case
from sqljury.databases import schema_from_ddl
from sqljury.uses.building import Corrections
from sqljury.uses.building.benchmark import flags_of, halve
from sqljury.uses.building.cleaning import Usable
from sqljury.uses.building.trust import build_trust_files

SHORT = 'SELECT size FROM city WHERE name = "name0"'
LONG = 'SELECT c.size FROM city AS c WHERE "name0" = c.name'


def group(sql: str, *values: str) -> dict[str, object]:
    return {
        "sentences": [
            {"text": f"size of name0 ? ({n}, {len(sql)})", "variables": {"name0": value}}
            for n, value in enumerate(values)
        ],
        "sql": [sql],
        "variables": [{"name": "name0", "example": "riga", "type": "name", "location": "both"}],
    }


@pytest.fixture
def towns(tmp_path: Path) -> Path:
    (tmp_path / "db").mkdir()
    connection = sqlite3.connect(tmp_path / "db" / "town.sqlite")
    connection.executescript(
        "CREATE TABLE city (name TEXT, size INTEGER); INSERT INTO city VALUES ('riga', 1), ('oslo', 2)"
    )
    connection.close()
    groups = [group(SHORT, "riga", "nowhere"), group(LONG, "oslo", "riga")]
    (tmp_path / "town.json").write_text(json.dumps(groups))
    return tmp_path


def built(towns: Path, corrections: Corrections | None) -> list[Case]:
    card = build_trust_files(
        towns / "town.json", towns / "out", databases=towns / "db", corrections=corrections
    )
    assert (card.read.questions, card.read.templates, card.read.per_template) == (4, 2, 2)
    # The second query's words: SELECT c.size FROM city AS c WHERE " name0 " = c.name
    assert card.read.length == (10 + 12) / 2
    files = ("train", "validation", "test", "left_out")
    parts = [towns / "out" / f"{name}.jsonl" for name in files]
    return [case for part in parts if part.stat().st_size for case in read_cases(part)]


def test_queries_of_one_meaning_become_the_shortest_with_their_own_values(towns: Path) -> None:
    by_id = {case.id: case for case in built(towns, None)}
    assert by_id["1-0"].reference_sqls == ('SELECT size FROM city WHERE name = "oslo"',)
    assert by_id["0-1"].extra["left_out"] == "null_result"


def test_values_without_a_result_are_exchanged_for_others_of_their_type(towns: Path) -> None:
    by_id = {case.id: case for case in built(towns, Corrections())}
    corrected = by_id["0-1"]
    assert corrected.question in ("size of riga ? (1, 42)", "size of oslo ? (1, 42)")
    value = str(corrected.question).split()[2]
    assert corrected.reference_sqls == (f'SELECT size FROM city WHERE name = "{value}"',)
    assert corrected.extra["question_before"] == "size of nowhere ? (1, 42)"


SCHEMA = schema_from_ddl(
    "CREATE TABLE teacher (teacher_id INT, name TEXT); CREATE TABLE visit (student_id INT, day TEXT)"
)


@pytest.mark.parametrize(
    ("question", "sql", "flags"),
    [
        ("Who is my teacher?", "SELECT name FROM teacher", ["asker_unnamed"]),
        ("Can I come?", "SELECT day FROM visit WHERE student_id = 1", ["asker_unnamed"]),
        ("Can student 1 come?", "SELECT day FROM visit WHERE student_id = 1", []),
        ("I am student 1. When do I come?", "SELECT day FROM visit WHERE student_id = 1", []),
        ("I am student 1. Who is my teacher?",
         "SELECT name FROM teacher, visit WHERE student_id = 1", []),
        ("Give me all days.", "SELECT day FROM visit", []),
        ("Who teaches?", "SELECT teacher_id FROM teacher", ["id_for_name"]),
        ("Names of teachers", "SELECT T1.teacher_id FROM teacher AS T1", ["id_for_name"]),
        ("Ids of teachers", "SELECT teacher_id FROM teacher", []),
        ("Who teaches?", "SELECT teacher_id, name FROM teacher", []),
        ("Names of visitors", "SELECT student_id FROM visit", []),
        ("Who teaches?", "no query", []),
    ],
)  # fmt: skip
def test_flags(question: str, sql: str, flags: Sequence[str]) -> None:
    assert list(flags_of(Case(id="1", question=question, reference_sqls=(sql,)), SCHEMA)) == flags


def test_halves_of_the_databases() -> None:
    asked = [Usable(Case(id=str(n), db_id="abcde"[n % 5]), str(n)) for n in range(10)]
    found = halve(asked)
    assert {one.case.db_id for one in found.validation} == {"a", "b"}
    assert {one.case.db_id for one in found.test} == {"c", "d", "e"}
    assert not found.train and not found.left_out
