"""Columns that a planner shows and its query does not return are no part of a graph."""

from __future__ import annotations

import pytest

from sqljury.databases.ddl import schema_from_ddl
from sqljury.queries.graphs import GRAPH_FORMS, GraphForm, graph_of

PETS = schema_from_ddl("CREATE TABLE pet (id INTEGER PRIMARY KEY, kind TEXT, weight REAL)")


@pytest.mark.parametrize("form", [form for form in GRAPH_FORMS if form != "syntax"])
@pytest.mark.parametrize(
    ("printed", "meant"),
    [
        (
            'SELECT kind, weight AS "$f1" FROM pet ORDER BY 2 DESC',
            "SELECT kind FROM pet ORDER BY weight DESC",
        ),
        (
            'SELECT kind, COUNT(*) AS "$f1" FROM pet GROUP BY kind ORDER BY 2 LIMIT 1',
            "SELECT kind FROM pet GROUP BY kind ORDER BY COUNT(*) LIMIT 1",
        ),
        (
            'SELECT id, weight AS "$f1", kind AS "$f2" FROM pet ORDER BY 2, 3',
            "SELECT id FROM pet ORDER BY weight, kind",
        ),
    ],
)
def test_hidden_columns_are_left_out(form: GraphForm, printed: str, meant: str) -> None:
    assert graph_of(printed, PETS, form=form) == graph_of(meant, PETS, form=form)


@pytest.mark.parametrize(
    "sql",
    [
        'SELECT weight AS "$f1" FROM pet',
        'SELECT weight AS "$f1", kind FROM pet',
        'SELECT kind, weight AS "$first" FROM pet',
    ],
)
def test_other_columns_stay(sql: str) -> None:
    plain = sql.replace(' AS "$f1"', "").replace(' AS "$first"', "")
    assert graph_of(sql, PETS) == graph_of(plain, PETS)
