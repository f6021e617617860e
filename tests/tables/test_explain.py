"""Explanations as a table: what differs, and the sentence that says so."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest

from sqljury.execution import ResultTable
from sqljury.tables import POLICIES, compare, compare_tables, explain, make_policy, render_cell


def named(rows, *columns):
    return ResultTable(columns, [tuple(row) for row in rows])


PEOPLE = named([(1, "Ann"), (2, "Bob"), (3, "Cid")], "id", "name")

# reference, prediction, kinds, the whole text
EXPLAINED = [
    (
        PEOPLE,
        named([(1, "Ann"), (2, "Bob"), (3, "cid")], "id", "name"),
        "text_case",
        "The values differ only in case or space. "
        "Row 3, column 2 (name): reference 'Cid', prediction 'cid'.",
    ),
    (
        PEOPLE,
        named([(1, "Ann"), (3, "Cyd"), (2, "Bob")], "id", "name"),
        "values",
        "Reference row 3, prediction 2, column 2 (name): reference 'Cid', prediction 'Cyd'.",
    ),
    (
        PEOPLE,
        named([("1", "Ann"), ("2", "Bob"), ("3", "Cid")], "id", "name"),
        "types",
        "The values would be equal but for their types. "
        "Row 1, column 1 (id): reference 1 (integer), prediction '1' (text). "
        "Row 2, column 1 (id): reference 2 (integer), prediction '2' (text). "
        "Row 3, column 1 (id): reference 3 (integer), prediction '3' (text).",
    ),
    (
        named([(0.3333333, 1)], "share", "n"),
        named([(0.33, 1)], "share", "n"),
        "rounding",
        "The values differ only in rounding. "
        "Row 1, column 1 (share): reference 0.3333333, prediction 0.33.",
    ),
    (
        named([(Decimal("0.10000000000000000001"), 1)], "share", "n"),
        named([(Decimal("0.1"), 1)], "share", "n"),
        "rounding",
        "The values differ only in rounding. "
        "Row 1, column 1 (share): reference 0.10000000000000000001, prediction 0.1.",
    ),
    (
        named([(None, 1)], "a", "b"),
        named([("None", 1)], "a", "b"),
        "null",
        "Row 1, column 1 (a): reference NULL, prediction 'None'.",
    ),
    (
        PEOPLE,
        named([], "id", "name"),
        "empty",
        "The prediction is empty, the reference has 3 rows.",
    ),
    (
        named([], "id"),
        named([(1,)], "id"),
        "empty",
        "The reference is empty, the prediction has 1 row.",
    ),
    (
        PEOPLE,
        named(PEOPLE.rows[:2], "id", "name"),
        "row_count subset",
        "The reference has 3 rows, the prediction 2. "
        "1 row is only in the reference (row 3: (3, 'Cid')); "
        "the prediction has no row of its own.",
    ),
    (
        PEOPLE,
        named([*PEOPLE.rows, (4, "Dan")], "id", "name"),
        "row_count superset",
        "The reference has 3 rows, the prediction 4. "
        "1 row is only in the prediction (row 4: (4, 'Dan')); "
        "the reference has no row of its own.",
    ),
    (
        named([("x",), ("x",), ("a",)], "v"),
        named([("a",), ("a",), ("x",)], "v"),
        "duplicates",
        "The distinct rows are the same but not as often: "
        "('x') stands 2 times in the reference, once in the prediction.",
    ),
    (
        named([("x",), ("x",), ("a",)], "v"),
        named([("y",), ("y",), ("a",)], "v"),
        "values",
        "2 rows are only in the reference (row 1: ('x')), "
        "2 rows are only in the prediction (row 1: ('y')).",
    ),
    (
        PEOPLE,
        named([(name, n) for n, name in PEOPLE.rows], "name", "id"),
        "column_order",
        "Only the order of columns differs: the tables would be equal with the prediction's "
        "columns in the order 2, 1.",
    ),
    (
        PEOPLE,
        named([(name, 0, n) for n, name in PEOPLE.rows], "name", "zero", "id"),
        "column_count",
        "The reference has 2 columns (id, name), the prediction 3 (name, zero, id). "
        "Without the prediction's column 2 (zero) the tables would be equal.",
    ),
    (
        PEOPLE,
        named([(name,) for _, name in PEOPLE.rows], "name"),
        "column_count",
        "The reference has 2 columns (id, name), the prediction 1 (name). "
        "Without the reference's column 1 (id) the tables would be equal.",
    ),
]


@pytest.mark.parametrize(("a", "b", "kinds", "text"), EXPLAINED)
def test_explanations(a, b, kinds, text):
    found = compare_tables(a, b).explanation
    assert found.text == text
    assert " ".join(found.kinds) == kinds
    json.dumps(found.to_dict(), allow_nan=False)


ORDER = named([("a", 3), ("b", 2), ("c", 2), ("d", 1)], "name", "n")


@pytest.mark.parametrize(
    ("places", "policy", "ties", "kind", "text"),
    [
        ((3, 2, 1, 0), "strict", None, "row_order", "The same rows stand in the reverse order."),
        (
            (0, 1, 3, 2),
            "strict",
            [0, 1, 1, 2],
            "row_order",
            "The same rows stand in another order: row 3 is ('c', 2) in the reference, "
            "('d', 1) in the prediction.",
        ),
        (
            (0, 2, 1, 3),
            "spider",
            [0, 1, 1, 2],
            "tie",
            "Only rows that the reference's ORDER BY does not tell apart stand in another order, "
            "which this policy counts.",
        ),
    ],
)
def test_order(places, policy, ties, kind, text):
    other = ResultTable(ORDER.columns, [ORDER.rows[i] for i in places])
    rules = POLICIES[policy]
    comparison = compare(ORDER, other, rules, ordered=True, ties=ties)
    found = explain(ORDER, other, rules, comparison, ordered=True, ties=ties)
    assert found.kinds == (kind,)
    assert found.text == text


def test_the_fewest_rows_with_their_places():
    rows = [(i, i % 7) for i in range(100)]
    other = [*rows[:50], (50, 99), *rows[51:90], *rows[91:]]
    found = compare_tables(rows, other).explanation
    assert (found.missing.total, found.extra.total) == (2, 1)
    assert [i for i, _ in found.missing.rows] == [50, 90]
    assert [i for i, _ in found.extra.rows] == [50]
    (cell,) = found.cells
    assert (cell.reference_row, cell.candidate_row, cell.reference_column) == (50, 50, 1)
    assert (cell.reference, cell.candidate) == (1, 99)


def test_only_the_first_rows_are_kept():
    found = compare_tables([(i,) for i in range(1000)], [(-i,) for i in range(1, 500)]).explanation
    assert (found.missing.total, len(found.missing.rows)) == (1000, 20)
    assert (found.extra.total, len(found.extra.rows)) == (499, 20)


def test_columns_are_aligned_before_cells_are_compared():
    rows = [(i, f"n{i}") for i in range(9)]
    other = [(name, n) for n, name in rows[:8]] + [("n8", 80)]
    found = compare_tables(rows, other, "spider").explanation
    assert found.text == "Row 9, column 1: reference 8, prediction 80."
    assert found.column_mapping == (1, 0)


def test_what_the_policy_forgives_is_not_named():
    rows = [("Ann", 0.1 + 0.2, Decimal("1.1"), 1), ("Bob", 1.0, Decimal("1.1"), 2)]
    other = [("ann", 0.3, 1.1, 7), ("BOB", 1.0, 1.1, 2)]
    found = compare_tables(rows, other, "intent").explanation
    assert found.text == "Row 1, column 4: reference 1, prediction 7."
    assert (found.missing.total, found.extra.total) == (1, 1)


def test_unknown_says_so():
    comparison = compare_tables(*_triangles_and_hexagon(), "spider")
    assert comparison.equal is None
    assert "gave up" in comparison.explanation.text
    assert not comparison


def _triangles_and_hexagon():
    """Twelve triangles, and ten with a hexagon, as edge tables: locally they look the same."""
    triangles = [[3 * i + a, 3 * i + b] for i in range(12) for a, b in ((0, 1), (1, 2), (0, 2))]
    hexagon = [[30 + i, 30 + (i + 1) % 6] for i in range(6)]
    return _incidence(triangles), _incidence(triangles[:30] + hexagon)


def _incidence(edges):
    return [tuple(int(i in edge) for i in range(36)) for edge in edges]


@pytest.mark.parametrize(
    ("value", "rendered"),
    [
        (None, None),
        ("", ""),
        ("1", "1"),
        (1, 1),
        (True, True),
        (2**60, str(2**60)),
        (1.5, 1.5),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
        (Decimal("1.50"), 1.5),
        (Decimal("0.12345678901234567890"), "0.12345678901234567890"),
        (Decimal("NaN"), "NaN"),
        (b"\x00\xff", "x'00ff'"),
        (b"a" * 1000, f"x'{'61' * 150}'… (1000 bytes)"),
        ("a" * 1000, f"{'a' * 300}… (1000 characters)"),
        ("\ud800", "\\ud800"),
        (date(2020, 1, 2), "2020-01-02"),
        (datetime(2020, 1, 2, 3, tzinfo=UTC), "2020-01-02 03:00:00+00:00"),
        ([1, None, "a"], '[1, null, "a"]'),
        ({"a": Decimal("1.5")}, '{"a": "1.5"}'),
    ],
)
def test_rendered_cells(value, rendered):
    found = render_cell(value)
    assert found == rendered
    assert type(found) is type(rendered)
    json.dumps(found, allow_nan=False).encode()


def test_large_tables_are_explained_in_bounded_work():
    rows = [(i, f"n{i}", i / 3) for i in range(50_000)]
    other = [(i, f"n{i}", round(i / 3, 2)) for i in range(50_000)]
    found = compare_tables(rows, other, make_policy("strict")).explanation
    assert found.missing.total == 33_333
    assert len(found.cells) == 20
    assert "rounding" in found.kinds
