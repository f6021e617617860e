"""Execution-guided choice: what does not run is not picked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Ranking, register


@register
class Valid(Ranking):
    """Any candidate that runs, whatever it returns; any at all where none does."""

    kind: ClassVar[str] = "valid"
    needs_results = True

    def ranks(self, ballot: Ballot) -> Sequence[float]:
        """1 for what runs."""
        return [float(runs) for runs in ballot.runs]
