"""Execution-based Best-of-N: what runs and returns rows goes before what does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Ranking, register


@register
class ExecutionStrategy(Ranking):
    """Candidates that run and return a row, else those that run, else any.

    Source: Tritto et al. 2026 (GradeSQL), section 4, after Chen et al. 2023.
    """

    kind: ClassVar[str] = "execution"
    priority: ClassVar[int] = 2
    is_baseline: ClassVar[bool] = True

    needs_results = True

    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """2 with rows, 1 without, 0 for what fails."""
        return [runs + rows for runs, rows in zip(ballot.runs, ballot.rows, strict=True)]
