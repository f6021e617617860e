"""The cases: what each prediction gives, what the reference gives, and what people say."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any

import pytest
from demo_engines import Run

from sqljury.demo import DATABASES

# Checked by hand against question and data: the case, what the prediction and what the
# reference give (the one value, else the number of rows), whether they give the same rows as a
# bag, and whether the prediction answers the question for a careful person.
CHECKED = [
    (1, "4", "4", True, True),
    (2, "6 rows", "6 rows", False, False),
    (3, "6 rows", "3 rows", False, False),
    (4, "11 rows", "18 rows", False, False),
    (5, "9 rows", "10 rows", False, False),
    (6, "12 rows", "16 rows", False, False),
    (7, "55 rows", "4 rows", False, False),
    (8, "7 rows", "13 rows", False, False),
    (9, "0", "5", False, False),
    (10, "6 rows", "6 rows", True, False),
    (11, "40 rows", "3 rows", False, False),
    (12, "300", "850", False, False),
    (13, "0 rows", "8 rows", False, False),
    (14, "11 rows", "11 rows", False, False),
    (16, "6 rows", "6 rows", True, True),
    (17, "5 rows", "5 rows", True, True),
    (18, "3 rows", "3 rows", True, True),
    (19, "9 rows", "9 rows", True, True),
    (20, "11", "0", False, True),
    (21, "9 rows", "9 rows", False, True),
    (22, "3 rows", "3 rows", True, True),
    (23, "9 rows", "9 rows", False, True),
    (24, "11 rows", "11 rows", False, True),
    (25, "2 rows", "2 rows", True, False),
    (26, "6 rows", "6 rows", True, True),
    (27, "5 rows", "5 rows", True, True),
    (28, "10 rows", "10 rows", True, True),
    (29, "3 rows", "3 rows", False, True),
    (36, "2", "3", False, False),
    (37, "47", "54", False, False),
    (38, "3.9166666666666665", "5.0", False, False),
    (39, "'car'", "'adult'", False, True),
    (41, "7", "8", False, True),
    (42, "2 rows", "2 rows", True, True),
    (43, "13", "4", False, False),
    (44, "4 rows", "4 rows", True, True),
    (45, "16 rows", "8 rows", False, False),
    (46, "8 rows", "8 rows", True, True),
    (47, "10", "12", False, False),
    (48, "'Eider'", "2 rows", False, False),
    (49, "2 rows", "2 rows", True, True),
    (50, "10.0", "10.0", True, True),
    (51, "3", "3", True, False),
    (52, "6 rows", "6 rows", False, False),
    (54, "2 rows", "'accordion'", False, False),
    (55, "8", "6", False, False),
    (56, "'Ewan Muir'", "'Wilma Stein'", False, False),
    (57, "34.25", "69.0", False, False),
    (58, "18 rows", "18 rows", True, True),
    (59, "6 rows", "6 rows", False, False),
    (60, "2 rows", "2 rows", True, True),
    (61, "3 rows", "3 rows", True, True),
    (62, "1", "11", False, False),
    (63, "3 rows", "5 rows", False, False),
    (64, "4 rows", "4 rows", True, True),
    (65, "9 rows", "10 rows", False, False),
    (66, "3", "3", True, True),
    (67, "8 rows", "9 rows", False, False),
    (68, "4 rows", "6 rows", False, True),
    (69, "'SILVERLINE'", "'Silverline'", False, True),
    (70, "48.67", "48.666666666666664", False, True),
    (72, "'cork sheet'", "'cork sheet'", True, True),
    (74, "190.75", "190.75", True, True),
    (75, "9 rows", "6 rows", False, False),
]

# Labels that the rows contradict on purpose: what execution alone cannot see.
WRONG_THOUGH_ROWS_AGREE = {10, 25, 51}
RIGHT_THOUGH_ROWS_DIFFER = {20, 21, 23, 24, 29, 39, 41, 68, 69, 70}

# Never run here; the engines of sqljury refuse them or stop them.
HOSTILE = {"prediction_refused", "prediction_too_large", "prediction_timeout"}
WITHOUT_SQL = {"abstained", "prediction_missing"}

Cases = list[dict[str, Any]]


def brief(rows: list[tuple[Any, ...]]) -> str:
    return repr(rows[0][0]) if len(rows) == 1 and len(rows[0]) == 1 else f"{len(rows)} rows"


def test_ids_count_from_one(demo_cases: Cases) -> None:
    assert [case["question_id"] for case in demo_cases] == list(range(1, len(demo_cases) + 1))


def test_every_case_is_complete(demo_cases: Cases) -> None:
    for case in demo_cases:
        assert case["db_id"] in DATABASES
        assert case["difficulty"] in ("simple", "moderate", "challenging")
        assert isinstance(case["label"], bool)
        assert isinstance(case["evidence"], str)
        assert case["question"].endswith((".", "?"))
        assert case["gold_sql"]
        assert list(case["expected"]) == ["strict", "spider", "bird", "intent"]
        assert case["shows"]


def test_each_case_shows_something_of_its_own(demo_cases: Cases) -> None:
    assert len({case["shows"] for case in demo_cases}) == len(demo_cases)


@pytest.mark.parametrize(("number", "predicted", "reference", "same", "label"), CHECKED)
def test_rows_and_label_are_as_checked_by_hand(
    demo_cases: Cases,
    run_sqlite: Run,
    number: int,
    predicted: str,
    reference: str,
    same: bool,
    label: bool,
) -> None:
    case = demo_cases[number - 1]
    left = run_sqlite(case["db_id"], case["predicted_sql"])
    right = run_sqlite(case["db_id"], case["gold_sql"])
    assert (brief(left), brief(right)) == (predicted, reference)
    assert (Counter(left) == Counter(right), case["label"]) == (same, label)


def test_exactly_these_labels_contradict_the_rows() -> None:
    assert {n for n, _, _, same, label in CHECKED if same and not label} == WRONG_THOUGH_ROWS_AGREE
    assert {n for n, _, _, same, label in CHECKED if label and not same} == RIGHT_THOUGH_ROWS_DIFFER


def test_every_other_case_does_not_run(demo_cases: Cases, run_sqlite: Run) -> None:
    checked = {number for number, *_ in CHECKED}
    for case in demo_cases:
        if case["question_id"] in checked:
            continue
        outcome = case["expected"]["strict"]
        assert set(case["expected"].values()) == {outcome}
        if outcome != "reference_error":
            run_sqlite(case["db_id"], case["gold_sql"])
        if outcome in WITHOUT_SQL:
            assert case.get("predicted_sql") is None
        elif outcome == "prediction_error" and case["predicted_sql"]:
            with pytest.raises(sqlite3.OperationalError):
                run_sqlite(case["db_id"], case["predicted_sql"])
        elif outcome == "reference_error":
            assert run_sqlite(case["db_id"], case["predicted_sql"]) == [("17:05",)]
            with pytest.raises(sqlite3.OperationalError):
                run_sqlite(case["db_id"], case["gold_sql"])
        else:
            assert outcome in HOSTILE or case["predicted_sql"] == ""


def test_null_and_missing_are_told_apart(demo_cases: Cases) -> None:
    for case in demo_cases:
        outcome = case["expected"]["strict"]
        assert (outcome == "prediction_missing") == ("predicted_sql" not in case)
        assert (outcome == "abstained") == (case.get("predicted_sql", "") is None)


def test_all_outcomes_of_the_demonstration_occur(demo_cases: Cases) -> None:
    assert {case["expected"]["strict"] for case in demo_cases} == {
        "correct",
        "incorrect",
        "prediction_error",
        "prediction_missing",
        "prediction_refused",
        "prediction_timeout",
        "prediction_too_large",
        "abstained",
        "reference_error",
    }
