"""Best-of-N by a judge: the candidate with the highest score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Ranking, register


@register
class ScoreStrategy(Ranking):
    """The highest score of a judge; a candidate it has no score for goes after all that have one.

    A candidate that does not run is picked only where no other is there, or with `--keep-failing`.

    Source: Tritto et al. 2026 (GradeSQL), section 3.1.
    """

    kind: ClassVar[str] = "judge"
    priority: ClassVar[int] = 201
    usage: ClassVar[str] = "judge:NAME"

    @classmethod
    def of(cls, text: str) -> Self | None:
        """``judge:NAME`` reads any judge."""
        kind, _, judge = text.partition(":")
        return cls(text, judge) if kind == cls.kind and judge else None

    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """The scores; -1 where there is none, -2 for what does not run."""
        assert self.judge is not None
        ranks = [-1.0 if score is None else score for score in ballot.scores[self.judge]]
        left_out = ballot.left_out or [False] * len(ranks)
        return [-2.0 if out else rank for rank, out in zip(ranks, left_out, strict=True)]
