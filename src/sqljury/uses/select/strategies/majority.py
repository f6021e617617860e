"""Majority voting over results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Vote, register


@register
class Majority(Vote):
    """A candidate drawn uniformly from the largest group of equal results.

    Source: Tritto et al. 2026 (GradeSQL), section 4, after Sheng & Xu 2025.
    """

    kind: ClassVar[str] = "majority"
    priority: ClassVar[int] = 3
    is_baseline: ClassVar[bool] = True

    def votes(self, ballot: Ballot) -> Sequence[float]:
        """One each."""
        return [1.0] * len(ballot.counts)
