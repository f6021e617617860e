"""ROSE: execution first, then a Prover without the reference, then a Refuter with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import ComparingJudge, Conversation
from sqljury.judges.prompts import Prompt
from sqljury.judges.prover import PROVER, examine
from sqljury.judges.refuter import REFUTER, challenge, concluded
from sqljury.verdict import Verdict


@register
@dataclass(frozen=True)
class Rose(ComparingJudge):
    """Does the query answer the question? A Prover and a Refuter must both say so.

    The prediction must run. If its rows equal a reference's (`match`: rose, bird, strict, intent),
    only the Refuter is asked. If not, the Prover is asked first, without the reference; if it
    accepts, the Refuter is asked, with the reference.

    Labels: `gold_fault` (GoldX), `ambiguous_question` (AmbQ), `ambiguous_schema`.

    Args:
        trust_equal_rows: if the rows are equal, accept without asking a model.

    Source: ROSE (ACL 2026, arXiv:2604.12988).
    """

    name: ClassVar[str] = "rose"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS | Needs.LLM
    title: ClassVar[str] = "ROSE"
    prompts: ClassVar[tuple[Prompt, ...]] = (PROVER, REFUTER)

    trust_equal_rows: bool = False

    def once(self, conversation: Conversation) -> Verdict:
        """The verdict of comparison, Prover and Refuter, as far as they are needed."""
        dossier = self.dossier(conversation)
        equal, rows = self.compare(conversation)
        if equal and self.trust_equal_rows:
            return conversation.verdict(True, "the rows are a reference's")
        proof = None
        if not equal:
            proof = examine(conversation, dossier)
            if proof is None or not proof["verdict"]:
                return conversation.decided(proof, "verdict")
        return concluded(conversation, challenge(conversation, dossier, proof=proof, rows=rows))
