"""SELFREF: a model says whether it is sure of a query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.abstention.asking import asked
from sqljury.judges.abstention.schema_text import STYLES, schema_section
from sqljury.judges.asking import Conversation, ModelJudge, unasked
from sqljury.judges.base import Needs, register
from sqljury.judges.dossier import Dossier
from sqljury.judges.prompts import TEXT, YES_NO, Prompt, answer
from sqljury.verdict import Verdict

SELFREF = Prompt("selfref", answer(reason=TEXT, correct=YES_NO))


@register
@dataclass(frozen=True)
class SelfRef(ModelJudge):
    """A model says whether the prediction is right, from question, schema and SQL alone.

    Unlike `prover` it sees no rows, and is told that the question may have no answer.

    Args:
        style: how the schema is written: ``columns``, ``create``, …

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), appendix E.
    """

    name: ClassVar[str] = "selfref"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.LLM
    sees_failures: ClassVar[bool] = True
    title: ClassVar[str] = "SELFREF"
    prompts: ClassVar[tuple[Prompt, ...]] = (SELFREF,)

    style: str = "columns"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.style not in STYLES:
            raise ValueError(f"style={self.style}: one of {', '.join(STYLES)}")

    def once(self, case: Case, evidence: Evidence, sample: int) -> Verdict:
        """Ask once."""
        if not case.question:
            return unasked()
        hearing = Conversation(self, evidence, sample)
        query = Dossier(case, evidence).sql("Predicted SQL", str(case.predicted_sql))
        sections = [*schema_section(evidence, self.style), *asked(case), query]
        found = hearing.ask("selfref", SELFREF, sections)
        if found is None:
            return hearing.unavailable()
        close = hearing.accepts if found["correct"] else hearing.rejects
        return close(str(found["reason"]))
