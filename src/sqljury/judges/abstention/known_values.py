"""Whether the database has the values that the query searches for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.sql.resolve import resolve
from sqljury.verdict import Outcome, Verdict

_MOST = 20
"""At most so many values are searched for in their columns."""


@register
@dataclass(frozen=True)
class KnownValues(Judge):
    """Every constant that the prediction compares with a column (=, IN, LIKE) is in that column.

    A question about a value that is not stored may still be a good question: "how many boats are
    called Vasa?" has the answer 0. As a gate this judge rejects such answers.
    """

    name: ClassVar[str] = "known_values"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.DATABASE | Needs.PREDICTION_ROWS

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``correct`` if each value is in its column; ``unknown`` if the query cannot be read."""
        schema = evidence.schema()
        sql = str(case.predicted_sql)
        found = None if schema is None else resolve(sql, evidence.dialect, schema)
        if found is None:
            return Verdict(outcome=Outcome.UNKNOWN, reason="the query cannot be read")
        missing = []
        for one in found.sought[:_MOST]:
            table = evidence.rows(one.statement(evidence.dialect)).table
            if table is not None and not table.rows:
                missing.append(f"{one.value} in {one.table}.{one.column}")
        if missing:
            return Verdict.incorrect(f"there is no {', '.join(missing)}", labels=("unknown_value",))
        return Verdict.correct(f"{len(found.sought[:_MOST])} values are there")
