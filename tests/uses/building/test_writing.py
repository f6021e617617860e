"""Questions that a model writes: how many are asked for, what is doubted, what a review may hold."""

from __future__ import annotations

import json

import pytest

from sqljury.databases import schema_from_ddl
from sqljury.errors import InputError
from sqljury.llm import Answer, parse_model
from sqljury.uses.building.unanswerable import NON_SQL, RELATED
from sqljury.uses.building.writing import (
    Order,
    ReviewItem,
    accepted,
    candidates,
    from_lines,
    merged,
    orders,
    request_for,
    to_lines,
)

SCHEMA = schema_from_ddl(
    "CREATE TABLE dog (dog_id INTEGER PRIMARY KEY, pet_name TEXT, weight REAL, breed TEXT);",
    where="kennel",
)
MODEL = parse_model("scripted:a:b")


def test_twice_as_many_as_are_wanted() -> None:
    found = orders({RELATED: 7, NON_SQL: 3, "out-of-domain": 5}, ["a", "b", "c"], 0)
    assert {one.kind for one in found} == {RELATED, NON_SQL}
    assert sum(one.count for one in found if one.kind == RELATED) == 14
    assert sum(one.count for one in found if one.kind == NON_SQL) == 6
    assert orders({RELATED: 1}, map(str, range(50)), 0) == orders({RELATED: 1}, map(str, range(49, -1, -1)), 0)  # fmt: skip
    assert len(orders({RELATED: 1}, map(str, range(50)), 0)) == 2
    assert max(one.count for one in orders({RELATED: 1000}, ["a"], 0)) == 10


def test_what_the_model_reads() -> None:
    request = request_for(Order(NON_SQL, "kennel", 4), SCHEMA, MODEL)
    system, user = (message.content for message in request.messages)
    for name in ("question", "table", "missing", "why", NON_SQL, RELATED):
        assert f"`{name}`" in system
    assert "kind: non-sql\nhow many: 4" in user
    assert "weight REAL" in user
    assert "{" not in system


def said(*questions: dict[str, str] | None) -> Answer:
    value = None if None in questions else {"questions": list(questions)}
    return Answer(value, "", "", 1, 1, 0.0, 0.0)


def one(question: str, missing: str, table: str = "dog") -> dict[str, str]:
    return {"question": question, "table": table, "missing": missing, "why": "w"}


@pytest.mark.parametrize(
    ("kind", "written", "doubts"),
    [
        (RELATED, one("What is the age of each dog?", "age"), ()),
        (RELATED, one("How heavy is each dog?", "weight"),
         ("dog.weight may be it", "the question does not name what is missing")),
        (RELATED, one("What is the breed club of each dog?", "breed club"),
         ("the schema knows breed",)),
        (RELATED, one("What is the age of each cat?", "age", "cat"), ("there is no table 'cat'",)),
        (NON_SQL, one("Draw the dogs.", "a drawing"), ()),
    ],
)  # fmt: skip
def test_doubts(kind: str, written: dict[str, str], doubts: tuple[str, ...]) -> None:
    (found,) = candidates(Order(kind, "kennel", 3), SCHEMA, said(written), MODEL, set())
    assert found.doubts == doubts
    assert (found.status, found.written_by) == ("review", "scripted:a:b")


def test_what_is_dropped() -> None:
    order = Order(RELATED, "kennel", 4)
    asked = [one("", "x"), one("a" * 301, "x"), one("Asked before?", "x"), one("New?", "x")]
    taken = {"asked before"}
    found = list(candidates(order, SCHEMA, said(*asked, one("Too many?", "x")), MODEL, taken))
    assert [one.question for one in found] == ["New?"]
    assert taken == {"asked before", "new"}
    assert list(candidates(order, SCHEMA, said(None), MODEL, taken)) == []


def test_a_queue_is_written_and_read_back() -> None:
    queue = [
        ReviewItem(kind=RELATED, db_id="a", question="Q\u2028?", doubts=("x", "y")),
        ReviewItem(kind=NON_SQL, db_id="b", question="Ü", status="accepted", missing="m"),
    ]
    lines = list(to_lines(queue))
    assert from_lines(lines, "f") == queue
    assert [one.column for one in accepted(queue)] == ["m"]
    same = ReviewItem(kind=RELATED, db_id="b", question="ü")
    other = ReviewItem(kind=RELATED, db_id="c", question="ü")
    assert merged(queue, [same, other]) == [*queue, other]


GOOD = {"status": "review", "kind": RELATED, "db_id": "a", "question": "Q?"}


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "{}",
        "NaN",
        json.dumps(GOOD | {"status": "yes"}),
        json.dumps(GOOD | {"kind": "odd"}),
        json.dumps(GOOD | {"question": " "}),
        json.dumps(GOOD | {"question": None}),
        json.dumps(GOOD | {"doubts": "x"}),
    ],
)
def test_files_that_are_no_queue(line: str) -> None:
    with pytest.raises(InputError, match="SJ561 f:3"):
        from_lines([json.dumps(GOOD), "", line], "f")
