"""The oracle: a right candidate wherever there is one. Its accuracy is pass@n."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Ranking, register


@register
class Oracle(Ranking):
    """A right candidate, which it is told; the upper bound of every strategy."""

    kind: ClassVar[str] = "oracle"
    priority: ClassVar[int] = 4

    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """1 for what is right."""
        assert ballot.right is not None
        return [float(right) for right in ballot.right]
