"""Which edge-case values a database gets: a few for each column, so that they meet."""

from __future__ import annotations

from random import Random

from sqljury.databases.generated.edges import Traps
from sqljury.databases.generated.material import Cell, ValuePool
from sqljury.value_profile import Constant

_IN_TURN = 0.6
_ALL_NEGATIVE = 0.2
"""Databases without a number from zero on: a MAX against zero shows there."""


class EdgeDraw:
    """The edge-case values of one database.

    Args:
        random: decides.
        traps: values that break proofs are among them.
    """

    def __init__(self, random: Random, traps: Traps | None = None) -> None:
        self._traps = traps
        self._random = random
        self._most = random.randrange(2, 6)
        self._negative = random.random() < _ALL_NEGATIVE
        self._drawn: dict[int, list[Constant]] = {}

    def value(self, of: ValuePool | Cell) -> Constant:
        """One of the values that were drawn for a column, or for columns that are compared."""
        if id(of) not in self._drawn:
            self._drawn[id(of)] = self._draw(of.edges(self._traps))
        drawn = self._drawn[id(of)]
        if self._traps is not None and self._random.random() < _IN_TURN:
            drawn.append(drawn.pop(0))  # few rows hold values that are alike, one after the other
            return drawn[-1]
        return self._random.choice(drawn)

    def _draw(self, values: list[Constant]) -> list[Constant]:
        if self._negative:
            values = [v for v in values if isinstance(v, int | float) and v < 0] or values
        # Neighbours are alike: half of the time some of them stand together.
        if self._random.random() < 0.5:
            start = self._random.randrange(len(values))
            return (values[start:] + values[:start])[: self._most]
        return self._random.sample(values, min(len(values), self._most))
