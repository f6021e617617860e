"""Microseconds per comparison, beside the floor of two Counters: python bench/tables.py"""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable

from sqljury.execution import ResultTable
from sqljury.tables import POLICIES, Policy, compare, explain


def table(rows: int, columns: int, seed: int = 0) -> ResultTable:
    """Integers, texts and fractions in turn, with duplicates."""
    rng = random.Random(seed)
    makers: tuple[Callable[[], object], ...] = (
        lambda: rng.randrange(1000),
        lambda: f"name {rng.randrange(100)}",
        lambda: rng.randrange(10_000) / 7,
    )
    cells = [tuple(makers[i % 3]() for i in range(columns)) for _ in range(rows)]
    return ResultTable(tuple(f"c{i}" for i in range(columns)), cells)


def shuffled(source: ResultTable) -> ResultTable:
    """The same rows in another order."""
    rows = list(source.rows)
    random.Random(1).shuffle(rows)
    return ResultTable(source.columns, rows)


def turned(source: ResultTable) -> ResultTable:
    """The same columns in reverse order."""
    return ResultTable(source.columns[::-1], [row[::-1] for row in source.rows])


def changed(source: ResultTable) -> ResultTable:
    """Another value in the last row."""
    return ResultTable(source.columns, [*source.rows[:-1], (-1, *source.rows[-1][1:])])


def seconds(call: Callable[[], object]) -> float:
    """The best of several runs, each long enough to be measured."""
    start = time.perf_counter()
    call()
    once = time.perf_counter() - start
    repeats = max(1, min(5_000, int(0.05 / max(once, 1e-7))))
    best = once
    for _ in range(3):
        start = time.perf_counter()
        for _ in range(repeats):
            call()
        best = min(best, (time.perf_counter() - start) / repeats)
    return best


def line(what: str, a: ResultTable, b: ResultTable, policy: Policy) -> str:
    """One row of the table that is printed."""
    floor = seconds(lambda: Counter(a.rows) == Counter(b.rows))
    spent = seconds(lambda: compare(a, b, policy))
    found = compare(a, b, policy)
    said = "" if found else f"{seconds(lambda: explain(a, b, policy, found)) * 1e6:>14,.1f}"
    return (
        f"{what:<34} {policy.name:<7} {found.equal!s:<6}"
        f"{spent * 1e6:>14,.1f} {floor * 1e6:>14,.1f} {spent / floor:>7.2f} {said}"
    )


def main() -> None:
    """Print the table."""
    head = f"{'tables':<34} {'policy':<7} {'equal':<6}{'compare us':>14} {'Counters us':>14}"
    print(f"{head} {'ratio':>7} {'explain us':>14}")
    for rows, columns in ((1, 1), (5, 2), (20, 3), (1_000, 4), (100_000, 4)):
        a = table(rows, columns)
        size = f"{rows:,} x {columns}"
        same = ResultTable(a.columns, [(*row,) for row in a.rows])
        for name in ("strict", "spider", "bird", "rose", "intent"):
            print(line(f"{size} same", a, same, POLICIES[name]))
            print(line(f"{size} rows shuffled", a, shuffled(a), POLICIES[name]))
            print(line(f"{size} last row differs", a, changed(a), POLICIES[name]))
    for rows, columns in ((200, 8), (1_000, 40)):
        a = table(rows, columns)
        for name in ("spider", "intent"):
            b = turned(shuffled(a))
            print(line(f"{rows:,} x {columns} columns turned", a, b, POLICIES[name]))


if __name__ == "__main__":
    main()
