"""Exact match of the texts of prediction and reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.sql import normalise_text
from sqljury.verdict import Verdict

_FORMS = ("", "text")


@register
@dataclass(frozen=True)
class ExactMatch(Judge):
    """The text is a reference's text, but for white space, case, comments and semicolons.

    Text in quotes is compared unchanged. An equivalent prediction with another text is incorrect:
    the score is a lower bound of accuracy, and finds predictions copied from references.

    Args:
        form: ``text`` (``exact_match:text``) compares character by character, except for white
            space at both ends, as ROSE's EM does.
    """

    name: ClassVar[str] = "exact_match"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.REFERENCE
    variant: ClassVar[str] = "form"

    form: str = ""

    def __post_init__(self) -> None:
        """Raises ValueError for an unknown form."""
        if self.form not in _FORMS:
            raise ValueError(f"there is no form {self.form!r}; known: text")

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """``correct`` if any reference has the same text."""
        predicted = self._compared(str(case.predicted_sql), evidence)
        if any(self._compared(sql, evidence) == predicted for sql in case.reference_sqls):
            return Verdict.correct("same text")
        return Verdict.incorrect("another text")

    def _compared(self, sql: str, evidence: Evidence) -> str:
        return sql.strip() if self.form == "text" else normalise_text(sql, evidence.dialect)
