"""The comparator as a table: pairs of small tables and what each policy says of them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from itertools import product

import pytest

from sqljury.errors import InputError
from sqljury.execution import ResultTable
from sqljury.tables import POLICIES, MismatchKind, Policy, compare, compare_tables, make_policy

NAN = float("nan")


def table(rows, width=None):
    rows = [tuple(row) for row in rows]
    if width is None:
        width = len(rows[0]) if rows else 1
    return ResultTable(tuple(f"c{i}" for i in range(width)), rows)


def said(a, b, policy="strict", **options):
    rules = make_policy(policy) if isinstance(policy, str) else policy
    return compare(table(a), table(b), rules, **options)


# spider2 gives the reference and the prediction different roles: test_by_column.py; for ehrsql see
# benchmarks/test_benchmarks_of_today.py
SYMMETRIC = [name for name in POLICIES if name not in ("spider2", "ehrsql")]

# reference, prediction, the policies that call them equal
ALL = "strict spider bird rose intent"
PAIRS = [
    ("row association lost", [(1, 2), (3, 4)], [(1, 3), (2, 4)], "rose"),
    ("row association crossed", [(1, 2), (3, 4)], [(1, 4), (3, 2)], "rose"),
    ("rows in another order", [(1, 2), (3, 4)], [(3, 4), (1, 2)], ALL),
    ("columns in another order", [(1, "a"), (2, "b")], [("a", 1), ("b", 2)], "spider rose intent"),
    ("other doublets", [("x",), ("x",), ("a",)], [("y",), ("y",), ("a",)], "rose"),
    ("other counts", [("x",), ("x",), ("a",)], [("x",), ("a",), ("a",)], "bird intent"),
    ("one row against three", [(1,)], [(1,), (1,), (1,)], "bird intent"),
    ("one row against two", [(1,)], [(1,), (2,)], ""),
    ("empty against one", [], [(1,)], ""),
    ("empty against a NULL", [], [(None,)], ""),
    ("both empty", [], [], ALL),
    ("NULL and 'None'", [(None,)], [("None",)], "rose"),
    ("NULL and ''", [(None,)], [("",)], ""),
    ("NULL and 0", [(None,)], [(0,)], ""),
    ("NULL and 'nan' beside a number", [(None,), (1,)], [("nan",), ("1.0",)], "rose"),
    ("NULL and NULL", [(None,)], [(None,)], ALL),
    ("int and float", [(1,)], [(1.0,)], "strict spider bird intent"),
    ("int and decimal", [(1,)], [(Decimal("1.00"),)], "strict spider bird intent"),
    ("int and boolean", [(1,)], [(True,)], "strict spider bird intent"),
    ("decimal and float", [(Decimal("0.1"),)], [(0.1,)], "strict rose intent"),
    ("text and number", [("1",)], [(1,)], "rose"),
    ("leading zeros", [("00123",)], [(123,)], ""),
    ("case", [("Ann",)], [("ann",)], "intent"),
    ("space", [("New  York",)], [(" New York",)], "intent"),
    ("bytes and text", [(b"a",)], [("a",)], ""),
    ("NaN", [(NAN, 1)], [(float("nan"), 1)], ALL),
    ("minus zero", [(-0.0,)], [(0,)], "strict spider bird intent"),
    ("big integers", [(2**53 + 1,)], [(2**53,)], ""),
    ("big integer and its float", [(2**53 + 1,)], [(float(2**53),)], "intent"),
    ("date and timestamp", [(date(2020, 1, 1),)], [(datetime(2020, 1, 1),)], "intent"),
    ("date and noon", [(date(2020, 1, 1),)], [(datetime(2020, 1, 1, 12),)], ""),
    ("texts of a day", [("2020-01-01",)], [("2020-01-01 00:00:00",)], "intent"),
    ("texts of two days", [("2020-01-01",)], [("2020-01-02 00:00:00",)], ""),
    ("two zones", [("2020-01-01T12:00:00+02:00",)], [("2020-01-01 10:00:00Z",)], "intent"),
    ("two instants", [("2020-01-01T12:00:00+02:00",)], [("2020-01-01 12:00:00Z",)], ""),
    ("no such day", [("2020-02-31",)], [("2020-02-31 00:00",)], ""),
    ("JSON", [('{"a": 1, "b": [2]}',)], [('{"b":[2.0],"a":1}',)], "intent"),
    ("JSON of other values", [('{"a": 1}',)], [('{"a": 2}',)], ""),
    ("JSON and an object", [('{"a": 1}',)], [({"a": 1},)], "intent"),
    ("date and text", [(date(2020, 1, 1),)], [("2020-01-01",)], "rose"),
    ("aware and naive", [(datetime(2020, 1, 1),)], [(datetime(2020, 1, 1, tzinfo=UTC),)], ""),
    ("lists", [([1, 2],), ([3],)], [([3],), ([1.0, 2],)], "strict spider bird intent"),
    ("list order", [([1, 2],)], [([2, 1],)], ""),
    ("dicts", [({"a": 1, "b": NAN},)], [({"b": NAN, "a": 1},)], "strict spider bird intent"),
    ("bytearray", [(b"ab",), (b"c",)], [(bytearray(b"c"),), (memoryview(b"ab"),)], "strict "
     "spider bird intent"),
    ("rounding noise", [(0.1 + 0.2,), (1,)], [(1,), (0.3,)], "intent"),
    ("rounded", [(3.14159,)], [(3.14,)], ""),
    ("integers are never near", [(10_000_000,)], [(10_000_001,)], ""),
    ("an extra column", [(1,), (2,)], [(1, "a"), (2, "b")], "intent"),
    ("a missing column", [(1, "a"), (2, "b")], [("a",), ("b",)], "intent"),
    ("an extra column, wrong", [(1,), (2,)], [(1, "a"), (3, "b")], ""),
    ("an int column with a fraction", [(1,), (2.5,)], [(1.0,), (2.5,)], ALL),
    ("equal but for columns of pairs", [(1, 1), (2, 3)], [(1, 1), (3, 2)], "spider rose intent"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("a", "b", "expected", "policy"),
    [
        pytest.param(a, b, name in equal.split(), name, id=f"{what}-{name}")
        for (what, a, b, equal), name in product(PAIRS, SYMMETRIC)
        # A memoryview's text is its address.
        if (what, name) != ("bytearray", "rose")
    ],
)
def test_policies(a, b, expected, policy):
    assert said(a, b, policy).equal is expected
    assert said(b, a, policy).equal is expected


EMPTY_OF_TWO_WIDTHS = [("strict", False), ("spider", True), ("bird", True), ("rose", False)]


@pytest.mark.parametrize(("policy", "equal"), EMPTY_OF_TWO_WIDTHS)
def test_empty_results_of_different_width(policy, equal):
    found = compare(table([], 1), table([], 2), POLICIES[policy])
    assert found.equal is equal
    assert found.reason == (None if equal else MismatchKind.COLUMN_COUNT)


def test_rose_ignores_what_occurs_twice():
    assert said([(1, 1), (2, 3)], [(4, 4), (2, 3)], "rose").equal
    assert not said([(1, 1), (2, 3)], [(1, 4), (2, 3)], "rose").equal


def test_same_named_columns_both_count():
    left = ResultTable(("id", "id"), [(1, 2)])
    assert not compare(left, ResultTable(("id", "id"), [(1, 1)]), POLICIES["strict"]).equal
    assert not compare(left, ResultTable(("id",), [(1,)]), POLICIES["strict"]).equal
    assert compare(left, ResultTable(("x", "y"), [(1, 2)]), POLICIES["strict"]).equal


ROWS = [("a", 3), ("b", 2), ("c", 2), ("d", 1)]
SWAPPED = [("a", 3), ("c", 2), ("b", 2), ("d", 1)]
REVERSED = ROWS[::-1]
TIES = [0, 1, 1, 2]


@pytest.mark.parametrize(
    ("prediction", "policy", "ties", "equal"),
    [
        (ROWS, "strict", None, True),
        (SWAPPED, "strict", None, False),
        (SWAPPED, "strict", TIES, True),
        (REVERSED, "strict", TIES, False),
        (SWAPPED, "intent", TIES, True),
        (REVERSED, "intent", TIES, False),
        (SWAPPED, "spider", TIES, False),
        (REVERSED, "bird", None, True),
        (REVERSED, "rose", None, True),
        ([(n, name) for name, n in SWAPPED], "intent", TIES, True),
        ([(n, name) for name, n in REVERSED], "intent", TIES, False),
        ([(n, name) for name, n in ROWS], "spider", None, True),
    ],
)
def test_order_and_ties(prediction, policy, ties, equal):
    found = said(ROWS, prediction, policy, ordered=True, ties=ties)
    assert found.equal is equal
    assert found.only_order_differs is not equal


def test_a_row_from_another_tie_is_not_free():
    found = said([(1,), (1,), (2,)], [(1,), (2,), (1,)], ordered=True, ties=[0, 0, 1])
    assert found.equal is False
    assert found.only_order_differs


def test_other_rows_are_not_an_order():
    found = said(ROWS, [("x", 3), *ROWS[1:]], ordered=True)
    assert not found.equal
    assert not found.only_order_differs


def test_order_that_only_another_column_order_gives():
    # Equal as bags in the columns as given, equal as sequences only when they are swapped.
    found = said([(1, 2), (2, 1)], [(2, 1), (1, 2)], "spider", ordered=True)
    assert found.equal
    assert found.column_mapping == (1, 0)


def test_ordered_set_forgives_duplicates_but_not_order():
    rows = [(1,), (1,), (2,)]
    assert said(rows, [(1,), (2,)], "intent", ordered=True).notes == ("duplicates_differ",)
    assert said(rows, [(2,), (1,)], "intent", ordered=True).only_order_differs
    assert said(rows, [(1,), (2,), (1,)], "intent", ordered=True).only_order_differs


def test_ties_must_be_one_for_each_row():
    with pytest.raises(ValueError, match="2 ties for 1"):
        said([(1,)], [(2,)], ordered=True, ties=[0, 0])


NOTES = [
    ([(1, "a")], [(1, "a")], ()),
    ([(1, "a")], [("a", 1)], ("column_order",)),
    ([(1,), (1,)], [(1,)], ("duplicates_differ",)),
    ([(1,), (2,)], [(0, 1), (0, 2)], ("extra_columns",)),
    ([(1, "a"), (2, "b")], [("a", 0, 1), ("b", 0, 2)], ("extra_columns", "column_order")),
    ([(0.1 + 0.2,)], [(0.3,)], ("tolerance",)),
    ([("Ann",)], [("ANN",)], ("text_case",)),
    ([("Ann", 0.3)], [("ann", 0.1 + 0.2)], ("text_case", "tolerance")),
    ([("Ann", 1.0)], [("ann", 1.0)], ("text_case",)),
    ([("2020-01-01", "a")], [("2020-01-01 00:00:00", "A")], ("notation", "text_case")),
    ([("[1, 2]",)], [("[1,2]",)], ("notation",)),
    ([(1,), (2,)], [(1, 5), (2, 6), (2, 7)], ("duplicates_differ", "extra_columns")),
]


@pytest.mark.parametrize(("a", "b", "notes"), NOTES)
def test_intent_reports_what_it_forgave(a, b, notes):
    found = said(a, b, "intent")
    assert found.equal
    assert found.notes == notes


def test_mapping_says_which_column_stands_for_which():
    assert said([(1, "a", 2.5)], [("a", 2.5, 1)], "spider").column_mapping == (2, 0, 1)
    assert said([(1, "a")], [("a",)], "intent").column_mapping == (None, 0)


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        ([(1.0,)], [(1.0000005,)], True),
        ([(1.0,)], [(1.000002,)], False),
        ([(0.0,)], [(5e-7,)], True),
        ([(1e9,)], [(1e9 + 500,)], True),
        ([(1e9,)], [(1e9 + 5000,)], False),
        ([(1,)], [(1.0000005,)], True),
        ([(Decimal("0.3333333333"),)], [(Decimal("0.3333333334"),)], True),
        ([(Decimal("0.3333333333"),)], [(1 / 3,)], True),
        ([(float("inf"),)], [(1e308,)], False),
        ([(float("inf"),)], [(float("inf"),)], True),
        ([(10**400,)], [(1e308,)], False),
        # A chain of close numbers whose ends are not close.
        ([(1.0,), (1.0000008,)], [(1.0000004,), (1.0000012,)], True),
        ([(1.0,), (1.0000008,)], [(1.0000008,), (1.0000016,)], True),
        ([(1.0,), (1.0000005,)], [(1.0000011,), (1.0000016,)], False),
        ([(1.0,), (1.0,), (1.0000009,)], [(1.0,), (1.0000009,), (1.0000009,)], True),
        # Rows must be close in all columns at once.
        ([(1.0, "a"), (2.0, "b")], [(1.0, "b"), (2.0, "a")], False),
        ([(7, 1.0)], [(8, 1.0)], False),
        ([(10_000_000, 1.5)], [(10_000_001, 1.5)], False),
        ([(NAN, 1.5)], [(NAN, 1.5000001)], True),
        ([(None, 1.5)], [(None, 1.5000001)], True),
        ([(True, 1.5)], [(1, 1.5000001)], True),
    ],
)
def test_tolerance(a, b, equal):
    policy = make_policy("strict", tolerance=1e-6)
    assert said(a, b, policy).equal is equal
    assert said(b, a, policy).equal is equal


def test_tolerance_in_order():
    policy = make_policy("strict", tolerance=1e-6)
    rows, near = [(1.0,), (2.0,)], [(1.0000001,), (2.0000001,)]
    assert said(rows, near, policy, ordered=True).equal
    assert said(rows, near[::-1], policy, ordered=True).only_order_differs
    assert said(rows, near[::-1], policy, ordered=True, ties=[0, 0]).equal


def test_decimals_keep_their_digits_where_no_float_is():
    a, b = Decimal("1.00000000000000000001"), Decimal("1.00000000000000000002")
    assert not said([(a, 0.5)], [(b, 0.5)]).equal
    assert said([(a,), (1.0,)], [(b,), (1.0,)]).equal


# Under intent and rose a million rows take seconds, in the same code as fewer rows.
LONG = [
    *product(POLICIES, [101, 10_001]),
    *(
        pytest.param(name, 1_000_000, marks=pytest.mark.slow)
        for name in ("strict", "spider", "bird")
    ),
]


@pytest.mark.parametrize(("policy", "n"), LONG)
def test_the_last_row_counts(policy, n):
    rows = [(i, f"n{i % 1000}") for i in range(n)]
    other = [*rows[:-1], (n - 1, "another")]
    assert said(rows, list(rows), policy).equal
    assert not said(rows, other, policy).equal


def test_made_policies():
    policy = make_policy("strict", tolerance=1e-6, column_order="any")
    assert policy.signature == "strict;column_order=any;tolerance=1e-06"
    assert POLICIES["intent"].signature == "intent"
    assert make_policy("spider", remove_distinct=False).signature == "spider;remove_distinct=false"
    assert said([(1.0, "a")], [("a", 1.0000001)], policy).equal
    assert Policy(name="mine", duplicates="set").signature == "mine;duplicates=set"
    text = make_policy("strict", values="text")
    assert said([(1,)], [("1",)], text).equal
    assert not said([(1,)], [(1.0,)], text).equal


@pytest.mark.parametrize(
    ("name", "settings", "code"),
    [
        ("stict", {}, "SJ601"),
        ("strict", {"tolerence": 1}, "SJ602"),
        ("strict", {"values": "loose"}, "SJ602"),
        ("strict", {"tolerance": -1}, "SJ602"),
        ("strict", {"tolerance": float("nan")}, "SJ602"),
        ("strict", {"tolerance": "1e-6"}, "SJ602"),
        ("strict", {"extra_columns": True}, "SJ603"),
        ("rose", {"tolerance": 1e-6}, "SJ603"),
        ("strict", {"duplicates": "odd"}, "SJ603"),
    ],
)
def test_impossible_policies(name, settings, code):
    with pytest.raises(InputError) as error:
        make_policy(name, **settings)
    assert error.value.code == code


class Frame:
    """What compare_tables asks of a data frame."""

    columns = ("id", "x")

    def itertuples(self, index, name):
        assert index is False
        assert name is None
        return iter([(1, NAN), (2, 0.5)])


def test_compare_tables_takes_what_holds_rows():
    lists = [[1, None], [2, 0.5]]
    assert compare_tables(Frame(), lists)
    assert compare_tables(table(lists), Frame())
    assert compare_tables([], [])
    assert compare_tables([], table([], 3))
    assert not compare_tables([], lists)
    assert compare_tables(lists, lists[::-1])
    assert not compare_tables(lists, lists[::-1], ordered=True)
    assert compare_tables(lists, lists, policy=make_policy("bird"))


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (3, "SJ604"),
        ("abc", "SJ604"),
        ([1, 2], "SJ604"),
        ([(1,), "ab"], "SJ604"),
        ([(1, 2), (3,)], "SJ605"),
        (ResultTable(("a",), [(1, 2)]), "SJ605"),
    ],
)
def test_compare_tables_refuses_what_is_no_table(value, code):
    with pytest.raises(InputError) as error:
        compare_tables(value, [(1,)])
    assert error.value.code == code
