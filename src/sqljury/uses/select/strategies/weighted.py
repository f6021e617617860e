"""Majority voting in which a candidate's vote weighs as much as a judge's score of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Vote, register
from sqljury.uses.select.strategies.verifier import verifier_named


@register
class Weighted(Vote):
    """A candidate drawn uniformly from the group whose scores sum to most.

    Source: Li et al. 2023 (arXiv:2206.02336), weighted voting with a verifier.
    """

    kind: ClassVar[str] = "verifier-majority"
    priority: ClassVar[int] = 200

    @classmethod
    def of(cls, text: str) -> Self | None:
        """``verifier-majority``, with options as the judge ``verifier`` takes them."""
        judge = verifier_named(cls.kind, text)
        return None if judge is None else cls(text, judge)

    def votes(self, ballot: Ballot) -> Sequence[float]:
        """The scores; 0 where there is none."""
        assert self.judge is not None
        return [score or 0.0 for score in ballot.scores[self.judge]]
