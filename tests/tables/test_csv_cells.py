"""Cells of CSV files: our types, and those that pandas gives them."""

from __future__ import annotations

import csv
import io
import random
from datetime import date, datetime, timedelta
from decimal import Decimal

import pytest

from sqljury.execution import ResultTable
from sqljury.stored_table import StoredTable
from sqljury.tables import paired
from sqljury.tables.csv_cells import as_pandas_reads, typed, written

TYPED = [
    ("1 2", [1, 2]),
    ("1 2.0", [1.0, 2.0]),
    ("1 . -3", [1, None, -3]),
    ("007 8", ["007", "8"]),
    ("1e3 .5 5.", [1000.0, 0.5, 5.0]),
    ("true False TRUE", [True, False, True]),
    ("true 1", ["true", "1"]),
    ("NULL nan", ["NULL", "nan"]),
    ("1_000 +5", ["1_000", "+5"]),
    ("- e5", ["-", "e5"]),
    (f"{2**70}", [2**70]),
]


@pytest.mark.parametrize(("texts", "cells"), TYPED)
def test_typed(texts, cells):
    found = typed(["" if text == "." else text for text in texts.split()])
    assert found == cells
    assert list(map(type, found)) == list(map(type, cells))


def test_written_as_to_csv_writes():
    day, noon = datetime(2020, 1, 2), datetime(2020, 1, 2, 12)
    rows = [
        (1, None, 0.5, True, day, day, date(2020, 1, 2), Decimal("1.50"), timedelta(days=1)),
        (2, float("nan"), 2.0, False, None, noon, None, None, None),
    ]
    assert written(rows) == [
        ["1", "2"],
        ["", ""],
        ["0.5", "2.0"],
        ["True", "False"],
        ["2020-01-02", ""],
        ["2020-01-02 00:00:00", "2020-01-02 12:00:00"],
        ["2020-01-02", ""],
        ["1.50", ""],
        ["1 days 00:00:00", ""],
    ]


def test_tables_are_compared_in_the_poorer_notation():
    live = ResultTable(("d", "n"), [(date(2020, 1, 2), Decimal("1.50"))])
    text = StoredTable(columns=("d", "n"), rows=(("2020-01-02", "1.5"),), is_text=True)
    json = StoredTable(columns=("d", "n"), rows=(("2020-01-02", 1.5),))
    for stored in (text, json):
        left, right = paired(stored, live)
        assert left.rows == right.rows == [("2020-01-02", 1.5)]


# Texts on which pandas' types hang: signs, gaps, 64 bits, words for missing cells.
TEXTS = (
    *["", "1", "2", "10", "-3", "007", "1.5", "2.0", "1e5", "1E-3", ".5", "5.", "abc", "True", "False", "true", "NA", "None", "null", "nan", "inf", "-inf", "1e400", "1e-400", "0x10", "1e", "+", "-", ".", "2020-01-01", "+5", "1_000"],
    *(" 4", "5 ", f"{2**63 - 1}", f"{2**63}", f"{2**64 - 1}", f"{10**20}", f"{-(2**63)}"),
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_as_pandas_reads(seed):
    pandas = pytest.importorskip("pandas", minversion="3.0")
    rng = random.Random(seed)
    for _ in range(150):
        height = rng.randint(1, 5)
        columns = [
            rng.choices(rng.sample(TEXTS, rng.randint(1, 4)), k=height)
            for _ in range(rng.randint(1, 4))
        ]
        file = io.StringIO()
        csv.writer(file).writerows([range(len(columns)), *zip(*columns, strict=True)])
        file.seek(0)
        wanted = pandas.read_csv(file).transpose().values.tolist()
        assert _typed(as_pandas_reads(columns)) == _typed(wanted), columns


def _typed(columns):
    return [
        ["missing" if cell != cell else (type(cell), cell) for cell in column] for column in columns
    ]
