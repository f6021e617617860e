"""ROSE's ablation with one prompt for the roles of Prover and Refuter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import Conversation, IntentJudge
from sqljury.judges.prompts import TEXT, YES_NO, Prompt, answer
from sqljury.judges.refuter import AMBIGUITY, labels_of
from sqljury.verdict import Verdict

_PARTS = {
    "expected_answer": TEXT,
    "sql_description": TEXT,
    "prover_reason": TEXT,
    "prover_verdict": YES_NO,
    "refuter_judgement": TEXT,
    "reason": TEXT,
    "verdict": YES_NO,
    "ambiguity": AMBIGUITY,
}
UNIFIED = Prompt("unified", answer(**_PARTS, gold_correct=YES_NO))
UNIFIED_WOGT = Prompt("unified_wogt", answer(**_PARTS))


@register
@dataclass(frozen=True)
class RoseUnified(IntentJudge):
    """One prompt has the roles of Prover and Refuter; both must accept the prediction.

    Args:
        reference: show the reference; if false, none is needed.

    Source: ROSE (ACL 2026, arXiv:2604.12988), ablations "Unified" and "Unified w/o GT".
    """

    name: ClassVar[str] = "rose_unified"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS | Needs.LLM
    title: ClassVar[str] = "Unified"
    prompts: ClassVar[tuple[Prompt, ...]] = (UNIFIED,)

    reference: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.reference:
            # A reference that is not shown is not needed either.
            object.__setattr__(self, "needs", Needs.PREDICTION_ROWS | Needs.LLM)
            object.__setattr__(self, "prompts", (UNIFIED_WOGT,))

    def once(self, conversation: Conversation) -> Verdict:
        """The verdict that the model's answer to one prompt gives."""
        dossier = self.dossier(conversation)
        queries = [dossier.predicted_sql]
        if self.reference:
            queries += dossier.running_references()
        found = conversation.ask(
            "unified",
            self.prompts[0],
            [
                *dossier.question(),
                *dossier.schema(queries, neighbours=not self.reference),
                *dossier.prediction(),
                *(dossier.references() if self.reference else []),
            ],
        )
        if found is None:
            return conversation.unavailable()
        # As in ROSE both roles must accept, even if the final verdict of the answer is a yes.
        proved = bool(found["prover_verdict"])
        by, reason = ("verdict", "reason") if proved else ("prover_verdict", "prover_reason")
        return conversation.decided(found, by, reason, labels_of(found))
