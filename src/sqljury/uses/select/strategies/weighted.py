"""Majority voting in which a candidate's vote weighs as much as a judge's score of it."""

from __future__ import annotations

from collections.abc import Sequence

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Vote


class Weighted(Vote):
    """A candidate drawn uniformly from the group whose scores sum to most.

    Source: Li et al. 2023 (arXiv:2206.02336), weighted voting with a verifier.
    """

    def votes(self, ballot: Ballot) -> Sequence[float]:
        """The scores; 0 where there is none."""
        assert self.judge is not None
        return [score or 0.0 for score in ballot.scores[self.judge]]
