"""How long a worker waits for a database that does not answer, and when it says so."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from sqljury.databases import open_databases
from sqljury.errors import InfrastructureError, SqljuryError
from sqljury.verdict import Outcome, Verdict

_FOR_SERVERS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Seconds before each further attempt: as long as a server takes to start again."""
_FOR_FILES = (0.1, 0.4)
"""A file is locked for a moment, or broken for good."""


@dataclass(frozen=True, slots=True)
class Lost:
    """A database could not be asked: nothing that a verdict may be built on."""

    reason: str


@dataclass(slots=True)
class Patience:
    """Attempts with pauses between them, for each database until they were in vain.

    After that, cases of the database get one attempt each; an answer gives it all attempts again.

    Args:
        spec: where databases come from.
        sleep: seconds to wait.
    """

    spec: str | None
    sleep: Callable[[float], None] = time.sleep
    _in_vain: set[str] = field(default_factory=set)

    def found(self, attempt: Callable[[], Verdict | Lost], db_id: str) -> Verdict:
        """The verdict; ``judge_unavailable`` where the database alone does not answer.

        Raises:
            InfrastructureError: SJ421: no database of a server answers.
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
        """Whether any of the databases is on one."""
        places = (self.spec or "").split(",")
        return any("://" in p and not p.startswith(("sqlite:", "duckdb:")) for p in places)

    @property
    def _pauses(self) -> tuple[float, ...]:
        return _FOR_SERVERS if self._on_server else _FOR_FILES

    def _check_server(self, lost: Lost) -> None:
        """One database that is not there is a fact about it; a server that is not, about all."""
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
