"""Which proofs count for `compare`: what is assumed, what profiles say, whether z3 is there."""

from __future__ import annotations

import pytest

from sqljury.databases import schema_from_ddl
from sqljury.equivalence import proof
from sqljury.errors import InputError, MissingExtraError
from sqljury.judges.pair import PairAnswer
from sqljury.uses.queries import compare_queries

SCHEMA = schema_from_ddl(
    "CREATE TABLE owner (id INTEGER PRIMARY KEY, name TEXT);"
    "CREATE TABLE boat (id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owner (id),"
    " length INTEGER, year INTEGER)"
)
JOINED = "SELECT b.owner_id FROM boat b JOIN owner o ON b.owner_id = o.id"
ALONE = "SELECT owner_id FROM boat WHERE owner_id IS NOT NULL"
ONLY_Z3 = (
    "SELECT id FROM boat WHERE length + 1 > year",
    "SELECT id FROM boat WHERE year - length <= 0",
)


def compare(left: str, right: str, **options) -> PairAnswer:
    return compare_queries(left, right, schema=SCHEMA, second_opinion=False, **options)


def test_a_counted_profile_goes_before_what_it_contradicts() -> None:
    assert compare(JOINED, ALONE).verdict == "refuted"
    found = compare(JOINED, ALONE, profiles="clean+nulls")
    assert (found.verdict, found.assumptions) == ("proved", ("foreign key", "primary key"))


def test_not_null_is_assumed_on_request() -> None:
    pair = ("SELECT COUNT(length) FROM boat", "SELECT COUNT(*) FROM boat")
    assert compare(*pair, profiles="clean").verdict == "no_counterexample"
    found = compare(*pair, profiles="clean", assuming="not_null")
    assert (found.verdict, found.assumptions) == ("proved", ("not null",))
    assert compare(*pair, assuming="not_null").verdict == "refuted", "NULLs count there"
    with pytest.raises(InputError, match="SJ315"):
        compare(*pair, assuming="good_luck")


def test_chance_is_not_proved() -> None:
    random = "SELECT RANDOM() FROM boat"
    assert compare(random, random).verdict != "proved"


def test_the_policy_says_what_is_proved() -> None:
    distinct = ("SELECT DISTINCT year FROM boat", "SELECT year FROM boat")
    assert compare(*distinct).verdict == "refuted"
    assert compare(*distinct, policy="bird").verdict == "proved"
    assert compare(*distinct, policy="spider").verdict == "proved"
    turned = ("SELECT id, year FROM boat", "SELECT year, id FROM boat")
    assert compare(*turned, policy="spider").verdict == "proved"


def test_with_z3() -> None:
    pytest.importorskip("z3")
    found = compare(*ONLY_Z3, prove=True)
    assert (found.verdict, found.assumptions) == ("proved", ("no overflow", "types"))


def test_without_z3(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqljury.equivalence.proof.is_available", lambda: False)
    assert not proof.is_available()
    found = compare(*ONLY_Z3)
    assert found.verdict == "no_counterexample"
    assert found.tried["proof"] == "z3 is not installed"
    with pytest.raises(MissingExtraError, match="prove"):
        compare(*ONLY_Z3, prove=True)
