"""Cleaning and splitting: what must hold for any questions and any SQL."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.case import Case
from sqljury.databases import schema_from_ddl
from sqljury.execution import Execution, ResultTable, Status
from sqljury.uses.building import build_trust
from sqljury.uses.building.benchmark import split
from sqljury.uses.building.cleaning import Usable, canonical_tree, clean, structures_of
from sqljury.uses.building.unanswerable import folded
from sqljury.uses.trust.records import text_structure

SCHEMA = schema_from_ddl("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c INT);", where="t")


def case(id: str, question: str | None, sql: str | None = "SELECT a FROM t", **rest) -> Case:
    return Case(id=id, db_id="d", question=question, reference_sqls=(sql,) if sql else (), **rest)


def nothing_runs(_db_id: str, _sql: str) -> None:
    return None


USABLE = st.lists(
    st.builds(
        lambda number, text, structure: Usable(case(str(number), f"Q {text}"), f"s{structure}"),
        st.integers(0, 10**6), st.integers(0, 60), st.integers(0, 25),
    ),
    max_size=80, unique_by=lambda one: one.case.id,
)  # fmt: skip


@given(USABLE, st.integers(0, 5))
def test_splits_share_no_question_and_know_no_structure_they_must_not(
    usable: list[Usable], seed: int
) -> None:
    found = split(usable, seed)
    parts = found.by_name
    everything = [one.case.id for part in parts.values() for one in part]
    everything += [one.case.id for one in found.left_out]
    assert sorted(everything) == sorted(one.case.id for one in usable)
    questions = {name: {folded(one.case.question or "") for one in p} for name, p in parts.items()}
    known = {name: {one.structure for one in part} for name, part in parts.items()}
    for one, other in (("train", "validation"), ("train", "test"), ("validation", "test")):
        assert questions[one].isdisjoint(questions[other])
    n = len({one.structure for one in usable})
    assert len(found.not_in_validation) == len(found.not_in_test) == n // 5
    assert found.not_in_validation.isdisjoint(found.not_in_test)
    assert known["validation"].isdisjoint(found.not_in_validation)
    assert known["test"].isdisjoint(found.not_in_test)
    assert known["train"].isdisjoint(found.not_in_validation | found.not_in_test)


@given(USABLE, st.randoms(use_true_random=False))
def test_the_order_of_the_questions_changes_no_split(
    usable: list[Usable], shuffler: random.Random
) -> None:
    shuffled = list(usable)
    shuffler.shuffle(shuffled)
    for part, other in zip(
        split(usable).by_name.values(), split(shuffled).by_name.values(), strict=True
    ):
        assert {one.case.id for one in part} == {one.case.id for one in other}


def test_six_two_two() -> None:
    usable = [Usable(case(str(i), f"question {i}"), "s") for i in range(50)]
    assert [len(part) for part in split(usable).by_name.values()] == [30, 10, 10]


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("SELECT a FROM t WHERE c = 1", "SELECT a FROM t WHERE c = 22", True),
        ("SELECT a FROM t LIMIT 1", "SELECT a FROM t LIMIT 2", True),
        ("SELECT a FROM t WHERE c BETWEEN 1 AND 2", "SELECT x.a FROM t x WHERE x.c >= 5 AND x.c <= 7", True),
        ("SELECT count(*) FROM t", "SELECT count(a) FROM t", True),
        ("SELECT a FROM t WHERE b IN (SELECT b FROM t WHERE c = 1)", "SELECT a FROM t WHERE b IN (SELECT b FROM t WHERE c = 9)", True),
        ("SELECT a FROM t WHERE c = 1", "SELECT a FROM t WHERE c > 1", False),
        ("SELECT a FROM t WHERE b IS NULL", "SELECT a FROM t WHERE b = 'x'", False),
        ("SELECT broken FROM", "SELECT broken FROM ;", True),
    ],
)  # fmt: skip
def test_structures(left: str, right: str, same: bool) -> None:
    one, other = structures_of([("d", sql, canonical_tree(sql, SCHEMA)) for sql in (left, right)])
    assert (one == other) is same


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (case("1", None), "no_question"),
        (case("1", "q", None), "no_reference"),
        (case("1", "who is here today"), "relative_time"),
        (case("1", "q", "SELECT a FROM t WHERE b > date('now')"), "relative_time"),
    ],
)
def test_what_cannot_be_used(given: Case, reason: str) -> None:
    found = clean([given], {"d": SCHEMA}, nothing_runs)
    assert [one.reason for one in found.left_out] == [reason]


@pytest.mark.parametrize(
    ("ran", "reason"),
    [
        (Execution(Status.OK, ResultTable(("a",), [])), "null_result"),
        (Execution(Status.OK, ResultTable(("a", "b"), [(None, None)])), "null_result"),
        (Execution(Status.OK, ResultTable(("a", "b"), [(None, 0)])), None),
        (Execution(Status.ERROR, None, "no such table"), "reference_error"),
        (Execution(Status.TIMEOUT, None, ""), "reference_timeout"),
        (None, None),
    ],
)
def test_what_the_reference_returns(ran: Execution | None, reason: str | None) -> None:
    found = clean([case("1", "q")], {"d": SCHEMA}, lambda _db_id, _sql: ran)
    assert [one.reason for one in found.left_out] == ([] if reason is None else [reason])
    assert found.n_unchecked == (ran is None)


def test_duplicates_and_queries_that_mean_the_same() -> None:
    cases = [
        case("1", "How many?", "SELECT count(a) FROM t AS u"),
        case("2", "how many ", "SELECT count(*) FROM t"),
        case("3", "What number?", "SELECT count(t.a) FROM t"),
        case("4", "Which?", "SELECT b FROM t"),
    ]
    found = clean(cases, {"d": SCHEMA}, nothing_runs)
    assert [(one.case.id, one.reason) for one in found.left_out] == [("1", "duplicate_question")]
    kept = {one.case.id: one.case.reference_sqls[0] for one in found.usable}
    assert kept == {
        "2": "SELECT count(*) FROM t",
        "3": "SELECT count(*) FROM t",
        "4": "SELECT b FROM t",
    }
    assert found.n_merged == 1


def test_unanswerable_questions_are_in_test_only() -> None:
    cases = [
        case(str(i), f"question {i}", f"SELECT a FROM t WHERE c {op} {i}")
        for i, op in enumerate("<>=" * 20)
    ]
    cases.append(case("given", "Why?", None, answerable=False, extra={"type": "mine"}))
    built = build_trust(cases, {"d": SCHEMA}, nothing_runs, name="b")
    for part in ("train", "validation"):
        assert all(one.answerable for one in built.splits[part])
    test = built.splits["test"]
    assert sum(not one.answerable for one in test) == sum(built.card.unanswerable.values())
    assert built.card.unanswerable["mine"] == 1
    assert len({one.id for part in built.splits.values() for one in part}) == sum(
        map(len, built.splits.values())
    )
    trained = {text_structure(one.reference_sqls[0]) for one in built.splits["train"]}
    for one in test:
        if one.answerable:
            seen = text_structure(one.reference_sqls[0]) in trained
            assert one.extra["structure"] == ("seen" if seen else "unseen")


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT {'+'.join('1' * 4000)} FROM t",
        f"SELECT a FROM t WHERE {' OR '.join(f'c = {i}' for i in range(2400))}",
        f"{'(' * 190}SELECT 1{')' * 190}",
        "SELECT a FROM t" + " UNION SELECT a FROM t" * 1500,
        "x" * 10**7,
        "",
    ],
    ids=["long sum", "long or", "brackets", "unions", "10 MB", "empty"],
)  # fmt: skip
def test_hostile_references_have_a_structure_too(sql: str) -> None:
    (name,) = structures_of([("d", sql, canonical_tree(sql, SCHEMA))])
    assert name == text_structure(sql)
