"""One system's answer: what a single system of a pool of systems does."""

from __future__ import annotations

from sqljury.uses.select.pool import Ballot
from sqljury.uses.select.strategies.base import Fixed


class System(Fixed):
    """The answer of one system; a question that it has no answer to is not right."""

    def place(self, ballot: Ballot) -> int | None:
        """The candidate that names the system."""
        wanted = self.name.partition(":")[2]
        places = (place for place, names in enumerate(ballot.systems) if wanted in names)
        return next(places, None)
