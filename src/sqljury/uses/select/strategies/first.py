"""The first candidate of the pool: what a system without selection answers."""

from __future__ import annotations

from typing import ClassVar

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Fixed, register


@register
class First(Fixed):
    """The first candidate, whatever the others are."""

    kind: ClassVar[str] = "first"
    priority: ClassVar[int] = 0
    is_baseline: ClassVar[bool] = True

    def place(self, ballot: Ballot) -> int:  # noqa: ARG002 - a strategy's shape
        """The one that the pool lists first."""
        return 0
