"""The same rows and the same verdicts on every engine, by plain drivers."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from typing import Any

import pytest
from demo_engines import Run

from sqljury.demo import DATABASES

Cases = list[dict[str, Any]]

TABLES = {
    "ferry_line": ["pier", "vessel", "crew", "sailing", "ticket"],
    "instrument_workshop": ["customer", "luthier", "instrument", "repair", "part_used"],
    "seed_library": ["plant", "member", "packet", "loan", "germination_test"],
}
# These never end or write: they are for engines behind limits.
HOSTILE = {"prediction_refused", "prediction_too_large", "prediction_timeout"}
# Which of the tied vessels it gives is up to the engine.
CUTS_A_TIE = 29


def number(cell: Any) -> Any:
    return float(cell) if isinstance(cell, int | float | Decimal) else cell


def rounded(cell: Any) -> Any:
    # Servers give an average of integers 4 or 16 digits, SQLite and DuckDB a float.
    return round(cell, 4) if isinstance(cell, float) else cell


def bag(rows: list[tuple[Any, ...]]) -> Counter[tuple[Any, ...]]:
    return Counter(tuple(number(cell) for cell in row) for row in rows)


def verdict(case: dict[str, Any], run: Run) -> str:
    tables = []
    for side in ("gold_sql", "predicted_sql"):
        try:
            tables.append(bag(run(case["db_id"], case[side])))
        except Exception as error:
            # What a driver raises for a statement; a lost connection must not pass for it.
            assert "connection" not in str(error).lower()
            return f"{side} fails"
    return "same rows" if tables[0] == tables[1] else "other rows"


def verdicts(cases: Cases, run: Run) -> dict[str, str]:
    return {
        f"{case['question_id']}: {case['shows']}": verdict(case, run)
        for case in cases
        if case.get("predicted_sql") and case["expected"]["strict"] not in HOSTILE
    }


@pytest.mark.parametrize("db_id", DATABASES)
def test_tables_are_the_same(run_sqlite: Run, run_elsewhere: Run, db_id: str) -> None:
    for table in TABLES[db_id]:
        sql = f"SELECT * FROM {table}"
        assert bag(run_elsewhere(db_id, sql)) == bag(run_sqlite(db_id, sql))


def test_verdicts_are_the_same(demo_cases: Cases, run_sqlite: Run, run_elsewhere: Run) -> None:
    expected = verdicts(demo_cases, run_sqlite)
    assert len(expected) > 60
    assert verdicts(demo_cases, run_elsewhere) == expected


def test_references_give_the_same_rows(
    demo_cases: Cases, run_sqlite: Run, run_elsewhere: Run
) -> None:
    for case in demo_cases:
        if case["expected"]["strict"] == "reference_error" or case["question_id"] == CUTS_A_TIE:
            continue
        left, right = (
            Counter(
                tuple(rounded(cell) for cell in row)
                for row in bag(run(case["db_id"], case["gold_sql"])).elements()
            )
            for run in (run_sqlite, run_elsewhere)
        )
        assert left == right, case["question_id"]
