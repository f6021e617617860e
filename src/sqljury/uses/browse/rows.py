"""Runs single queries for a page, and shows their rows next to the reference's, equal or not."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from sqljury.case import Case, Json
from sqljury.closing import Closing
from sqljury.errors import InputError
from sqljury.evidence import Evidence
from sqljury.execution import ResultTable
from sqljury.judges.base import Judge, Needs
from sqljury.judges.execution import ExecutionMatch
from sqljury.settings import Limits
from sqljury.tables import render_cell
from sqljury.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from sqljury.uses.evaluate.evaluator import Evaluator

_SHOWN_ROWS = 20


@dataclass(frozen=True)
class RowsShown(Judge):
    """The prediction's first rows, and how they differ from the first reference's, if that runs."""

    name: ClassVar[str] = "rows"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.DATABASE | Needs.PREDICTION_ROWS

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``execution``'s verdict with the rows of both; ``unknown`` without a reference."""
        table = evidence.rows(str(case.predicted_sql)).table
        assert table is not None  # needs PREDICTION_ROWS
        reference = evidence.rows(case.reference_sqls[0]).table if case.reference_sqls else None
        if reference is None:
            return Verdict(
                outcome=Outcome.UNKNOWN,
                reason="there is no reference that runs",
                evidence={"reference": _NO_TABLE, "prediction": _shown(table)},
            )
        found = ExecutionMatch().judge(case, evidence)
        both = {"reference": _shown(reference), "prediction": _shown(table)}
        return replace(found, evidence={**both, **found.evidence})


_NO_TABLE: dict[str, Json] = {"columns": [], "rows": [], "row_count": 0}


def _shown(table: ResultTable) -> dict[str, Json]:
    return {
        "columns": list(table.columns),
        "rows": [[render_cell(cell) for cell in row] for row in table.rows[:_SHOWN_ROWS]],
        "row_count": len(table.rows),
    }


class QueryRunner(Closing):
    """Runs queries as predictions are run: in a worker's sandbox, read-only, within limits.

    The worker starts with the first query.

    Args:
        databases: where they may be run; None: nowhere.
    """

    def __init__(self, databases: str | None, limits: Limits) -> None:
        self._databases = databases
        self._limits = limits
        self._evaluator: Evaluator | None = None
        self._turn = threading.Lock()

    def run(self, case: Case, sql: str) -> Verdict:
        """A verdict with the rows of ``sql``, compared as the case's prediction with its reference.

        Raises:
            InputError: SJ450: no databases were given.
        """
        from sqljury.uses.evaluate.evaluator import Evaluator

        if self._databases is None:
            raise InputError(
                "SJ450",
                "there are no databases to run it on.",
                hint="Start `sqljury view` with --databases.",
            )
        with self._turn:
            if self._evaluator is None:
                self._evaluator = Evaluator(
                    self._databases, RowsShown(), limits=self._limits, workers=1
                )
            (verdict,) = self._evaluator.judge(replace(case, predicted_sql=sql)).values()
        return verdict

    def close(self) -> None:
        """Stop the worker."""
        if self._evaluator is not None:
            self._evaluator.close()
