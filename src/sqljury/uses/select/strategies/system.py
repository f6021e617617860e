"""One system's answer: what a single system of a pool of systems does."""

from __future__ import annotations

from typing import ClassVar, Self

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Fixed, register


@register
class SystemStrategy(Fixed):
    """The answer of one system; a question that it has no answer to is not right."""

    kind: ClassVar[str] = "system"
    priority: ClassVar[int] = 202
    usage: ClassVar[str] = "system:NAME"
    is_baseline: ClassVar[bool] = True

    @classmethod
    def of(cls, text: str) -> Self | None:
        """``system:NAME`` names a system."""
        kind, _, system = text.partition(":")
        return cls(text) if kind == cls.kind and system else None

    def place(self, ballot: Ballot) -> int | None:
        """The candidate that names the system."""
        wanted = self.name.partition(":")[2]
        places = (place for place, names in enumerate(ballot.systems) if wanted in names)
        return next(places, None)
