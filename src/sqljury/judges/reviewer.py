"""One call to a chat model that sees the evidence of `jury:offline` in words."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from sqljury.case import Json
from sqljury.evidence_shapes import reasons_of
from sqljury.judges.base import Needs, register
from sqljury.judges.jury import Jury
from sqljury.judges.model_judge import Conversation, IntentJudge
from sqljury.judges.prompts import TEXT, YES_NO, Prompt, answer
from sqljury.judges.prompts.sections import PromptSection
from sqljury.judges.refuter import AMBIGUITY, labels_of
from sqljury.verdict import Verdict

REVIEWER = Prompt(
    "reviewer", answer(reason=TEXT, verdict=YES_NO, ambiguity=AMBIGUITY, gold_correct=YES_NO)
)


@register
@dataclass(frozen=True)
class Reviewer(IntentJudge):
    """A model decides in one call, shown the reference and the reasons of `jury:offline`.

    The reasons are sentences without weights; the probability is not shown. Labels: `gold_fault`,
    `ambiguous_question`, `ambiguous_schema`.

    Source: docs/jury-models.md.
    """

    name: ClassVar[str] = "reviewer"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS | Needs.LLM
    title: ClassVar[str] = "Reviewer"
    prompts: ClassVar[tuple[Prompt, ...]] = (REVIEWER,)

    @cached_property
    def _jury(self) -> Jury:
        return Jury()

    def signature_fields(self) -> dict[str, Json]:
        """The versioned name, the prompt, and the digest of the trees."""
        return {**super().signature_fields(), **self._jury.signature_fields()}

    def once(self, conversation: Conversation) -> Verdict:
        """The verdict of one answer."""
        dossier = self.dossier(conversation)
        reasons = reasons_of(self._jury.judge(conversation.case, conversation.evidence).evidence)
        said = "\n".join(f"- {one['text']}" for one in reasons) or "- nothing"
        found = conversation.ask(
            "reviewer",
            REVIEWER,
            [
                *dossier.question(),
                *dossier.schema([dossier.predicted_sql, *dossier.running_references()]),
                *dossier.prediction(),
                *dossier.references(),
                PromptSection("What programs found", said),
            ],
        )
        labels = [] if found is None else labels_of(found)
        return conversation.decided(found, "verdict", labels=labels)
