"""Judging begins while the cases are still read: workers do not wait for the last line.

What is judged meanwhile is chosen in the order of the input, as far as workers are free; all else
waits for the order in which neighbours share executions. Verdicts are written in the transaction
that the cases are: input that turns out to be broken leaves neither behind.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from sqljury.errors import SqljuryError
from sqljury.runs.pool import WorkerPool
from sqljury.runs.store import CaseRow, RunStore, VerdictRow, WorkItem

_TURN = 64
"""Cases that are read between two looks at the workers."""
_MOST_WAITING = 1024
"""Cases that are kept ready for workers, in memory."""


class WhileReading:
    """Hands cases that were just stored to the workers of one group of judges.

    Args:
        store: holds no case yet, so that each needs every judge.
        keys: of the judges, in the store.
    """

    def __init__(self, store: RunStore, pool: WorkerPool, keys: Sequence[str]) -> None:
        self._store = store
        self._pool = pool
        self._numbers = store.judge_numbers(keys)
        self._judges = tuple(range(len(keys)))
        self._waiting: deque[WorkItem] = deque()
        self._read = 0
        self._failure: SqljuryError | None = None

    def stored(self, number: int, row: CaseRow) -> None:
        """A case is in the store under this number."""
        if len(self._waiting) < _MOST_WAITING:
            group = row.case.db_id, row.batch_key
            self._waiting.append(WorkItem(number, row.body, self._judges, group))
        self._read += 1
        if self._read % _TURN == 0 and self._failure is None:
            self._store.add_verdicts(self._found(), self._numbers)

    def _found(self) -> list[VerdictRow]:
        try:
            return [row for rows in self._pool.judge_meanwhile(self._waiting) for row in rows]
        except SqljuryError as error:
            self._failure = error  # faults of the input are told first
            return []

    def check(self) -> None:
        """Once all cases are read.

        Raises:
            SqljuryError: the workers cannot work.
        """
        if self._failure is not None:
            raise self._failure
