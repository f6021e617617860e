"""A judge that shows the rows of a query next to those of the reference, equal or not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from sqljury.case import Case, Json
from sqljury.evidence import Evidence
from sqljury.execution import ResultTable
from sqljury.judges.base import Judge, Needs
from sqljury.judges.execution import ExecutionMatch
from sqljury.tables import render_cell
from sqljury.verdict import Outcome, Verdict

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
