"""A small set of databases that tells apart what all of them together do."""

from __future__ import annotations

from collections.abc import Sequence


def distil(told_apart: Sequence[frozenset[int]], *, times: int = 1) -> list[int]:
    """Which databases to keep, most telling first.

    Args:
        told_apart: for each database the neighbours that it tells apart from their query.
        times: how many of the kept databases should tell each neighbour apart, where that many do.

    Greedy set cover: the database that adds most is kept, until none adds anything; of equal
    ones the first. At most ln(n) + 1 times as many databases as needed for n neighbours.

    >>> distil([frozenset({1}), frozenset({1, 2}), frozenset({3})])
    [1, 2]

    Source: Zhong, Yu and Klein (2020), section 3.3; Chvatal (1979).
    """
    there = {n: sum(1 for found in told_apart if n in found) for n in _all(told_apart)}
    missing = {n: min(times, count) for n, count in there.items()}
    left = dict(enumerate(told_apart))
    kept: list[int] = []
    while left:
        best = max(left, key=lambda i: (sum(1 for n in left[i] if missing[n]), -i))
        added = [n for n in left.pop(best) if missing[n]]
        if not added:
            break
        for n in added:
            missing[n] -= 1
        kept.append(best)
    return kept


def _all(told_apart: Sequence[frozenset[int]]) -> set[int]:
    return set().union(*told_apart) if told_apart else set()
