"""ROSE's ablation without a reference for Prover and Refuter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import Conversation, IntentJudge
from sqljury.judges.prompts import TEXT, YES_NO, Prompt, answer
from sqljury.judges.prompts.sections import opinion
from sqljury.judges.prover import PROVER, examine
from sqljury.judges.refuter import AMBIGUITY, concluded
from sqljury.verdict import Verdict

REFUTER_WOGT = Prompt("refuter_wogt", answer(judgement=TEXT, verdict=YES_NO, ambiguity=AMBIGUITY))


@register
@dataclass(frozen=True)
class RoseWithoutReference(IntentJudge):
    """ROSE without a reference: the Prover, and if it accepts, a Refuter that has no reference.

    Labels: `ambiguous_question`, `ambiguous_schema`.

    Source: ROSE (ACL 2026, arXiv:2604.12988), ablation "ROSE w/o GT".
    """

    name: ClassVar[str] = "rose_wogt"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.PREDICTION_ROWS | Needs.LLM
    title: ClassVar[str] = "ROSE-wo-GT"
    prompts: ClassVar[tuple[Prompt, ...]] = (PROVER, REFUTER_WOGT)

    def once(self, conversation: Conversation) -> Verdict:
        """The verdict of Prover and Refuter; rows are not compared."""
        dossier = self.dossier(conversation)
        proof = examine(conversation, dossier)
        if proof is None or not proof["verdict"]:
            return conversation.decided(proof, "verdict")
        refutation = conversation.ask(
            "refuter",
            REFUTER_WOGT,
            [
                *dossier.question(),
                *dossier.schema([dossier.predicted_sql], neighbours=True),
                *dossier.prediction(),
                opinion(proof),
            ],
        )
        return concluded(conversation, refutation)
