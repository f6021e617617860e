"""Unanswerable questions: what must hold on any schema, and near misses that must not be asked."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqljury.databases import schema_from_ddl
from sqljury.sql.names import singular, words
from sqljury.sql.resolve import resolve
from sqljury.uses.building import KINDS
from sqljury.uses.building.names import entities, plural, sayable, stems, vocabulary
from sqljury.uses.building.relative_time import reads_clock, relative_times
from sqljury.uses.building.unanswerable import (
    RELATED,
    SURFACE,
    UNRELATED,
    class_of,
    folded,
    surface,
    unanswerable_questions,
)

KENNEL = schema_from_ddl(
    """
    CREATE TABLE owner (owner_id INTEGER PRIMARY KEY, full_name TEXT, town TEXT, salary REAL);
    CREATE TABLE dog (dog_id INTEGER PRIMARY KEY, owner_id INTEGER REFERENCES owner (owner_id),
                      pet_name TEXT, weight REAL, breed TEXT);
    CREATE TABLE professional (professional_id INTEGER PRIMARY KEY, role TEXT, email TEXT);
    CREATE TABLE treatment (treatment_id INTEGER PRIMARY KEY,
                            dog_id INTEGER REFERENCES dog (dog_id),
                            professional_id INTEGER REFERENCES professional (professional_id),
                            cost REAL, medicine TEXT);
    """,
    where="kennel",
)
FERRY = schema_from_ddl(
    """
    CREATE TABLE pier (pier_id INTEGER PRIMARY KEY, island TEXT, depth INTEGER);
    CREATE TABLE vessel (vessel_id INTEGER PRIMARY KEY, shipyard TEXT, tonnage INTEGER);
    """,
    where="ferry",
)
SCHEMAS = {"ferry": FERRY, "kennel": KENNEL}


def test_what_another_table_has_is_asked_only_without_doubt() -> None:
    found = {(one.table, one.borrowed_from) for one in surface("kennel", SCHEMAS, 0)}
    assert ("professional", "dog.weight") in found
    # Both are people: of the one or of the other?
    assert ("professional", "owner.town") not in found
    # A dog's town is its owner's, its medicine that of a treatment, which is no thing.
    assert ("dog", "owner.town") not in found and ("dog", "treatment.medicine") not in found
    # An owner has dogs, so the question says whose weight it asks for.
    (own,) = [
        o for o in surface("kennel", SCHEMAS, 0) if (o.table, o.column) == ("owner", "weight")
    ]
    assert "own" in own.question.replace("owner", "")


def test_a_hypothetical_column_is_unknown_to_the_schema() -> None:
    wanted = dict.fromkeys((SURFACE, RELATED, UNRELATED), 30)
    made = unanswerable_questions(wanted, SCHEMAS, SCHEMAS)
    assert {one.kind for one in made} == set(wanted)
    for one in made:
        schema = SCHEMAS[one.db_id]
        column = one.column.replace(" ", "_")
        found = resolve(f"SELECT {column} FROM {one.table}", "sqlite", schema)
        assert found is not None and found.unknown_columns == (column,), one
        assert one.column in one.question
        if one.kind != SURFACE:
            assert not stems((one.column,)) - {"of", "the", "on", "to", "number"} & vocabulary(
                schema
            )


NAMES = st.sampled_from(
    [
        "Singer",
        "song_title",
        "DogWeight",
        "prof",
        "xq",
        "Ref_Types",
        "stadium",
        "age",
        "email",
        "price",
        "Owner",
        "city",
        "tblX",
    ]
)
TABLES = st.dictionaries(
    NAMES, st.lists(NAMES, min_size=1, max_size=4, unique_by=str.lower), max_size=4
)


@settings(max_examples=40)
@given(TABLES, st.integers(0, 3))
def test_any_schema_gives_what_was_asked_for_or_less(
    tables: dict[str, list[str]], seed: int
) -> None:
    ddl = "".join(
        f"CREATE TABLE {name} ({name}_key INTEGER PRIMARY KEY, {', '.join(f'{c} TEXT' for c in columns)});"
        for name, columns in {n.lower(): c for n, c in tables.items()}.items()
    )
    schemas = {"a": schema_from_ddl(ddl or "CREATE TABLE t (x);", where=""), "ferry": FERRY}
    made = unanswerable_questions(dict.fromkeys(KINDS, 5), ["a"], schemas, seed=seed)
    assert all(sum(one.kind == kind for one in made) <= 5 for kind in KINDS)
    assert len({folded(one.question) for one in made}) == len(made)
    assert not any("{" in one.question for one in made)
    again = unanswerable_questions(
        dict.fromkeys(KINDS, 5), ["a"], dict(reversed(schemas.items())), seed=seed
    )
    assert again == made


def test_what_is_asked_already_is_not_asked_again() -> None:
    wanted = dict.fromkeys(KINDS, 4)
    first = unanswerable_questions(wanted, SCHEMAS, SCHEMAS)
    taken = [f"{one.question.upper()} " for one in first]
    second = unanswerable_questions(wanted, SCHEMAS, SCHEMAS, taken=taken)
    assert not {one.question for one in first} & {one.question for one in second}
    other = unanswerable_questions(wanted, SCHEMAS, SCHEMAS, seed=1)
    assert [one.question for one in other] != [one.question for one in first]


def test_questions_of_ones_own() -> None:
    made = unanswerable_questions(
        {"out-of-domain": 5}, ["kennel"], SCHEMAS, questions=["Why so?", "How old is my dog?"]
    )
    assert [one.question for one in made] == ["Why so?"]


@pytest.mark.parametrize(
    ("name", "one", "class_"),
    [
        ("Singers", "singer", "person"),
        ("crew", "crew member", "person"),
        ("car_makers", "car maker", ""),
        ("Ref_Types", None, ""),
        ("singer_in_concert", None, ""),
        ("xyz", None, ""),
    ],
)
def test_tables_that_stand_for_things(name: str, one: str | None, class_: str) -> None:
    schema = schema_from_ddl(f"CREATE TABLE {name} (id INTEGER PRIMARY KEY, age INT)", where="")
    found = entities(schema)
    assert [entity.one for entity in found] == ([] if one is None else [one])
    assert [class_of(entity) for entity in found] == ([] if one is None else [class_])


@pytest.mark.parametrize(
    "word", ["city", "class", "status", "person", "series", "bus", "dish", "dog", "church", "day"]
)
def test_plurals_go_back(word: str) -> None:
    assert singular(plural(word)) == word


@pytest.mark.parametrize(
    ("name", "can"),
    [
        ("release_date", True), ("releasedate", False), ("ticketPrice", True), ("dormid", False),
        ("fname", False), ("height", True), ("edispl", False), ("length", True), ("col_1", False),
    ],
)  # fmt: skip
def test_names_that_can_be_said(name: str, can: bool) -> None:
    assert sayable(words(name)) is can


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which flights leave today?", ("today",)),
        ("patients admitted in the last 3 months", ("in the last 3 months",)),
        ("what was ordered two days ago", ("two days ago",)),
        ("Sales of last year and this month", ("last year", "this month")),
        ("Who is currently employed?", ()),
        ("What is the last name of each student?", ()),
        ("Who was hired most recently, and who recently?", ("recently",)),
        ("Who won the last race of 1999?", ()),
        ("What is known of the president?", ()),
        ("Which shows were aired in 2010?", ()),
    ],
)
def test_times_that_count_from_now(question: str, expected: tuple[str, ...]) -> None:
    assert relative_times(question) == expected


@pytest.mark.parametrize(
    ("sql", "reads"),
    [
        ("SELECT CURRENT_DATE", True),
        ("SELECT a FROM t WHERE d > datetime('now', '-1 year')", True),
        ("SELECT a FROM t WHERE d > NOW()", True),
        ("SELECT a FROM t WHERE d = 'now or never'", False),
        ("SELECT now FROM t", False),
        ("SELECT 'never closed", False),
    ],
)
def test_queries_that_ask_for_the_time(sql: str, reads: bool) -> None:
    assert reads_clock(sql) is reads
