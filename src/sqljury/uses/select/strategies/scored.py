"""Best-of-N by a judge: the candidate with the highest score."""

from __future__ import annotations

from collections.abc import Sequence

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Ranking


class Scored(Ranking):
    """The highest score of a judge; a candidate it has no score for goes after all that have one.

    Source: Tritto et al. 2026 (GradeSQL), section 3.1.
    """

    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """The scores; -1 where there is none."""
        assert self.judge is not None
        return [-1.0 if score is None else score for score in ballot.scores[self.judge]]
