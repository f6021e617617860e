"""Does the prediction say which columns it returns?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqlglot import exp

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.sql import parse
from sqljury.verdict import Outcome, Verdict


@register
@dataclass(frozen=True)
class NamedColumns(Judge):
    """The prediction names its columns: there is no ``*`` in its SELECT list."""

    name: ClassVar[str] = "named_columns"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.NOTHING

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Incorrect with a star, unknown where the text cannot be read."""
        tree = parse(str(case.predicted_sql), evidence.dialect)
        if not isinstance(tree, exp.Query):
            return Verdict(outcome=Outcome.UNKNOWN, reason="no query that can be read")
        if tree.is_star:
            return Verdict.incorrect("the SELECT list has a star")
        return Verdict.correct("all columns are named")
