"""What declarations demand of rows, after all that a script takes back."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sqljury.databases import schema_from_ddl
from sqljury.equivalence.proof.demands import demands

T = "CREATE TABLE t (a INT, b INT, CONSTRAINT k CHECK (a > 0));"

HELD = [
    ("sqlite", "CREATE TABLE t (a INT CHECK (a > 0), b INT, CHECK (b < a));", 2),
    ("postgres", T, 1),
    ("postgres", "CREATE TABLE t (a INT); ALTER TABLE t ADD CONSTRAINT k CHECK (a > 0);", 1),
    ("postgres", T + "ALTER TABLE t ADD CONSTRAINT u UNIQUE (a);", 1),
    ("postgres", T + "ALTER TABLE t ALTER COLUMN b DROP NOT NULL;", 1),
    ("postgres", T + "ALTER TABLE t RENAME TO u;", 1),
    ("postgres", "CREATE TABLE t (a INT, b INT GENERATED ALWAYS AS (a + 1) STORED);", 1),
    ("mysql", "CREATE TABLE t (a INT UNSIGNED, b ENUM('x', 'y'), c INT);", 2),
    ("duckdb", "CREATE TABLE t (a UTINYINT, b INT AS (a + 1));", 2),
]
NOT_HELD = [
    ("postgres", T + "ALTER TABLE t DROP CONSTRAINT k;"),
    (
        "postgres",
        "CREATE TABLE t (a INT CONSTRAINT k CHECK (a > 0)); ALTER TABLE t DROP CONSTRAINT k;",
    ),
    ("postgres", "CREATE TABLE t (a INT CHECK (a > 0)); ALTER TABLE t DROP CONSTRAINT t_a_check;"),
    ("postgres", T + "ALTER TABLE t RENAME CONSTRAINT k TO j; ALTER TABLE t DROP CONSTRAINT j;"),
    ("postgres", T + "DROP TABLE t; CREATE TABLE t (a INT);"),
    ("mysql", T + "ALTER TABLE t ALTER CHECK k NOT ENFORCED;"),
    ("mysql", "CREATE TABLE t (a INT CHECK (a > 0)); ALTER TABLE t MODIFY a INT;"),
    ("postgres", "CREATE TABLE t (a DATE CHECK (a < CURRENT_DATE), b DATE CHECK (b < 'today'));"),
    ("postgres", "CREATE TABLE t (a NUMERIC, b NUMERIC(5, 1) GENERATED ALWAYS AS (a / 3) STORED);"),
    ("oracle", T),
    ("bigquery", T),
]


@pytest.mark.parametrize(("dialect", "script", "count"), HELD)
def test_what_holds(dialect: str, script: str, count: int) -> None:
    (found,) = demands(replace(schema_from_ddl(script), dialect=dialect)).values()
    assert len(found) == count


@pytest.mark.parametrize(("dialect", "script"), NOT_HELD)
def test_what_was_taken_back_or_does_not_last(dialect: str, script: str) -> None:
    assert demands(replace(schema_from_ddl(script), dialect=dialect)) == {}
