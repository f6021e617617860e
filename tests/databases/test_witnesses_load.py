"""The rows of a witness are accepted by the engine of the queries, whatever the types of columns."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from servers import Server

from sqljury.databases import schema_from_ddl
from sqljury.uses.queries import compare_queries

TYPES = {
    "postgresql": """
        BOOLEAN|SMALLINT|BIGINT|REAL|NUMERIC(4, 2)|DECIMAL(3, 0)|MONEY|SERIAL|VARCHAR(3)|UUID|DATE
        TIME|TIMETZ|TIMESTAMP|TIMESTAMPTZ|INTERVAL|JSON|JSONB|XML|BYTEA|BIT(3)|BIT|VARBIT(5)|INET|CIDR
        MACADDR|INTEGER[]|TEXT[]|mood|TSVECTOR|POINT|INT4RANGE|NAME|INT GENERATED ALWAYS AS IDENTITY
    """,
    "mysql": """
        BOOLEAN|TINYINT|TINYINT UNSIGNED|MEDIUMINT UNSIGNED|BIGINT UNSIGNED|FLOAT|DOUBLE UNSIGNED
        DECIMAL(4, 2)|DECIMAL|VARCHAR(3)|CHAR(4)|BINARY(3)|VARBINARY(4)|BLOB|DATE|TIME|DATETIME|TIMESTAMP
        YEAR|ENUM('x', 'y')|SET('a', 'b')|JSON|BIT(3)|INT AUTO_INCREMENT UNIQUE
    """,
}
_DIALECTS = {"postgresql": "postgres", "mysql": "mysql"}
_MOOD = "CREATE TYPE mood AS ENUM ('sad', 'ok')"
PAIRS = [
    ("SELECT id FROM t WHERE id > 3", "SELECT id FROM t WHERE id >= 3"),
    ("SELECT k FROM t WHERE k = 1", "SELECT k FROM t WHERE k <> 2"),
    ("SELECT id, v FROM t WHERE k > 0", "SELECT id, v FROM t"),
]


@pytest.fixture(scope="module", params=list(TYPES))
def place(request: pytest.FixtureRequest) -> tuple[Server, str]:
    return request.getfixturevalue(request.param), request.param


def tables(engine: str) -> Iterator[tuple[str, ...]]:
    """The statements that make a table with a column of each type, NULL or not."""
    for kind in re.split(r"\||\n", TYPES[engine].strip()):
        for null in ("", " NOT NULL"):
            made = f"CREATE TABLE t (id INT PRIMARY KEY, v {kind.strip()}{null}, k INT)"
            yield (_MOOD, made) if "mood" in kind else (made,)


def inserts(script: str) -> list[str]:
    return [line for line in script.splitlines() if line.startswith("INSERT")]


@pytest.mark.parametrize(("step", "most"), [(2, 1), pytest.param(1, 3, marks=pytest.mark.slow)])
def test_every_witness_is_accepted(place: tuple[Server, str], step: int, most: int) -> None:
    """One of the pairs for each type, in turn; slow: all of them, and columns without NULL."""
    server, engine = place
    tried: Counter[str] = Counter()
    said = list[tuple[str, str, str]]()
    database = server.create()
    for number, statements in list(enumerate(tables(engine)))[::step]:
        script = ";\n".join(statements)
        schema = replace(schema_from_ddl(script), dialect=_DIALECTS[engine])
        for left, right in (PAIRS[number % 3 :] + PAIRS)[:most]:
            found = compare_queries(left, right, schema=schema, seed=number, prove=False)
            tried[found.verdict] += 1
            if found.verdict != "refuted":
                continue
            assert found.witness is not None
            assert "not replayed" in found.reason, found
            made = [*statements, *inserts(found.witness.sql)]
            # PostgreSQL keeps the plan of a text; the table has another column each time.
            sides = [f"{sql} /* {number} */" for sql in (left, right)]
            gone = ["DROP TABLE t", *_gone(statements)]
            results = server.run_each(*made, *sides, *gone, database=database)
            left_rows, right_rows = results[len(made) : len(made) + 2]
            if Counter(map(repr, left_rows)) == Counter(map(repr, right_rows)):
                said.append((script, left, found.witness.sql))
    assert not said
    # A column whose type SQLite lacks leaves open what shows it.
    assert 3 * tried["refuted"] > 2 * tried.total(), tried


def _gone(statements: tuple[str, ...]) -> tuple[str, ...]:
    return ("DROP TYPE mood",) if _MOOD in statements else ()


@pytest.mark.parametrize(
    ("kind", "left", "right"),
    [
        ("UUID", "v = 'A0EEBC99-9C0B-4EF8-BB6D-000000000001'",
         "v = 'a0eebc99-9c0b-4ef8-bb6d-000000000001'"),
        ("UUID", "v = '{a0eebc999c0b4ef8bb6d000000000001}'",
         "v = 'a0eebc99-9c0b-4ef8-bb6d-000000000001'"),
        ("YEAR", "v = 99", "v = 1999"),
    ],
)  # fmt: skip
def test_a_value_in_another_form_is_no_difference(kind: str, left: str, right: str) -> None:
    dialect = "mysql" if kind == "YEAR" else "postgres"
    schema = schema_from_ddl(f"CREATE TABLE t (id INT PRIMARY KEY, v {kind})")
    sides = (f"SELECT id FROM t WHERE {each}" for each in (left, right))
    found = compare_queries(*sides, schema=replace(schema, dialect=dialect))
    assert found.verdict != "refuted", found
