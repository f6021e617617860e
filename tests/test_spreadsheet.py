"""No cell of a CSV file is run by a spreadsheet, and what was written is read again."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sqljury.benchmarks import read_results
from sqljury.case import Case
from sqljury.reports import export
from sqljury.spreadsheet import SafeRows, as_it_was, as_text
from sqljury.verdict import Record, Verdict

FORMULAS = [
    '=HYPERLINK("http://x","y")',
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "'=1",
    "\uff1d1",
]
NUMBERS = ["-1", "+2.5", "-1e-3", "7", "-.5"]


@pytest.mark.parametrize("text", FORMULAS)
def test_formulas_become_text(text: str) -> None:
    assert as_text(text) == f"'{text}"


@pytest.mark.parametrize("text", [*NUMBERS, "", "plain", "a=b", " =1"])
def test_the_rest_stays(text: str) -> None:
    assert as_text(text) == text


@pytest.mark.parametrize("text", ["\r=1+1", "a\r=1+1", "a\r\n=1+1", "a\n=1+1"])
def test_no_line_end_within_a_cell_begins_a_row(text: str) -> None:
    file = io.StringIO(newline="")
    SafeRows(file).write(["x", text, 1])
    row = file.getvalue()
    assert row == f'x,"{as_text(text)}",1\n'
    assert [as_it_was(cell) for cell in next(csv.reader([row]))] == ["x", text, "1"]


@given(st.text(alphabet="'=+-@\t\r\n1ax.e", max_size=6))
def test_there_and_back(text: str) -> None:
    assert as_it_was(as_text(text)) == text


def test_a_run_is_written_without_formulas_and_read_again(tmp_path: Path) -> None:
    path = tmp_path / "records.csv"
    verdict = Verdict.incorrect('=cmd|"/c calc"!A1')
    records = [
        Record(
            case=Case(id=text, label=False, benchmark="=b", source="@s", db_id="-d"),
            judge="=judge",
            verdict=replace(verdict, score=0.5),
        )
        for text in (*FORMULAS[:4], *NUMBERS)
    ]
    export.write_csv(path, records)
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            for cell in row:
                assert cell[:1] not in "=+-@\t\r" or cell in ("", *NUMBERS), cell
    (judge,) = read_results(path)
    assert judge == "=judge"
    rows = read_results(path)[judge]
    assert [row.id for row in rows] == [f"{record.case.id}/@s" for record in records]
    assert {(row.benchmark, row.slices["db_id"], row.score) for row in rows} == {("=b", "-d", 0.5)}
