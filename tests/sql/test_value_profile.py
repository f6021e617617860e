"""What a query says about data: constants and their columns, links, counts, limits, flags."""

from __future__ import annotations

import pytest

from sqljury.schema import Column, ForeignKey, Schema, Table
from sqljury.sql import merged_profiles, value_profile
from sqljury.value_profile import ValueProfile

BOATS = Schema(
    dialect="sqlite",
    tables=(
        Table(
            name="boat",
            columns=(
                Column(name="id", type="INTEGER"),
                Column(name="Name", type="TEXT"),
                Column(name="length", type="REAL"),
                Column(name="built", type="DATE"),
                Column(name="owner", type="INT"),
            ),
            primary_key=("id",),
            foreign_keys=(
                ForeignKey(columns=("owner",), target_table="owner", target_columns=("id",)),
            ),
        ),
        Table(
            name="owner",
            columns=(Column(name="id", type="INT"), Column(name="town", type="TEXT")),
            primary_key=("id",),
        ),
        Table(name="seen", columns=(Column(name="Name"),), is_view=True),
    ),
)


def profile(sql: str) -> ValueProfile:
    found = value_profile(sql, BOATS)
    assert found is not None
    return found


def atoms(found: ValueProfile) -> list[str]:
    pattern = found.patterns[0]
    return [
        f"{pattern.tables[a.place.slot]}.{a.place.column} {a.operator} "
        f"{','.join(map(repr, a.values))}{'' if a.hard else ' ?'}".strip()
        for a in pattern.atoms
    ]


# SQL, what is found of constants; a question mark: it stands where a row need not be lost
CONSTANTS = [
    ("SELECT * FROM boat WHERE length > 3", ["boat.length > 3"]),
    ("SELECT * FROM boat WHERE 3 > length", ["boat.length < 3"]),
    ("SELECT * FROM boat WHERE length >= -2.5", ["boat.length >= -2.5"]),
    ("SELECT * FROM boat b WHERE b.name = 'Ara'", ["boat.Name = 'Ara'"]),
    ('SELECT * FROM boat WHERE name = "Ara"', ["boat.Name = 'Ara'"]),
    ("SELECT * FROM boat WHERE length BETWEEN 3 AND 9", ["boat.length >= 3", "boat.length <= 9"]),
    ("SELECT * FROM boat WHERE id IN (1, 2)", ["boat.id in 1,2"]),
    ("SELECT * FROM boat WHERE id NOT IN (1, 2)", ["boat.id in 1,2 ?"]),
    ("SELECT * FROM boat WHERE name LIKE 'A%'", ["boat.Name like 'A%'"]),
    ("SELECT * FROM boat WHERE name GLOB 'A*'", ["boat.Name glob 'A*'"]),
    ("SELECT * FROM boat WHERE name IS NULL", ["boat.Name null"]),
    ("SELECT * FROM boat WHERE name IS NOT NULL", ["boat.Name not null"]),
    ("SELECT * FROM boat WHERE id = 1 OR id = 2", ["boat.id = 1 ?", "boat.id = 2 ?"]),
    ("SELECT * FROM boat WHERE NOT id = 1", ["boat.id = 1 ?"]),
    ("SELECT CASE WHEN id = 1 THEN 'x' END FROM boat", ["boat.id = 1 ?"]),
    # Through derived tables, CTEs and their renamed columns.
    ("SELECT n FROM (SELECT name AS n FROM boat) WHERE n = 'Ara'", ["boat.Name = 'Ara'"]),
    ("WITH q(m) AS (SELECT name FROM boat) SELECT m FROM q WHERE m = 'Ara'", ["boat.Name = 'Ara'"]),
    (
        "SELECT 1 FROM boat WHERE owner IN (SELECT id FROM owner WHERE town = 'W')",
        ["owner.town = 'W'"],
    ),
    (
        "SELECT 1 FROM boat b WHERE EXISTS (SELECT 1 FROM owner WHERE b.name = 'A')",
        ["boat.Name = 'A'"],
    ),
    (
        "SELECT 1 FROM boat WHERE owner = (SELECT id FROM owner WHERE town = 'W')",
        ["owner.town = 'W'"],
    ),
    # A function of a column: the constant is of use, and what the function may come from.
    ("SELECT 1 FROM boat WHERE length + 1 > 5", ["boat.length hint 5 ?"]),
    ("SELECT owner FROM boat GROUP BY owner HAVING sum(length) > 40", ["boat.length hint 40 ?"]),
    ("SELECT 1 FROM boat WHERE strftime('%Y', built) = '2014'", ["boat.built hint '2014',2014 ?"]),
    # What no column of the schema is, is left out.
    ("SELECT 1 FROM boat WHERE nothing = 3", []),
    ("SELECT 1 FROM elsewhere WHERE x = 3", []),
]


@pytest.mark.parametrize(("sql", "expected"), CONSTANTS)
def test_constants_find_their_columns(sql: str, expected: list[str]) -> None:
    assert atoms(profile(sql)) == expected


# SQL, the columns that are to meet
LINKS = [
    ("SELECT 1 FROM boat b JOIN owner o ON b.owner = o.id", {"boat.owner = owner.id"}),
    ("SELECT 1 FROM boat b, owner o WHERE o.id = b.owner", {"owner.id = boat.owner"}),
    ("SELECT 1 FROM boat JOIN owner USING (id)", {"boat.id = owner.id"}),
    ("SELECT 1 FROM boat NATURAL JOIN owner", {"boat.id = owner.id"}),
    ("SELECT 1 FROM boat WHERE owner IN (SELECT id FROM owner)", {"boat.owner = owner.id"}),
    ("SELECT 1 FROM boat WHERE owner NOT IN (SELECT id FROM owner)", {"boat.owner = owner.id ?"}),
    ("SELECT name FROM boat EXCEPT SELECT town FROM owner", {"boat.Name = owner.town ?"}),
    ("SELECT 1 FROM boat WHERE id = (SELECT max(id) FROM owner)", {"boat.id = owner.id"}),
    ("SELECT 1 FROM boat a JOIN boat b ON a.id < b.id", {"boat.id = boat.id ?"}),
    ("SELECT 1 FROM (SELECT owner AS o FROM boat) JOIN owner ON o = id", {"boat.owner = owner.id"}),
]


@pytest.mark.parametrize(("sql", "expected"), LINKS)
def test_columns_that_are_to_meet(sql: str, expected: set[str]) -> None:
    pattern = profile(sql).patterns[0]

    def name(place) -> str:
        return f"{pattern.tables[place.slot]}.{place.column}"

    found = {f"{name(k.left)} = {name(k.right)}{'' if k.hard else ' ?'}" for k in pattern.links}
    assert found == expected


@pytest.mark.parametrize(
    ("sql", "tables", "counts", "limits"),
    [
        ("SELECT owner FROM boat GROUP BY owner HAVING count(*) > 4", ("boat",), (4,), ()),
        ("SELECT owner FROM boat GROUP BY 1 HAVING count(DISTINCT name) = 2", ("boat",), (2,), ()),
        ("SELECT * FROM owner, boat LIMIT 3 OFFSET 2", ("boat", "owner"), (), (5,)),
        ("SELECT * FROM (SELECT * FROM boat LIMIT 7)", ("boat",), (), (7,)),
        ("SELECT 1", (), (), ()),
    ],
)
def test_tables_counts_and_limits(sql, tables, counts, limits) -> None:
    found = profile(sql)
    assert (found.tables, found.counts, found.limits) == (tables, counts, limits)


@pytest.mark.parametrize(
    ("sql", "flags"),
    [
        ("SELECT name FROM boat", ""),
        ("SELECT owner, count(*) FROM boat GROUP BY owner", ""),
        ("SELECT name, count(*) FROM boat GROUP BY owner", "fragile"),
        ("SELECT name, max(length) FROM boat", "fragile"),
        ("SELECT group_concat(name) FROM boat", "fragile"),
        ("SELECT row_number() OVER (ORDER BY id) FROM boat", "fragile"),
        ("SELECT datetime('now')", "fragile"),
        ("SELECT CURRENT_TIMESTAMP", "fragile"),
        ("SELECT name FROM boat LIMIT 1", "any_rows fragile"),
        ("SELECT name FROM boat ORDER BY length LIMIT 1", "cuts_ties fragile"),
        ("SELECT name FROM boat WHERE random() > 0", "any_rows fragile"),
        ("SELECT 1 FROM boat WHERE id = (SELECT id FROM owner)", "any_rows fragile"),
        ("SELECT 1 FROM boat WHERE id = (SELECT max(id) FROM owner)", ""),
    ],
)
def test_what_chance_may_decide(sql: str, flags: str) -> None:
    found = profile(sql)
    on = [name for name in ("any_rows", "cuts_ties", "fragile") if getattr(found, name)]
    assert " ".join(on) == flags


def test_uses_of_columns() -> None:
    found = profile("SELECT avg(length), CAST(name AS REAL), date(built, '%Y') FROM boat")
    assert found.columns["boat", "length"].numeric
    assert found.columns["boat", "Name"].numeric
    assert found.columns["boat", "built"].dated
    assert found.columns["boat", "built"].formats == ("%Y",)
    assert ("boat", "id") not in found.columns


def test_a_star_uses_all_columns() -> None:
    assert len(profile("SELECT * FROM boat").columns) == 5
    assert len(profile("SELECT o.* FROM boat b JOIN owner o").columns) == 2


def test_what_cannot_be_given_data_is_named() -> None:
    assert profile("SELECT * FROM seen, nowhere").unread == ("seen", "nowhere")


def test_two_profiles_keep_their_patterns_apart() -> None:
    left, right = profile("SELECT 1 FROM boat WHERE id = 1"), profile("SELECT 1 FROM owner")
    both = merged_profiles(left, right)
    assert both.tables == ("boat", "owner")
    assert both.patterns == left.patterns + right.patterns


def test_a_text_that_cannot_be_parsed_uses_all_columns_of_the_tables_it_names() -> None:
    found = profile("SELECT FROM WHERE boat (")
    assert found.tables == ("boat",)
    assert found.fragile
    assert len(found.columns) == 5


DOUBLING = ", ".join(
    f"q{i} AS (SELECT a.id FROM q{i - 1} a, q{i - 1} b)" if i else "q0 AS (SELECT id FROM boat)"
    for i in range(40)
)


@pytest.mark.parametrize(
    "sql",
    [
        f"WITH {DOUBLING} SELECT * FROM q39",
        "WITH RECURSIVE r AS (SELECT id FROM boat UNION ALL SELECT id FROM r) SELECT * FROM r",
        "SELECT * FROM boat WHERE id IN (" + ", ".join(map(str, range(3000))) + ")",
        "SELECT * FROM " + " CROSS JOIN ".join(f"boat b{i}" for i in range(300)),
        "SELECT * FROM boat WHERE " + " AND ".join(f"id <> {i}" for i in range(1500)),
        "SELECT " + "(" * 100 + "1" + ")" * 100,
        "SELECT * FROM boat WHERE name = '" + "x" * 100_000 + "'",
        "(" * 50_000,
        "",
    ],
)
def test_hostile_text_is_read_in_bounded_work(sql: str) -> None:
    found = value_profile(sql, BOATS)
    assert found is None or sum(len(p.tables) for p in found.patterns) <= 40


def test_a_text_of_megabytes_is_not_looked_at() -> None:
    assert value_profile("SELECT 1 " + "x" * 1_000_000, BOATS) is None


@pytest.mark.parametrize("operator", [" + 1", " UNION SELECT 1", " OR id = 1", " || 'a'"])
def test_long_chains_are_no_deep_recursion(operator: str) -> None:
    found = value_profile("SELECT id FROM boat WHERE id = 3" + operator * 2000, BOATS)
    assert found is not None
    assert found.tables == ("boat",)
