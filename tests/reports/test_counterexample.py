"""The database of a counterexample as tables of its page."""

from __future__ import annotations

import pytest

from sqljury.reports.counterexample import counterexample_of

SCRIPT = """CREATE TABLE "boat" ("id" INT, "na""me" TEXT, "twice" INT, PRIMARY KEY ("id"));
CREATE TABLE "pier" ("id" INT, FOREIGN KEY ("id") REFERENCES "boat" ("id"));
INSERT INTO "boat" ("id", "na""me") VALUES (-1, 'it''s; <b>');
INSERT INTO "boat" VALUES (2, NULL, 4);"""


def test_tables_of_a_script() -> None:
    witness = {"sql": SCRIPT, "left": [], "right": [["12", None, 3]], "doubt": ""}
    found = counterexample_of({"witness": witness})
    assert found is not None
    assert found["tables"] == [
        {
            "name": "boat",
            "columns": ["id", 'na"me', "twice"],
            "rows": [["-1", "it's; <b>", ""], ["2", "NULL", "4"]],
        },
        {"name": "pier", "columns": ["id"], "rows": []},
    ]
    assert (found["reference"], found["prediction"]) == ([], [["'12'", "NULL", "3"]])


@pytest.mark.parametrize("sql", ["CREATE TABLE (", "", "x" * 30_000])
def test_a_script_that_cannot_be_read_has_no_tables(sql: str) -> None:
    found = counterexample_of({"witness": {"sql": sql, "left": [[1]], "right": []}})
    assert found is not None
    assert (found["tables"], found["reference"]) == ([], [["1"]])


@pytest.mark.parametrize("evidence", [{}, {"witness": None}, {"witness": {"left": []}}])
def test_none(evidence: dict[str, object]) -> None:
    assert counterexample_of(evidence) is None  # type: ignore[arg-type]
