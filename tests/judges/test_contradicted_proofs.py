"""A proof that a small database contradicts is never printed, whatever rule gave it."""

from __future__ import annotations

import json

import pytest

from sqljury.databases import schema_from_ddl
from sqljury.equivalence import canonical
from sqljury.equivalence.canonical import Equality
from sqljury.reports.pair import pair_text
from sqljury.trees.context import Assumption
from sqljury.uses.queries import compare_queries

SCHEMA = schema_from_ddl(
    "CREATE TABLE boat (id INTEGER PRIMARY KEY, name TEXT, length REAL, mast INTEGER, tag);"
    "CREATE TABLE trip (boat_id INTEGER REFERENCES boat (id), miles NUMERIC);"
)
DIFFERENT = [
    ("SELECT name FROM boat WHERE name = 'a'", "SELECT name FROM boat WHERE lower(name) = 'a'"),
    ("SELECT name FROM boat WHERE name = 'a'", "SELECT name FROM boat WHERE rtrim(name) = 'a'"),
    ("SELECT DISTINCT name FROM boat", "SELECT name FROM boat"),
    ("SELECT count(*) FROM boat", "SELECT count(name) FROM boat"),
    ("SELECT id FROM boat WHERE tag = 1", "SELECT id FROM boat WHERE tag = '1'"),
    ("SELECT DISTINCT tag FROM boat", "SELECT DISTINCT tag || '' FROM boat"),
    ("SELECT id FROM boat WHERE name <> ''", "SELECT id FROM boat WHERE name IS NOT NULL"),
    ("SELECT miles FROM trip", "SELECT miles FROM trip JOIN boat ON id = boat_id"),
    ("SELECT mast + 1 > mast FROM boat", "SELECT 1 FROM boat"),
    (
        "SELECT id FROM boat WHERE NOT mast > 1",
        "SELECT id FROM boat WHERE mast <= 1 OR mast IS NULL",
    ),
    ("SELECT sum(miles) FROM trip", "SELECT total(miles) FROM trip"),
    (
        "SELECT id FROM boat WHERE mast = length",
        "SELECT id FROM boat WHERE mast || '' = length || ''",
    ),
]


def break_a_rule(monkeypatch: pytest.MonkeyPatch, *assumed: Assumption) -> None:
    """Every two queries have the same canonical tree."""
    found = Equality(frozenset(assumed), ("broken_rule",))
    monkeypatch.setattr(canonical, "equality", lambda *_, **__: found)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_a_wrong_rule_is_found_out(monkeypatch, left: str, right: str) -> None:  # type: ignore[no-untyped-def]
    break_a_rule(monkeypatch)
    found = compare_queries(left, right, schema=SCHEMA)
    assert found.verdict == "refuted"
    assert found.contradicted == ()
    assert found.rules == ("broken_rule",)
    assert found.witness is not None
    assert found.witness.left.rows != found.witness.right.rows
    assert "please report" in pair_text(found)
    assert json.loads(json.dumps(found.to_json()))["contradicted_proof"] == []


@pytest.mark.parametrize(
    ("left", "right", "assumed"),
    [
        ("SELECT count(*) FROM boat", "SELECT count(name) FROM boat", Assumption.NOT_NULL),
        ("SELECT miles FROM trip WHERE boat_id IS NOT NULL", DIFFERENT[7][1], Assumption.FOREIGN_KEY),
        ("SELECT mast + 1 > mast FROM boat WHERE mast > 0", "SELECT 1 FROM boat WHERE mast > 0",
         Assumption.NO_OVERFLOW),
        ("SELECT max(id) >= 1 FROM boat WHERE id > 0 HAVING count(*) > 0",
         "SELECT 1 FROM boat WHERE id > 0 HAVING count(*) > 0", Assumption.NOT_EMPTY),
        ("SELECT name FROM boat WHERE mast IS NOT NULL ORDER BY mast LIMIT 1",
         "SELECT name FROM boat WHERE mast = (SELECT min(mast) FROM boat)", Assumption.NO_TIES),
    ],
)  # fmt: skip
def test_what_a_proof_assumes_is_no_contradiction(  # type: ignore[no-untyped-def]
    monkeypatch, left: str, right: str, assumed: Assumption
) -> None:
    break_a_rule(monkeypatch, assumed, Assumption.TYPES)
    found = compare_queries(left, right, schema=SCHEMA, assuming="all")
    assert (found.verdict, found.contradicted) == ("proved", None)


def test_a_right_rule_is_believed() -> None:
    found = compare_queries(
        "SELECT name FROM boat WHERE mast = 1 OR mast = 2",
        "SELECT name FROM boat WHERE mast IN (2, 1)",
        schema=SCHEMA,
    )
    assert (found.verdict, found.contradicted) == ("proved", None)


def test_a_difference_that_does_not_count_leaves_it_open(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    break_a_rule(monkeypatch)
    left, right = "SELECT count(*) FROM boat", "SELECT count(name) FROM boat"
    found = compare_queries(left, right, schema=SCHEMA, profiles="clean", prove=None)
    assert found.verdict == "no_counterexample"
    assert found.contradicted == ()


def test_data_that_breaks_an_assumption_contradicts_nothing() -> None:
    # SQLite would keep 0.5 in the INTEGER column, which the proof assumes it does not hold.
    found = compare_queries(
        "SELECT mast FROM boat WHERE NULLIF(mast, 1) = 0.5",
        "SELECT DISTINCT mast FROM boat WHERE 0.5 = NULLIF(mast, 1)",
        schema=SCHEMA,
    )
    assert (found.verdict, found.contradicted) == ("proved", None)
    assert "types" in found.assumptions
