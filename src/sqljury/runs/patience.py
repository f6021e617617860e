"""Repeats attempts on a database that does not answer, and decides when to give up."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sqljury.databases import open_databases
from sqljury.errors import InfrastructureError, SqljuryError
from sqljury.trusted import names_server
from sqljury.verdict import Outcome, Verdict

_FOR_SERVERS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Pauses before each further attempt, in seconds: together as long as a server takes to restart."""
_FOR_FILES = (0.1, 0.4)
"""A file is either locked for a moment or broken for good."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A database could not be reached: no verdict may be based on this."""

    reason: str


@dataclass(slots=True)
class Patience:
    """Repeats attempts after pauses; for each database until all attempts have failed once.

    After that, each case of the database gets one attempt; a success restores all attempts.

    Args:
        spec: the source of the databases.
        sleep: waits for some seconds.
    """

    spec: str | None
    sleep: Callable[[float], None] = time.sleep
    _in_vain: set[str] = field(default_factory=set)

    def found(self, attempt: Callable[[], Verdict | Lost], db_id: str) -> Verdict:
        """The verdict of the attempt; ``judge_unavailable`` if only this database cannot be
        reached.

        Raises:
            InfrastructureError: SJ421: no database of the server can be reached.
        """
        found = attempt()
        for pause in () if db_id in self._in_vain else self._pauses:
            if not isinstance(found, Lost):
                break
            self.sleep(pause)
            found = attempt()
        if not isinstance(found, Lost):
            self._in_vain.discard(db_id)
            return found
        if db_id not in self._in_vain:
            self._in_vain.add(db_id)
            self._check_server(found)
        return Verdict(outcome=Outcome.JUDGE_UNAVAILABLE, reason=found.reason)

    @property
    def _on_server(self) -> bool:
        """True if any of the databases is on a server."""
        return names_server(self.spec or "")

    @property
    def _pauses(self) -> tuple[float, ...]:
        return _FOR_SERVERS if self._on_server else _FOR_FILES

    def _check_server(self, lost: Lost) -> None:
        """Raises if the whole server cannot be reached, which concerns all cases; one missing
        database does not stop the run."""
        if not self._on_server or self._lists_databases():
            return
        raise InfrastructureError(
            "SJ421",
            f"the databases cannot be reached, after {1 + len(self._pauses)} attempts in "
            f"{sum(self._pauses):.0f} seconds: {lost.reason.rstrip('.')}.",
            hint="What was judged is kept. When the server is back, run the same command again: "
            "it goes on.",
        )

    def _lists_databases(self) -> bool:
        assert self.spec is not None, "there is a server in it"
        try:
            return "{db_id}" in self.spec and open_databases(self.spec).ids() is not None
        except SqljuryError:
            return False
