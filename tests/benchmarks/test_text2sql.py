"""text2sql-data: groups of sentences with placeholders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sqljury.benchmarks import read_cases
from sqljury.databases import read_schemas
from sqljury.errors import InputError

GROUPS = [
    {
        "query-split": "train",
        "sentences": [
            {
                "question-split": "dev",
                "text": "How large is city_name0 in state_name0 ?",
                "variables": {"city_name0": 'the "old" town', "state_name0": ""},
            }
        ],
        "sql": [
            'SELECT size FROM city WHERE name = "city_name0" AND state LIKE "%state_name0%" '
            "AND size > size0 ;",
            "SELECT 1",
        ],
        "variables": [
            {"name": "city_name0", "example": "riga", "type": "city_name", "location": "both"},
            {"name": "state_name0", "example": "ohio", "type": "state_name", "location": "both"},
            {"name": "size0", "example": "7", "type": "size", "location": "sql-only"},
        ],
    },
    {"query-split": "none", "sentences": [{"text": "Why?", "variables": {}}], "sql": [],
     "variables": []},
]  # fmt: skip


def test_values_in_question_and_query(tmp_path: Path) -> None:
    (tmp_path / "town-nonsql.json").write_text(json.dumps(GROUPS))
    cases = read_cases(tmp_path / "town-nonsql.json")
    assert cases.warnings == ()
    first, second = cases
    assert first.question == 'How large is the "old" town in ohio ?'
    assert first.reference_sqls == (
        'SELECT size FROM city WHERE name = "the ""old"" town" AND state LIKE "%ohio%" '
        "AND size > 7 ;",
    )
    assert (first.id, first.db_id, first.answerable) == ("0-0", "town", None)
    assert (second.id, second.reference_sqls, second.answerable) == ("1-0", (), False)
    assert second.extra["type"] == "non-sql"


@pytest.mark.parametrize(
    ("key", "value"),
    [("sentences", "x"), ("sentences", ["x"]), ("sql", None), ("variables", ["x"])],
)
def test_broken_groups(tmp_path: Path, key: str, value: object) -> None:
    (tmp_path / "a.json").write_text(json.dumps([GROUPS[0], {**GROUPS[1], key: value}]))
    with pytest.raises(InputError, match=r"SJ105 a\.json"):
        list(read_cases(tmp_path / "a.json"))


def test_schemas_of_either_head(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(
        "Table Name, Field Name, Is Primary Key, Is Foreign Key, Type\n"
        'SHOP, ID, y, n, int(11)\nSHOP, RATING, n, n, "decimal(1,1)"\n-, -, -, -, -\n'
        "CITY, NAME, n, y, varchar(9)\n"
    )
    (tmp_path / "b.csv").write_text(
        "Table Name, Field Name, Type, Is Foreign Key, Is Primary Key\n"
        "SHOP, ID,  int(11),      NO,   PRI,  0,        -\n-, -, -, -, -, -, -\n"
    )
    schema = read_schemas(tmp_path / "a.csv").get("x")
    assert schema is not None
    assert [
        (t.name, t.primary_key, [(c.name, c.type) for c in t.columns]) for t in schema.tables
    ] == [
        ("SHOP", ("ID",), [("ID", "int(11)"), ("RATING", "decimal(1,1)")]),
        ("CITY", (), [("NAME", "varchar(9)")]),
    ]
    schema = read_schemas(tmp_path / "b.csv").get("x")
    assert schema is not None and schema.tables[0].primary_key == ("ID",)


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("atis", (5280, 947, 131)),
        ("advising", (4387, 205, 124)),
        ("geography", (877, 246, 31)),
        ("restaurants", (378, 23, 12)),
        ("scholar", (817, 193, 28)),
        ("academic", (196, 185, 42)),
        ("imdb", (131, 89, 65)),
        ("yelp", (128, 110, 38)),
    ],
)
def test_real_files(data_dir: Path, name: str, counts: tuple[int, int, int]) -> None:
    folder = data_dir / "classical/text2sql-data"
    cases = list(read_cases(folder / f"{name}.json.gz"))
    schema = read_schemas(folder / f"{name}-schema.csv.gz").get(name)
    assert schema is not None
    columns = sum(len(table.columns) for table in schema.tables)
    assert (len(cases), len({case.extra["group"] for case in cases}), columns) == counts
    for case in cases:
        values = case.extra["placeholders"]["values"]  # type: ignore[index]
        assert not any(value in case.reference_sqls[0].split() for value in values)
