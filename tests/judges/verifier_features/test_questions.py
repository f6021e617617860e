"""Questions as words, masked words, and names that they say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.judges.verifier_features.asked import said, values_in
from sqljury.judges.verifier_features.question import (
    COLUMN_FEATURES,
    TABLE_FEATURES,
    likeness,
    links,
    masked_words,
    name_stems,
    ngrams,
    read_question,
    stem,
    table_links,
)
from sqljury.schema import Column, ForeignKey, Schema, Table

BOATS = Schema(
    dialect="sqlite",
    tables=(
        Table(
            name="port",
            columns=(Column(name="port_id", type="INTEGER"), Column(name="name", type="TEXT")),
            primary_key=("port_id",),
        ),
        Table(
            name="boat",
            columns=(
                Column(name="boat_id", type="INTEGER"),
                Column(name="boat_name", type="TEXT"),
                Column(name="home_port", type="INTEGER"),
                Column(name="length", type="REAL"),
            ),
            primary_key=("boat_id",),
            foreign_keys=(
                ForeignKey(
                    columns=("home_port",), target_table="port", target_columns=("port_id",)
                ),
            ),
        ),
    ),
)


def test_what_stands_out() -> None:
    found = read_question("Which two boats of 'Old Oslo' or Bergen are longer than 1,200 feet?")
    assert found.numbers == ("2", "1200")
    assert found.quoted == ("Old Oslo",)
    assert found.names == ("Old", "Oslo", "Bergen")


def test_an_apostrophe_is_no_quote() -> None:
    assert read_question("What are the boat's and the ports' names?").quoted == ()


@pytest.mark.parametrize(
    ("one", "other"),
    [("ages", "age"), ("cities", "city"), ("listed", "lists"), ("ordering", "orders")],
)
def test_forms_of_a_word_meet(one: str, other: str) -> None:
    assert stem(one) == stem(other)


def test_names_are_spelled_out() -> None:
    assert name_stems("StuID") == name_stems("student_id")
    assert name_stems("lname") == name_stems("last_name")


@given(st.text("abcdefgh", min_size=1), st.text("abcdefgh", min_size=1))
def test_likeness_is_symmetric_and_bounded(one: str, other: str) -> None:
    assert likeness(one, other) == likeness(other, one)
    assert 0 <= likeness(one, other) <= 1
    assert likeness(one, one) == 1


def test_masks() -> None:
    question = read_question('How many boats of the port "Oslo" have a length above 12?')
    words = masked_words(question, BOATS)
    assert words == ["how", "many", "T", "of", "the", "T", "V", "have", "a", "C", "above", "N"]
    terms = list(ngrams(words))
    assert "^ how many T" in terms
    assert "N $" in terms


def test_the_named_column_has_the_strongest_link() -> None:
    found = links(read_question("What are the lengths of all boats?"), BOATS, None)
    place = COLUMN_FEATURES.index("fuzzy")
    assert max(found, key=lambda one: one.features[place]).name == "boat.length"


def test_columns_that_foreign_keys_make_equal_are_one() -> None:
    found = {one.name: one.same for one in links(read_question("ports"), BOATS, None)}
    assert found["boat.home_port"] == found["port.port_id"]


@given(st.text())
def test_any_text_has_all_features(text: str) -> None:
    question = read_question(text)
    columns = links(question, BOATS, {})
    assert {len(one.features) for one in columns} == {len(COLUMN_FEATURES)}
    tables = table_links(question, BOATS, columns)
    assert {len(one.features) for one in tables} == {len(TABLE_FEATURES)}


def test_values_of_the_database_in_a_question() -> None:
    index = {
        "new york": {"port.name"},
        "york": {"port.name"},
        "rex": {"boat.boat_name"},
        "name": {"x.y"},
    }
    question = read_question("What is the name of boats in New York called Rex?")
    assert values_in(question, index) == {"port.name": ["new york"], "boat.boat_name": ["rex"]}


@pytest.mark.parametrize(
    ("value", "text", "is_said"),
    [
        ("Rex", "the boat REX", True),
        ("St. Malo", "in st malo", True),
        ("Rex", "Tyrannosaurus", False),
        ("", "anything", False),
    ],
)
def test_said(value: str, text: str, is_said: bool) -> None:
    assert said(value, [text]) is is_said
