"""VERBAL: a model marks a query as correct or incorrect, after examples of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.abstention.asking import AbstentionPrompt, asked
from sqljury.judges.abstention.demonstrations import Demonstration
from sqljury.judges.asking import Hearing, unasked
from sqljury.judges.base import Needs, register
from sqljury.judges.dossier import Dossier
from sqljury.judges.prompts import Prompt, answer
from sqljury.verdict import Verdict

VERBAL = Prompt("verbal", answer(mark={"type": "string", "enum": ["correct", "incorrect"]}))


@register
@dataclass(frozen=True)
class Verbal(AbstentionPrompt):
    """A model marks the prediction as correct or incorrect, after demonstrations of both marks.

    Correct ones are answerable questions with their SQL; incorrect ones are others with SQL that
    was written for yet others. In the paper the model marks its own SQL as it writes it.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), SQLPROMPT[VERBAL]; Lin et al. 2022.
    """

    name: ClassVar[str] = "verbal"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.LLM
    title: ClassVar[str] = "VERBAL"
    prompts: ClassVar[tuple[Prompt, ...]] = (VERBAL,)

    style: str = "columns"

    def once(self, case: Case, evidence: Evidence, sample: int) -> Verdict:
        """Ask once."""
        if not case.question:
            return unasked()
        hearing = Hearing(self, evidence, sample)
        query = Dossier(case, evidence).sql("Predicted SQL", str(case.predicted_sql))
        sections = [*self.before_the_question(case, evidence), *asked(case), query]
        found = hearing.ask("verbal", VERBAL, sections)
        if found is None:
            return hearing.unavailable()
        if found["mark"] == "correct":
            return hearing.accepts("marked as correct")
        return hearing.rejects("marked as incorrect")

    @property
    def wanted(self) -> tuple[int, int]:
        """Answerable questions only, enough for both marks."""
        return self.positives + self.negatives, 0

    def said(self, shown: Sequence[Demonstration]) -> list[tuple[str, str]]:
        """The first with their own SQL, each of the others with that of the next."""
        size = len(shown)
        first = -(-size * self.positives // (self.positives + self.negatives)) if size else 0
        right, others = shown[:first], shown[first:]
        marked = [(one.question, f"{one.sql} # correct") for one in right]
        for one, other in zip(others, [*others[1:], *others[:1]], strict=True):
            if one.sql != other.sql:
                marked.append((one.question, f"{other.sql} # incorrect"))
        # Two kinds in turn, so that the last example does not give the mark away.
        return marked[::2] + marked[1::2]
