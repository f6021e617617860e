"""Tables of several schemas in one database: sales.customer is not hr.customer."""

from __future__ import annotations

from dataclasses import replace

import pytest

import sqljury as sj
from sqljury.databases import schema_from_ddl
from sqljury.sql import without_namespaces
from sqljury.sql.resolve import ComparedConstant, resolve

SCHEMA = replace(
    schema_from_ddl(
        "CREATE TABLE sales.customer (id INT PRIMARY KEY, name TEXT);"
        "CREATE TABLE hr.customer (id INT PRIMARY KEY);"
        "CREATE TABLE hr.staff (id INT PRIMARY KEY, serves INT REFERENCES sales.customer (id));"
        "CREATE TABLE public.note (id INT);"
    ),
    dialect="postgres",
)


def test_tables_are_known_with_their_schema() -> None:
    assert [t.name for t in SCHEMA.tables] == ["sales.customer", "hr.customer", "hr.staff", "note"]
    assert [t.namespace for t in SCHEMA.tables] == ["", "", "", "public"]
    staff = SCHEMA.table("hr.staff")
    assert staff is not None
    assert staff.foreign_keys[0].target_table == "sales.customer"


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        (
            "SELECT name FROM sales.customer WHERE id > 3",
            "SELECT c.name FROM sales.customer c WHERE 4 <= c.id",
            "proved",
        ),
        (
            "SELECT sales.customer.id FROM sales.customer, hr.customer"
            " WHERE hr.customer.id = sales.customer.id",
            "SELECT d.id FROM hr.customer d JOIN sales.customer c ON d.id = c.id",
            "proved",
        ),
        (
            "SELECT s.id FROM hr.staff s JOIN sales.customer c ON s.serves = c.id",
            "SELECT id FROM hr.staff WHERE serves IS NOT NULL",
            "proved",
        ),
        ("SELECT id FROM sales.customer", "SELECT id FROM hr.customer", "refuted"),
        ("SELECT id FROM public.note", "SELECT id FROM note WHERE id > 0", "refuted"),
    ],
)
def test_compare(left: str, right: str, verdict: str) -> None:
    assert sj.compare_queries(left, right, schema=SCHEMA).verdict == verdict


def test_a_table_of_another_schema_is_not_the_one_that_is_known() -> None:
    tables = "CREATE TABLE hr.staff (id INT PRIMARY KEY); CREATE TABLE hr.note (id INT)"
    schema = replace(schema_from_ddl(tables), dialect="postgres")
    assert [(t.name, t.namespace) for t in schema.tables] == [("staff", "hr"), ("note", "hr")]
    found = sj.compare_queries("SELECT id FROM sales.note", "SELECT id FROM hr.note", schema=schema)
    assert found.verdict == "unknown"
    found = sj.compare_queries("SELECT id FROM note", "SELECT id FROM hr.note", schema=schema)
    assert found.verdict == "proved"


def test_diff_plan_and_names() -> None:
    sql = "SELECT hr.customer.id FROM sales.customer, hr.customer WHERE hr.customer.id = 1"
    assert sj.diff_queries(sql, sql, schema=SCHEMA).equal
    assert "scan hr.customer" in sj.plan_query(sql, schema=SCHEMA).text
    found = resolve(sql, "postgres", SCHEMA)
    assert found is not None
    assert found.unknown_tables == found.unknown_columns == ()
    assert found.sought == (ComparedConstant("hr.customer", "id", "1", is_pattern=False),)
    assert found.sought[0].statement("postgres") == (
        'SELECT 1 FROM "hr"."customer" WHERE "id" = 1 LIMIT 1'
    )
    unknown = resolve("SELECT nope FROM hr.staff, hr.nobody", "postgres", SCHEMA)
    assert unknown is not None and unknown.unknown_tables == ("nobody",)


def test_a_text_without_schemas_stays_as_it_is() -> None:
    sql = "select  n.id from note n"
    assert without_namespaces(sql, SCHEMA, "postgres") == sql


@pytest.mark.parametrize(
    ("dialect", "left", "right"),
    [
        ("postgres", "name::json -> 'a'", "name::json ->> 'a'"),
        ("bigquery", "SAFE_CAST(name AS INT64)", "CAST(name AS INT64)"),
    ],
)
def test_what_translation_takes_for_the_same_is_unknown(
    dialect: str, left: str, right: str
) -> None:
    schema = schema_from_ddl("CREATE TABLE sales.customer (id INT PRIMARY KEY, name TEXT)")
    queries = (f"SELECT {value} FROM customer" for value in (left, right))
    found = sj.compare_queries(*queries, schema=replace(schema, dialect=dialect))
    assert found.verdict == "unknown"
    assert "does not tell" in found.reason
