"""What judges may ask for: found on demand, computed once, shared by all judges of a run."""

from __future__ import annotations

from typing import Protocol

from sqljury.case import Case
from sqljury.execution import Execution
from sqljury.schema import Schema


class Evidence(Protocol):
    """All that a judge sees of the outside world, for one case.

    A judge never opens a connection, spawns a process or reads a file itself: that is how
    one execution per database and SQL text serves all judges.
    """

    @property
    def case(self) -> Case:
        """The case in question."""

    @property
    def has_database(self) -> bool:
        """Whether the case's database is there."""

    @property
    def dialect(self) -> str:
        """sqlglot's name of the database's dialect; ``sqlite`` where there is no database."""

    def rows(self, sql: str) -> Execution:
        """Run one statement, read-only and limited; failures are values."""

    def schema(self) -> Schema | None:
        """The database's schema, or None where neither a database nor a schema is known."""

    def time_pair(self, left: str, right: str, *, repeats: int) -> tuple[list[float], list[float]]:
        """Seconds of ``repeats`` interleaved runs of two statements that both run.

        The order alternates from repeat to repeat, so that drift of the machine falls on both.
        """
