"""Queries in the dialects of BigQuery and Snowflake: what becomes a tree, and what is equal."""

from __future__ import annotations

import json

import pytest

from sqljury.databases.schemas import read_schemas
from sqljury.equivalence.canonical import canonical_query
from sqljury.schema import Column, Schema, Table
from sqljury.trees import build_tree
from sqljury.trees.nodes import Unreadable


def schema(dialect):
    steps = Column(name="steps", type="ARRAY<STRUCT<page STRING, at STRUCT<n INT64>>>")
    columns = (*map(text_column, ("id", "day", "hits", "body")), steps)
    names = ("visits", "events_20200101", "events_20200102")
    return Schema(dialect=dialect, tables=tuple(Table(name=n, columns=columns) for n in names))


def text_column(name):
    return Column(name=name, type="TEXT")


READ = [
    ("bigquery", "SELECT id FROM `p.d.events_*` WHERE _TABLE_SUFFIX = '20200101'"),
    ("bigquery", "SELECT h.page.path FROM visits, UNNEST(hits) AS h"),
    ("bigquery", "SELECT hits.page FROM visits, UNNEST(visits.hits) AS hits"),
    ("bigquery", "SELECT body.title, visits.body.title, hits[OFFSET(0)].page FROM visits"),
    ("bigquery", "SELECT * EXCEPT (body) FROM visits"),
    ("bigquery", "SELECT SAFE_DIVIDE(1, 2), DATE_TRUNC(day, MONTH), DATE_DIFF(day, day, YEAR) FROM visits"),
    ("bigquery", "SELECT id FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY day) = 1"),
    ("snowflake", 'SELECT f.value FROM visits, LATERAL FLATTEN(INPUT => visits.hits) f'),
    ("snowflake", "SELECT f.value:page::text, f.index FROM visits, TABLE(FLATTEN(hits)) f"),
    ("snowflake", "SELECT DATEDIFF(year, day, day), DATE_TRUNC(month, day), hits[0] FROM visits"),
    ("snowflake", "SELECT id FROM visits QUALIFY ROW_NUMBER() OVER (PARTITION BY id ORDER BY day) = 1"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "sql"), READ)
def test_has_a_tree(dialect, sql):
    found = build_tree(sql, schema(dialect), dialect)
    assert not isinstance(found, Unreadable), found


SAME = [
    # Snowflake's quoted names keep their case, and others are capitals.
    ("snowflake", 'SELECT "Day" FROM (SELECT "id" AS "Day", "hits" AS DAY FROM visits)',
        'SELECT x FROM (SELECT "id" AS x, "hits" AS y FROM visits)'),
    ("snowflake", 'SELECT day FROM (SELECT "id" AS "Day", "hits" AS DAY FROM visits)',
        'SELECT y FROM (SELECT "id" AS x, "hits" AS y FROM visits)'),
    ("snowflake", 'SELECT "id" FROM visits v JOIN visits "v" USING ("id") WHERE "v"."day" = \'1\'',
        'SELECT "id" FROM visits v JOIN visits w USING ("id") WHERE w."day" = \'1\''),
    ("postgres", 'SELECT x FROM (SELECT id AS "X", day AS x FROM visits) q',
        'SELECT y FROM (SELECT id AS z, day AS y FROM visits) q'),
    # A qualified name is a table, even if a query has its name.
    ("snowflake", "WITH visits AS (SELECT id FROM s.visits) SELECT hits FROM s.visits",
        "SELECT hits FROM visits"),
    ("snowflake", "WITH n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
        "WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"),
    ("snowflake", "WITH visits AS (SELECT id FROM visits) SELECT id FROM visits",
        "WITH v AS (SELECT id FROM visits) SELECT id FROM v"),
    ("snowflake", "SELECT id AS x, x || 'a' AS y, y AS z FROM visits",
        "SELECT id, id || 'a', id || 'a' FROM visits"),
    ("snowflake", "SELECT COUNT(v.*) FROM visits v", "SELECT COUNT(id, day, hits, body, steps) FROM visits"),
    ("snowflake", "SELECT SEQ4() FROM TABLE(GENERATOR(ROWCOUNT => 7))",
        "SELECT SEQ4() FROM TABLE(GENERATOR(rowcount => 7)) AS g"),
    ("bigquery", "SELECT page, at.n FROM visits, UNNEST(steps)",
        "SELECT s.page, s.at.n FROM visits, UNNEST(steps) AS s"),
    ("bigquery", "SELECT s.* FROM visits, UNNEST(steps) AS s",
        "SELECT page, at FROM visits AS v, UNNEST(v.steps)"),
    ("bigquery", "SELECT id, (SELECT page FROM UNNEST(steps)) FROM `events_*`",
        "SELECT id, (SELECT s.page FROM UNNEST(steps) AS s) FROM `events_*`"),
    ("bigquery", "SELECT v.id, COUNT(*) FROM visits v, visits w GROUP BY id",
        "SELECT v.id, COUNT(*) FROM visits v, visits w GROUP BY v.id"),
    ("bigquery", "SELECT id FROM visits; -- all of them", "SELECT id FROM visits"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "left", "right"), SAME)
def test_the_same_tree(dialect, left, right):
    a, b = (build_tree(sql, schema(dialect), dialect) for sql in (left, right))
    assert not isinstance(a, Unreadable), a
    assert a == b


DIFFERENT = [
    ("bigquery", "SELECT h FROM UNNEST([1, 2]) h WITH OFFSET i", "SELECT i FROM UNNEST([1, 2]) h WITH OFFSET i"),
    ("bigquery", "SELECT ARRAY_AGG(id) FROM visits", "SELECT ARRAY_AGG(id IGNORE NULLS) FROM visits"),
    ("bigquery", "SELECT DATE_TRUNC(day, WEEK(MONDAY)) FROM visits", "SELECT DATE_TRUNC(day, WEEK) FROM visits"),
    ("bigquery", "SELECT id FROM visits WHERE id IN UNNEST(hits)", "SELECT id FROM visits WHERE id IN (hits)"),
    ("snowflake", 'SELECT hits[0]."a"[1]."b" FROM visits', 'SELECT hits[0]."a"[1]."B" FROM visits'),
    ("snowflake", r"SELECT l.value FROM visits, LATERAL SPLIT_TO_TABLE(body, '\n') l",
        r"SELECT l.index FROM visits, LATERAL SPLIT_TO_TABLE(body, '\n') l"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "left", "right"), DIFFERENT)
def test_different_trees(dialect, left, right):
    a, b = (build_tree(sql, schema(dialect), dialect) for sql in (left, right))
    assert not isinstance(a, Unreadable), a
    assert not isinstance(b, Unreadable), b
    assert a != b


def test_names_are_shown_as_written():
    sql = 'SELECT "Day", DAY AS "dAY" FROM (SELECT id AS "Day", hits AS DAY FROM visits)'
    visits = Table(name="VISITS", columns=(text_column("ID"), text_column("HITS")))
    found = build_tree(sql, Schema(dialect="snowflake", tables=(visits,)), "snowflake")
    assert found.names == ("Day", "dAY")


NO_TREE = [
    ("snowflake", 'SELECT day FROM (SELECT "id" AS "Day", "hits" AS "day" FROM visits)'),
    ("bigquery", "SELECT page FROM visits, UNNEST(hits)"),
    ("bigquery", "SELECT page FROM visits, UNNEST(steps) AS s, UNNEST(steps) AS t"),
    ("bigquery", "SELECT id FROM `p.d.nothing_*`"),
    ("bigquery", "SELECT nothing.title FROM visits"),
    ("bigquery", "SELECT _TABLE_SUFFIX FROM visits"),
    ("snowflake", "SELECT 1 FROM visits, LATERAL FLATTEN(OUTER => TRUE) f"),
    ("postgres", "SELECT body[1] FROM visits"),
]


@pytest.mark.parametrize(("dialect", "sql"), NO_TREE)
def test_has_no_tree(dialect, sql):
    assert isinstance(build_tree(sql, schema(dialect), dialect), Unreadable)


def test_the_hidden_suffix_is_not_among_all_columns():
    one, other = (
        build_tree(f"SELECT {what} FROM `events_*`", schema("bigquery"), "bigquery")
        for what in ("*", "id, day, hits, body, steps")
    )
    assert one == other


PAIRS = [
    ("SELECT v.id FROM visits AS v", "select id from visits", True),
    ("SELECT id FROM visits WHERE id = id", "SELECT id FROM visits WHERE id IS NOT NULL", False),
    ("SELECT DISTINCT id FROM visits", "SELECT id FROM visits GROUP BY id", False),
]


@pytest.mark.parametrize("dialect", ["bigquery", "snowflake"])
@pytest.mark.parametrize(("left", "right", "equal"), PAIRS)
def test_no_rule_rewrites_where_none_was_checked(dialect, left, right, equal):
    a, b = (canonical_query(sql, schema(dialect), dialect) for sql in (left, right))
    assert (a.relation == b.relation) is equal
    assert a.rules == b.rules == ()


BIGQUERY = """table_name,ddl
visits,"CREATE TABLE `p.one.visits`
(
  id INT64 OPTIONS(description=""The visit, or hit (1)""),
  hits ARRAY<STRUCT<page STRING, n INT64>>,
  `the day` DATE NOT NULL
)
PARTITION BY `the day`;"
"""
SNOWFLAKE = 'table_name,description,DDL\nPORT,,"create or replace TABLE PORT (\n\t""id"" NUMBER(38,0),\n\tNAME VARCHAR(16777216)\n);"\n'


def test_folders_of_ddl(tmp_path):
    for place, text in {
        "bigquery/shop/p.one": BIGQUERY,
        "bigquery/shop/p.two": BIGQUERY.replace("one", "two"),
        "HARBOUR/PUBLIC": SNOWFLAKE,
        "sqlite/boats": "table_name,DDL\nboat,CREATE TABLE boat (id INT(11))\n",
        "EMPTY/PUBLIC": "table_name,description\nPORT,\n",
    }.items():
        (tmp_path / place).mkdir(parents=True)
        (tmp_path / place / "DDL.csv").write_text(text)
    rows = {
        "table_fullname": "p.three.trip",
        "column_names": ["a", "b"],
        "column_types": ["DATE", "T"],
    }
    (tmp_path / "bigquery/shop/p.three").mkdir()
    for place in ("three/trip", "three/other", "one/visits"):
        (tmp_path / f"bigquery/shop/p.{place}.json").write_text(
            json.dumps(rows if place == "three/trip" else {"visits": []})
        )
    found = read_schemas(tmp_path)
    assert sorted(found.by_id) == ["EMPTY", "HARBOUR", "boats", "shop"]
    shop = found.get("shop")
    assert (shop.dialect, [table.name for table in shop.tables]) == (
        "bigquery",
        ["one.visits", "trip", "two.visits"],
    )
    assert [(c.name, c.type) for c in shop.tables[1].columns] == [("a", "DATE"), ("b", "T")]
    assert [(c.name, c.type) for c in shop.tables[0].columns] == [
        ("id", "INT64"),
        ("hits", "ARRAY<STRUCT<page STRING, n INT64>>"),
        ("the day", "DATE"),
    ]
    port = found.get("harbour").tables[0]
    assert [(c.name, c.type) for c in port.columns] == [
        ("id", "NUMBER(38,0)"),
        ("NAME", "VARCHAR(16777216)"),
    ]
    assert found.get("boats").dialect == "sqlite"
    assert found.get("EMPTY").tables == ()
