"""Result tables as people see them, on evidence as the execution judge writes it."""

from __future__ import annotations

from typing import Any

import pytest
from report_sample import LIGHTHOUSES_EVIDENCE

from sqljury.case import Json
from sqljury.execution import ResultTable
from sqljury.reports.evidence import cell_text, other_evidence, said, sentences, shown_tables
from sqljury.tables import compare, explain, make_policy, render_cell
from sqljury.verdict import Verdict


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        (None, "NULL"),
        ("NULL", "'NULL'"),
        ("None", "'None'"),
        ("", "''"),
        (0, "0"),
        ("0", "'0'"),
        ("00123", "'00123'"),
        (123, "123"),
        (1.0, "1.0"),
        ("1.0", "'1.0'"),
        ("-.5e3", "'-.5e3'"),
        (True, "true"),
        ("true", "'true'"),
        ("12345678901234567890", "12345678901234567890"),
        ("2024-05-01", "2024-05-01"),
        ("a b", "a b"),
        (" a", "' a'"),
        ("a\nb\tc", "a\\nb\\tc"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("x" * 50, f"{'x' * 40}… (10 more)"),
        ([1, "a"], '[1, "a"]'),
    ],
)
def test_cell_text(cell: Json, expected: str) -> None:
    assert cell_text(cell, 40) == expected


def test_marks_of_the_contract() -> None:
    tables = shown_tables(LIGHTHOUSES_EVIDENCE)
    assert tables is not None
    reference, prediction = tables
    assert [row.differs for row in reference.rows] == [False, True, False]
    assert [sorted(row.differing) for row in reference.rows] == [[], [1], []]
    assert [sorted(row.differing) for row in prediction.rows] == [[], [1], [], [0, 1]]
    assert (reference.is_numeric(0), reference.is_numeric(1)) == (False, True)


@pytest.mark.parametrize(
    "evidence",
    [
        {},
        {"reference": {"columns": ["a"], "rows": [[1]]}},
        {"reference": "SELECT 1", "prediction": [1]},
        {"reference": {"columns": "a", "rows": []}, "prediction": {"columns": [], "rows": []}},
        {"reference": {"columns": [], "rows": [1]}, "prediction": {"columns": [], "rows": []}},
    ],
)
def test_other_evidence_is_no_table(evidence: dict[str, Json]) -> None:
    assert shown_tables(evidence) is None


def test_ragged_and_bare_tables_are_shown() -> None:
    side = {"columns": ["a", "b"], "rows": [[1], [1, 2, 3]]}
    tables = shown_tables({"reference": side, "prediction": side})
    assert tables is not None
    assert tables[0].row_count == 2
    assert [tables[0].is_numeric(column) for column in (0, 1)] == [True, True]


def _evidence(a: list[tuple[Any, ...]], b: list[tuple[Any, ...]], policy: str) -> dict[str, Json]:
    """What the execution judge keeps, from the real comparison."""
    left, right = (ResultTable(tuple("abc"[: len(rows[0])]), rows) for rows in (a, b))
    rules = make_policy(policy)
    result = compare(left, right, rules)
    assert result.equal is False
    found = explain(left, right, rules, result).to_dict()
    sides = {
        name: {
            "columns": list(table.columns),
            "rows": [[render_cell(cell) for cell in row] for row in table.rows[:20]],
            "row_count": len(table.rows),
            "marks": [],
        }
        for name, table in (("reference", left), ("prediction", right))
    }
    return {"explanation": found, **sides}


def test_real_explanations_mark_their_cells() -> None:
    evidence = _evidence([(1, "x"), (2, "y")], [(1, "x"), (2, None)], "strict")
    tables = shown_tables(evidence)
    assert tables is not None
    assert [sorted(row.differing) for row in tables[0].rows] == [[], [1]]
    assert [sorted(row.differing) for row in tables[1].rows] == [[], [1]]
    assert any("NULL" in sentence for sentence in sentences(evidence))
    assert other_evidence(evidence) == {}


def test_a_difference_far_down_is_shown_with_its_number() -> None:
    rows = [(i, i) for i in range(500)]
    tables = shown_tables(_evidence(rows, [*rows[:400], (400, -1), *rows[401:]], "strict"))
    assert tables is not None
    last = tables[0].rows[-1]
    assert (last.number, last.differs, last.cells) == (401, True, (400, 400))
    assert tables[0].hidden == 479


def test_unknown_evidence_is_kept_by_name() -> None:
    evidence = {"explanation": "because", "votes": [1, 0], "reference": [1.5], "prediction": None}
    assert sentences(evidence) == ["because"]
    assert other_evidence(evidence) == {"votes": [1, 0], "reference": [1.5], "prediction": None}


@pytest.mark.parametrize(
    ("reason", "expected"),
    [
        ("A. B.", ["A.", "B."]),
        ("A.", ["A.", "B."]),
        ("", ["A.", "B."]),
        ("why", ["why", "A.", "B."]),
    ],
)
def test_a_reason_made_of_the_findings_is_not_repeated(reason: str, expected: list[str]) -> None:
    findings = [{"kind": "values", "text": text} for text in ("A.", "B.")]
    verdict = Verdict.incorrect(reason, evidence={"explanation": {"findings": findings}})
    assert said(verdict) == expected
    assert said(Verdict.correct("same rows")) == ["same rows"]
