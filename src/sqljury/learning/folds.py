"""Folds that are the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

FOLDS = 5


def folds(labels: Sequence[bool], seed: int) -> Iterator[tuple[list[int], list[int]]]:
    """The places of the rest, and of each fifth of both labels in turn."""
    import numpy as np

    generator = np.random.default_rng(seed)
    fold = np.zeros(len(labels), dtype=int)
    for label in (True, False):
        places = np.flatnonzero(np.array(labels, dtype=bool) == label)
        fold[generator.permutation(places)] = np.arange(len(places)) % FOLDS
    for number in range(FOLDS):
        yield np.flatnonzero(fold != number).tolist(), np.flatnonzero(fold == number).tolist()
