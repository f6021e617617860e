"""Whether the prediction runs on its database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.verdict import Verdict


@register
@dataclass(frozen=True)
class Executable(Judge):
    """The prediction runs on its database, within the limits; needs no reference."""

    name: ClassVar[str] = "executable"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.DATABASE | Needs.PREDICTION_ROWS

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``correct``, as a prediction that does not run gets its verdict before."""
        table = evidence.rows(str(case.predicted_sql)).table
        count = len(table.rows) if table is not None else 0
        labels = () if count else ("empty_result",)
        return Verdict.correct(f"runs, {count} rows", labels=labels)
