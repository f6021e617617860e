"""What holds for all tables: found by hypothesis, checked against brute force."""

from __future__ import annotations

import json
import random
from collections import Counter
from decimal import Decimal
from itertools import permutations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sqljury.execution import ResultTable
from sqljury.tables import POLICIES, compare, explain, make_policy

NAMES = sorted(POLICIES)
FAST = settings(max_examples=150, deadline=None)

CELLS = st.one_of(
    st.sampled_from([None, 0, 1, 2, 1.0, -0.0, True, "", "1", "None", "nan", "a", "A ", b"a"]),
    st.sampled_from([Decimal("1.00"), Decimal("0.1"), 0.1, 0.1 + 1e-9, 2**53, 2**53 + 1]),
    st.sampled_from([float("nan"), float("inf"), 2.0**53, Decimal("NaN"), Decimal("1e400")]),
    st.lists(st.sampled_from([1, 1.0, None, "x"]), max_size=2),
)
FEW = st.sampled_from([0, 1, None, "a"])


@st.composite
def tables(draw, cells=CELLS, width=None, max_rows=5, max_width=4):
    width = width or draw(st.integers(1, max_width))
    rows = draw(st.lists(st.tuples(*[cells] * width), max_size=max_rows))
    return ResultTable(tuple(f"c{i}" for i in range(width)), rows)


@st.composite
def pairs(draw, cells=CELLS, max_rows=5):
    """Two tables that are often nearly equal: shuffled, permuted, one cell changed."""
    first = draw(tables(cells, max_rows=max_rows))
    if draw(st.booleans()):
        return first, draw(tables(cells, max_rows=max_rows))
    seed = draw(st.integers(0, 2**16))
    second = shuffled(first, seed)
    if draw(st.booleans()):
        second = permuted(second, seed)
    if second.rows and draw(st.booleans()):
        row = list(second.rows[0])
        row[0] = draw(cells)
        second.rows[0] = tuple(row)
    if len(second.rows) > 1 and draw(st.booleans()):
        second.rows.pop()
    return first, second


def shuffled(table, seed):
    rows = list(table.rows)
    random.Random(seed).shuffle(rows)
    return ResultTable(table.columns, rows)


def permuted(table, seed):
    order = list(range(table.width))
    random.Random(seed).shuffle(order)
    return ResultTable(table.columns, [tuple(row[i] for i in order) for row in table.rows])


def copied(table):
    """The same values in other objects: nothing may rest on identity."""
    rows = [
        tuple(type(cell)("nan") if cell != cell else cell for cell in row) for row in table.rows
    ]
    return ResultTable(table.columns, rows)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ordered", [False, True])
@given(table=tables())
@FAST
def test_reflexive(name, ordered, table):
    found = compare(table, copied(table), POLICIES[name], ordered=ordered)
    assert found.equal
    assert not found.notes


@pytest.mark.parametrize("name", [name for name in NAMES if name != "spider2"])
@pytest.mark.parametrize("ordered", [False, True])
@given(both=pairs())
@FAST
def test_symmetric(name, ordered, both):
    a, b = both
    left = compare(a, b, POLICIES[name], ordered=ordered)
    right = compare(b, a, POLICIES[name], ordered=ordered)
    assert left.equal == right.equal
    assert left.only_order_differs == right.only_order_differs


@pytest.mark.parametrize("name", NAMES)
@given(both=pairs(), seed=st.integers(0, 99))
@FAST
def test_rows_may_be_shuffled_where_their_order_is_free(name, both, seed):
    a, b = both
    policy = POLICIES[name]
    assert compare(a, b, policy).equal == compare(a, shuffled(b, seed), policy).equal


@pytest.mark.parametrize("name", ["spider", "rose", "intent"])
@given(both=pairs(), seed=st.integers(0, 99), ordered=st.booleans())
@FAST
def test_columns_may_be_permuted_where_their_order_is_free(name, both, seed, ordered):
    a, b = both
    policy = POLICIES[name]
    before = compare(a, b, policy, ordered=ordered)
    after = compare(a, permuted(b, seed), policy, ordered=ordered)
    assert before.equal == after.equal


@pytest.mark.parametrize("name", ["strict", "spider", "bird"])
@given(cells=st.lists(CELLS, min_size=3, max_size=3))
@FAST
def test_equality_of_cells_is_transitive(name, cells):
    # Within one comparison: the same column holds all three.
    def equal(x, y):
        rows = [[(cell,) for cell in (*cells, one)] for one in (x, y)]
        return compare(
            ResultTable(("c",), rows[0]), ResultTable(("c",), rows[1]), POLICIES[name]
        ).equal

    x, y, z = cells
    if equal(x, y) and equal(y, z):
        assert equal(x, z)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ordered", [False, True])
@given(both=pairs())
@FAST
def test_explain_never_raises_and_never_says_equal(name, ordered, both):
    a, b = both
    policy = POLICIES[name]
    found = compare(a, b, policy, ordered=ordered)
    if found.equal:
        return
    ties = [0] * len(a.rows) if name == "spider" else None
    explanation = explain(a, b, policy, found, ordered=ordered, ties=ties, max_rows=3)
    assert explanation.findings
    assert all(finding.text for finding in explanation.findings)
    assert explanation.reference_rows == len(a.rows)
    json.dumps(explanation.to_dict(), allow_nan=False)


@pytest.mark.parametrize("name", ["strict", "bird"])
@given(both=pairs())
@FAST
def test_without_the_differing_rows_the_tables_are_equal(name, both):
    a, b = both
    assume(a.width == b.width)
    policy = POLICIES[name]
    found = compare(a, b, policy)
    if found.equal:
        return
    explanation = explain(a, b, policy, found, max_rows=100)
    missing = {i for i, _ in explanation.missing.rows}
    extra = {i for i, _ in explanation.extra.rows}
    assert missing or extra
    if name == "strict":
        left = [row for i, row in enumerate(a.rows) if i not in missing]
        right = [row for i, row in enumerate(b.rows) if i not in extra]
        rest = ResultTable(a.columns, left), ResultTable(b.columns, right)
        # Which rules a column asks for is settled on the whole table (a Decimal beside a float).
        assume(not any(isinstance(c, Decimal) for row in [*a.rows, *b.rows] for c in row))
        assert compare(*rest, policy).equal


# ---------------------------------------------------------------- columns against brute force


def brute_force(a, b, *, as_set=False, keys=None):
    """Try every injective mapping of the narrower table's columns."""
    if a.width > b.width:
        return brute_force(b, a, as_set=as_set, keys=keys)
    keys = keys or [0] * max(len(a.rows), len(b.rows))
    bag = set if as_set else Counter
    if len(a.rows) != len(b.rows) and not as_set:
        return False
    wanted = bag(zip(keys, a.rows, strict=False))
    return any(
        wanted == bag(zip(keys, [tuple(row[i] for i in order) for row in b.rows], strict=False))
        for order in permutations(range(b.width), a.width)
    )


@st.composite
def zero_one_pairs(draw):
    """Tables in which many columns look alike, often equal up to columns and rows."""
    width = draw(st.integers(1, 5))
    cells = st.sampled_from(draw(st.sampled_from([(0, 1), (0, 1, 2), (None, "a")])))
    rows = draw(st.lists(st.tuples(*[cells] * width), max_size=7))
    first = ResultTable(("c",) * width, rows)
    other = permuted(shuffled(first, draw(st.integers(0, 99))), draw(st.integers(0, 99)))
    if other.rows and draw(st.booleans()):
        # Swap two cells of a column: its contents stay, its rows do not.
        i = draw(st.integers(0, len(rows) - 1))
        j = draw(st.integers(0, width - 1))
        x, y = list(other.rows[0]), list(other.rows[i])
        if i:
            x[j], y[j] = y[j], x[j]
            other.rows[0], other.rows[i] = tuple(x), tuple(y)
    keep = draw(st.integers(1, width))
    if draw(st.booleans()):
        other = ResultTable(("c",) * keep, [row[:keep] for row in other.rows])
    return first, other


PLAIN = make_policy("intent", values="typed", tolerance=0, duplicates="bag")
SETS = make_policy("intent", values="typed", tolerance=0)


@pytest.mark.slow
@given(both=zero_one_pairs())
@settings(max_examples=600, deadline=None)
def test_column_matching_agrees_with_brute_force(both):
    a, b = both
    found = compare(a, b, PLAIN)
    assert found.equal is brute_force(a, b)
    if found.column_mapping and a.width == b.width:
        back = [tuple(row[j] for j in found.column_mapping) for row in b.rows]
        assert Counter(back) == Counter(a.rows)


@pytest.mark.slow
@given(both=zero_one_pairs())
@settings(max_examples=300, deadline=None)
def test_column_matching_of_sets_agrees_with_brute_force(both):
    a, b = both
    if not a.rows or not b.rows:
        return
    assert compare(a, b, SETS).equal is (brute_force(a, b) or brute_force(a, b, as_set=True))


@given(both=zero_one_pairs(), tie=st.integers(1, 8))
@settings(max_examples=300, deadline=None)
def test_column_matching_in_order_agrees_with_brute_force(both, tie):
    a, b = both
    ties = [i // tie for i in range(len(a.rows))]
    found = compare(a, b, PLAIN, ordered=True, ties=ties)
    assert found.equal is brute_force(a, b, keys=ties)


@pytest.mark.parametrize("columns", [8, 40])
@pytest.mark.parametrize("rows", [3, 20, 200, 1000])
@pytest.mark.parametrize("values", [2, 3, 50])
def test_wide_tables_with_duplicates(columns, rows, values):
    rng = random.Random(columns * rows * values)
    a = ResultTable(
        ("c",) * columns,
        [tuple(rng.randrange(values) for _ in range(columns)) for _ in range(rows)],
    )
    a.rows.extend(a.rows[: rows // 2])
    b = permuted(shuffled(a, 1), 2)
    for policy in (POLICIES["spider"], PLAIN):
        assert compare(a, b, policy).equal
        narrow = ResultTable(b.columns[:5], [row[:5] for row in b.rows])
        assert compare(a, narrow, PLAIN).equal
    changed = swapped(b)
    if changed is not None:
        assert compare(a, changed, POLICIES["spider"]).equal is False


def swapped(table):
    """Two cells of one column exchanged, so that only the association of rows tells."""
    rows = [list(row) for row in table.rows]
    before = Counter(table.rows)
    for i in range(1, len(rows)):
        if rows[i][0] != rows[0][0] and rows[i][1:] != rows[0][1:]:
            rows[i][0], rows[0][0] = rows[0][0], rows[i][0]
            after = [tuple(row) for row in rows]
            heaps = Counter(map(heap, table.rows)), Counter(map(heap, after))
            if Counter(after) != before and heaps[0] != heaps[1]:
                return ResultTable(table.columns, after)
            rows[i][0], rows[0][0] = rows[0][0], rows[i][0]
    return None


def heap(row):
    return frozenset(Counter(row).items())


def graph(edges, nodes, seed):
    """A table with a column for each node and a row for each edge."""
    order = list(range(nodes))
    random.Random(seed).shuffle(order)
    rows = [tuple(int(order[i] in edge) for i in range(nodes)) for edge in edges]
    random.Random(seed).shuffle(rows)
    return ResultTable(("c",) * nodes, rows)


def ring(n, start=0):
    return [{start + i, start + (i + 1) % n} for i in range(n)]


def rook():
    """The moves of a rook on a board of 4 by 4: strongly regular."""
    places = [(i, j) for i in range(4) for j in range(4)]
    return [
        {x, y}
        for x, (i, j) in enumerate(places)
        for y, (k, m) in enumerate(places)
        if x < y and (i == k) != (j == m)
    ]


def shrikhande():
    """Strongly regular with the parameters of the rook's graph, and not the same."""
    steps = ((0, 1), (1, 0), (1, 1))
    return [
        {4 * i + j, 4 * ((i + p) % 4) + (j + q) % 4}
        for i in range(4)
        for j in range(4)
        for p, q in steps
    ]


@pytest.mark.parametrize(
    ("left", "right", "nodes", "equal"),
    [
        (ring(40), ring(40), 40, True),
        (ring(40), ring(20) + ring(20, 20), 40, False),
        (rook(), rook(), 16, True),
        (rook(), shrikhande(), 16, False),
        ([{i} for i in range(40)], [{i} for i in range(40)], 40, True),
    ],
)
def test_regular_tables(left, right, nodes, equal):
    assert compare(graph(left, nodes, 1), graph(right, nodes, 2), PLAIN).equal is equal


def test_an_adversarial_case_ends_as_unknown():
    triangles = [edge for i in range(12) for edge in ring(3, 3 * i)]
    mixed = [edge for i in range(10) for edge in ring(3, 3 * i)] + ring(6, 30)
    assert compare(graph(triangles, 36, 1), graph(mixed, 36, 2), PLAIN).equal is None
    assert compare(graph(triangles, 36, 1), graph(triangles, 36, 2), PLAIN).equal is True


# ---------------------------------------------------------------- nearly equal numbers

NEAR = st.sampled_from([1.0, 1 + 4e-7, 1 + 8e-7, 1 + 1.2e-6, 1, 2, 2.0000009, "a", None])


def near(x, y):
    if x == y:
        return True
    numbers = all(isinstance(cell, int | float) for cell in (x, y))
    if not numbers or (isinstance(x, int) and isinstance(y, int)):
        return False
    return abs(x - y) <= 1e-6 * max(1, abs(x), abs(y))


@given(width=st.integers(1, 3), data=st.data())
@settings(max_examples=400, deadline=None)
def test_tolerance_agrees_with_brute_force(width, data):
    rows = st.lists(st.tuples(*[NEAR] * width), min_size=1, max_size=4)
    a = data.draw(rows)
    if data.draw(st.booleans()):
        b = [tuple(c + 3e-7 if isinstance(c, float) else c for c in row) for row in a[::-1]]
    else:
        b = data.draw(rows)
    policy = make_policy("strict", tolerance=1e-6)
    found = compare(ResultTable(("c",) * width, a), ResultTable(("c",) * width, b), policy)
    wanted = len(a) == len(b) and any(
        all(near(x, y) for p, q in zip(a, order, strict=True) for x, y in zip(p, q, strict=True))
        for order in permutations(b)
    )
    # None where two columns crowd: unknown, never wrong.
    assert found.equal is wanted or (width > 1 and found.equal is None)
