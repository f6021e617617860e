"""The policy spider2: columns compared one by one, as Spider 2.0's script does, with its holes."""

from __future__ import annotations

import pytest

from sqljury.errors import InputError
from sqljury.execution import ResultTable
from sqljury.stored_table import ReferenceTable, StoredTable
from sqljury.tables import POLICIES, compare, compare_stored, compare_tables, make_policy

SPIDER2 = POLICIES["spider2"]

# reference, prediction, equal with the order of rows free, equal where it counts
PAIRS = [
    ("the same", [(1, "a"), (2, "b")], [(1, "a"), (2, "b")], True, True),
    ("rows in another order", [(1, "a"), (2, "b")], [(2, "b"), (1, "a")], True, False),
    ("row association lost", [(1, "a"), (2, "b")], [(1, "b"), (2, "a")], True, False),
    ("columns in another order", [(1, "a")], [("a", 1)], True, True),
    ("an extra column", [(1,), (2,)], [(7, 1), (8, 2)], True, True),
    ("a missing column", [(1, "a")], [(1,)], False, False),
    ("one column for two", [(1, 1), (2, 2)], [(1,), (2,)], True, True),
    ("a row too many", [(1,)], [(1,), (1,)], False, False),
    ("empty against a row", [(1,)], [], False, False),
    ("NULL and 0", [(None,), (1,)], [(0,), (1,)], True, True),
    ("NULL and 0 among texts", [(None,), ("a",)], [(0,), ("a",)], False, False),
    ("within 0.01", [(1.0,), (2.5,)], [(1.009,), (2.5,)], True, True),
    ("beyond 0.01", [(1.0,), (2.5,)], [(1.011,), (2.5,)], False, False),
    ("within a billionth", [(1e12,)], [(1e12 + 900,)], True, True),
    ("text and number", [("1",)], [(1,)], True, True),
    ("leading zeros", [("007",)], [(7,)], True, True),
    ("text and number beside a word", [("1",), ("a",)], [(1.0,), ("a",)], False, False),
    ("case", [("Ann",)], [("ann",)], False, False),
    ("true and 1", [(True,)], [(1,)], True, True),
    ("the word None", [("None",)], [(0,)], True, True),
    # Sorted by their texts, 9 and 10 stand in another order than 9.0 and 10.005.
    ("numbers sorted as texts", [(9,), (10,)], [(10.005,), (9,)], True, False),
    ("texts of numbers sorted apart", [(9.999,), (10.5,)], [(10.0,), (10.5,)], False, True),
]


def table(rows):
    return ResultTable(tuple(f"c{i}" for i in range(len(rows[0]) if rows else 1)), list(rows))


@pytest.mark.parametrize(
    ("reference", "prediction", "free", "ordered"),
    [pytest.param(*rest, id=name) for name, *rest in PAIRS],
)
def test_pairs(reference, prediction, free, ordered):
    a, b = table(reference), table(prediction)
    assert compare(a, b, SPIDER2).equal is free
    assert compare(a, b, SPIDER2, ordered=True).equal is ordered


def test_the_sentence_names_the_column_and_a_cell():
    found = compare_tables([(1, "a"), (2, "b")], [(1, "a"), (2, "c")], "spider2")
    assert found.explanation.text == (
        "No column of the prediction equals the reference's column 2; column 2 differs in 1 of 2 "
        "cells: 'c' instead of 'b'."
    )
    found = compare_tables([(1,)], [(1,), (2,)], "spider2", ordered=True)
    assert found.explanation.text == "The reference has 1 rows, the prediction 2."


@pytest.mark.parametrize(
    "settings", [{"values": "typed"}, {"duplicates": "bag"}, {"extra_columns": False}]
)
def test_settings_that_the_script_does_not_have(settings):
    with pytest.raises(InputError, match="SJ603"):
        make_policy("spider2", **settings)


# ---------------------------------------------------------------- columns that count


def stored(*rows, kind=StoredTable, **fields):
    columns = tuple(f"c{i}" for i in range(len(rows[0])))
    return kind(columns=columns, rows=tuple(rows), is_text=True, **fields)


REFERENCE = [("1", "x", "2.5"), ("2", "y", "3.5")]
# the prediction's rows, and the policies that accept it where columns 0 and 2 count
COUNTED = [
    ("the same", REFERENCE, "strict spider bird rose spider2 ehrsql intent"),
    ("another value where it does not count", [("1", "q", "2.5"), ("2", "r", "3.5")], "strict "
     "spider bird rose spider2 ehrsql intent"),
    ("only what counts", [("1", "2.5"), ("2", "3.5")], "strict spider bird rose spider2 ehrsql intent"),
    ("in another order", [("2.5", "1"), ("3.5", "2")], "spider rose spider2 intent"),
    ("a column that counts is missing", [("1", "x"), ("2", "y")], ""),
    ("only one of two", [("1",), ("2",)], ""),
    ("an extra column", [("1", "x", "2.5", "z"), ("2", "y", "3.5", "z")], "spider2 intent"),
    ("values of other rows", [("1", "x", "3.5"), ("2", "y", "2.5")], "rose spider2"),
    ("rows in another order", REFERENCE[::-1], "strict spider bird rose spider2 ehrsql intent"),
    ("another notation", [("1.0", "x", "2.50"), ("2.0", "y", "3.5")], "strict spider bird "
     "spider2 ehrsql intent"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "accepting"), [pytest.param(*rest, id=name) for name, *rest in COUNTED]
)
def test_columns_that_count(rows, accepting):
    reference = stored(*REFERENCE, kind=ReferenceTable, counted=(0, 2))
    found = [
        name
        for name, policy in POLICIES.items()
        if compare_stored(reference, stored(*rows), policy)[0].equal
    ]
    assert found == accepting.split()


def test_without_stated_columns_the_policy_decides():
    reference = stored(*REFERENCE, kind=ReferenceTable)
    fewer = stored(("1", "x"), ("2", "y"))
    assert compare_stored(reference, fewer, POLICIES["intent"])[0].notes == ("extra_columns",)
    assert not compare_stored(reference, fewer, POLICIES["spider2"])[0].equal


def test_a_reference_may_count_the_order_of_rows():
    reference = stored(*REFERENCE, kind=ReferenceTable, ordered=True)
    for name, equal in {"strict": False, "bird": True, "intent": False, "spider2": False}.items():
        found = compare_stored(reference, stored(*REFERENCE[::-1]), POLICIES[name])[0]
        assert found.equal is equal, name
