"""As many right candidates as wrong ones."""

from __future__ import annotations

from collections.abc import Sequence
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
