"""Which cases are learnt from: balanced, and in folds that are the same for the same seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random


def balanced_places(labels: Sequence[bool], draw: Random) -> list[int]:
    """Where as many right as wrong ones are, drawn at random: first the right ones, as drawn.

    Source: GradeSQL (Tritto et al. 2026), section 5, Dataset Imbalance.

    >>> sorted(balanced_places([True, False, True], Random(0)))
    [1, 2]
    """
    sides = [
        [place for place, label in enumerate(labels) if label is side] for side in (True, False)
    ]
    most = min(map(len, sides))
    return [place for side in sides for place in draw.sample(side, most)]


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
