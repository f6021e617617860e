"""The oracle: a right candidate wherever there is one. Its accuracy is pass@n."""

from __future__ import annotations

from collections.abc import Sequence

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Ranking


class Oracle(Ranking):
    """A right candidate, which it is told; the upper bound of every strategy."""

    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """1 for what is right."""
        assert ballot.right is not None
        return [float(right) for right in ballot.right]
