"""Is the text of the prediction the text of the reference?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Needs, register
from sqljury.queries import normalise_text
from sqljury.verdict import Verdict


@register
@dataclass(frozen=True)
class ExactMatch:
    """The text is a reference's text, but for white space, case, comments and semicolons.

    What stands in quotes is compared as it is. A prediction that says the same in other words is
    incorrect here: this is a lower bound, and a check for predictions copied from references.
    """

    name: ClassVar[str] = "exact_match"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """Correct if any reference has the same text."""
        predicted = normalise_text(str(case.predicted_sql), evidence.dialect)
        if any(normalise_text(sql, evidence.dialect) == predicted for sql in case.reference_sqls):
            return Verdict.correct("same text")
        return Verdict.incorrect("another text")
