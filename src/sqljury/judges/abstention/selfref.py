"""SELFREF: a model says whether a query is right, from its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import Conversation, ModelJudge
from sqljury.judges.prompts import TEXT, YES_NO, Prompt, answer
from sqljury.judges.prompts.sections import STYLES, Dossier, schema_section
from sqljury.verdict import Verdict

SELFREF = Prompt("selfref", answer(reason=TEXT, correct=YES_NO))


@register
@dataclass(frozen=True)
class SelfRef(ModelJudge):
    """A model says whether the prediction is right, from question, schema and SQL alone.

    Unlike for `prover`, the prompt shows no rows, and says that the question may be unanswerable.

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

    def once(self, conversation: Conversation) -> Verdict:
        """The verdict that the model's answer to one prompt gives."""
        dossier = Dossier(conversation.case, conversation.evidence)
        sections = [
            *schema_section(conversation.evidence, self.style),
            *dossier.question(criteria=False),
            dossier.sql("Predicted SQL", dossier.predicted_sql),
        ]
        return conversation.decided(conversation.ask("selfref", SELFREF, sections), "correct")
