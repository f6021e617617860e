"""Whether the prediction returns anything but NULL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.verdict import Verdict


@register
@dataclass(frozen=True)
class Nonempty(Judge):
    """The prediction returns at least one row in which something is not NULL.

    A right answer may be empty; as a gate this judge rejects it.
    """

    name: ClassVar[str] = "nonempty"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.DATABASE | Needs.PREDICTION_ROWS

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``correct`` if any cell is not NULL."""
        table = evidence.rows(str(case.predicted_sql)).table
        rows = [] if table is None else table.rows
        if any(cell is not None for row in rows for cell in row):
            return Verdict.correct(f"{len(rows)} rows")
        reason = "only NULL is returned" if rows else "no row is returned"
        return Verdict.incorrect(reason, labels=("empty_result",))
