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

    The prediction must run. Where its rows are a reference's (`match`: rose, bird, strict,
    intent), only the Refuter is asked; where they are not, the Prover is, which does not see the
    reference, and, if it accepts, the Refuter, which does.

    Labels: `gold_fault` (GoldX), `ambiguous_question` (AmbQ), `ambiguous_schema`.

    Args:
        trust_equal_rows: ask nobody where the rows are equal.

    Source: ROSE (ACL 2026, arXiv:2604.12988).
    """

    name: ClassVar[str] = "rose"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS | Needs.LLM
    title: ClassVar[str] = "ROSE"
    prompts: ClassVar[tuple[Prompt, ...]] = (PROVER, REFUTER)

    trust_equal_rows: bool = False

    def once(self, conversation: Conversation) -> Verdict:
        """The cascade."""
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
