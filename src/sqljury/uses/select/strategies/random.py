"""Any candidate: the mean accuracy of the pool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Ranking, register


@register
class Random(Ranking):
    """A candidate drawn uniformly: no rank is higher than another."""

    kind: ClassVar[str] = "random"
    priority: ClassVar[int] = 1
    is_baseline: ClassVar[bool] = True

    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """The same for all."""
        return [0.0] * len(ballot.counts)
