"""What a query does, its sketch, and what columns are used for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_questions import BOATS

from sqljury.judges.verifier_features.asked import PARTS, sketch_of
from sqljury.judges.verifier_features.facts import (
    ExpressionFacts,
    Facts,
    facts_of,
    roles_of,
    tables_used,
)
from sqljury.sql.names import names_of


def read(sql: str) -> Facts:
    found = facts_of(sql, "sqlite", BOATS)
    assert found is not None
    return found


def test_blocks_from_the_outside_in() -> None:
    facts = read(
        "SELECT boat_name FROM boat WHERE length > (SELECT avg(length) FROM boat) "
        "AND home_port NOT IN (SELECT port_id FROM port WHERE name LIKE '%o')"
    )
    assert [block.place for block in facts.blocks] == ["top", "where", "where"]
    assert [one.operator for one in facts.top.where] == [">", "not in"]
    assert {block.items[0] for block in facts.blocks[1:]} == {
        ExpressionFacts("boat.length", "avg"),
        ExpressionFacts("port.port_id"),
    }


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT home_port, count(*) FROM boat GROUP BY home_port ORDER BY count(*) DESC LIMIT 3",
        "SELECT b.home_port, count(*) AS n FROM boat AS b GROUP BY 1 ORDER BY n DESC LIMIT 3",
        "select HOME_PORT, COUNT(*) from BOAT group by HOME_PORT order by 2 desc limit 3",
    ],
)
def test_names_and_numbers_stand_for_items(sql: str) -> None:
    top = read(sql).top
    assert top.group == (ExpressionFacts("boat.home_port"),)
    assert top.order == ((ExpressionFacts("*", "count"), True),)
    assert top.limit == 3


def test_joins_are_links_and_no_conditions() -> None:
    for sql in (
        "SELECT 1 FROM boat JOIN port ON home_port = port_id WHERE length < 3",
        "SELECT 1 FROM boat, port WHERE port.port_id = boat.home_port AND 3 > length",
    ):
        top = read(sql).top
        assert [(c.item.column, c.operator, c.values) for c in top.where] == [
            ("boat.length", "<", ("3",))
        ]
        assert len(top.links) == 1


def test_a_text_in_double_quotes() -> None:
    (condition,) = read('SELECT 1 FROM port WHERE name = "Oslo"').top.where
    assert (condition.values, condition.is_text) == (("Oslo",), True)


def test_set_operations() -> None:
    facts = read("SELECT name FROM port EXCEPT SELECT boat_name FROM boat")
    assert facts.set_operation == "except"
    assert [block.place for block in facts.blocks] == ["top", "operand"]


@pytest.mark.parametrize("sql", ["", "SELECT", "DELETE FROM boat", "(((", "SELECT 'a"])
def test_what_is_no_query(sql: str) -> None:
    assert facts_of(sql, "sqlite", BOATS) is None


# SQL → parts of the sketch that are not empty
@pytest.mark.parametrize(
    ("sql", "sketch"),
    [
        ("SELECT count(*) FROM boat", {"items": "count", "tables": "1"}),
        (
            "SELECT DISTINCT name FROM port WHERE port_id > 3 OR name = 'x'",
            {
                "items": "column",
                "distinct": "distinct",
                "conditions": "=:text >:number",
                "tables": "1",
                "logic": "or",
            },
        ),
        (
            "SELECT home_port FROM boat GROUP BY home_port HAVING count(*) >= 2",
            {"items": "column", "tables": "1", "group": "group 1 >=count"},
        ),
        (
            "SELECT name FROM port ORDER BY name DESC LIMIT 1",
            {"items": "column", "tables": "1", "order": "order  desc one"},
        ),
    ],
)
def test_sketches(sql: str, sketch: dict[str, str]) -> None:
    assert {part: word for part, word in sketch_of(read(sql)).items() if word} == sketch


def test_roles() -> None:
    facts = read(
        "SELECT name FROM boat JOIN port ON home_port = port_id WHERE length > 3 "
        "GROUP BY port_id ORDER BY max(length)"
    )
    merged = names_of(BOATS).merged
    assert roles_of(facts, merged) == {
        "select": {"port.name"},
        "condition": {"boat.length"},
        "group": {merged["port.port_id"]},
        "order": {"boat.length"},
    }
    assert tables_used(facts) == {"boat", "port"}


_WORDS = [
    "SELECT",
    "FROM",
    "WHERE",
    "boat",
    "port",
    "name",
    "length",
    ",",
    "*",
    "=",
    "(",
    ")",
    "count",
    "1",
    "'x'",
    "JOIN",
    "ON",
    "AND",
    "GROUP",
    "BY",
]


@given(st.lists(st.sampled_from(_WORDS), max_size=14))
def test_any_words_are_read_or_not(words: list[str]) -> None:
    facts = facts_of(" ".join(words), "sqlite", BOATS)
    if facts is not None:
        assert set(sketch_of(facts)) == set(PARTS)
        roles_of(facts, names_of(BOATS).merged)
