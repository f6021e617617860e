"""G-Eval: a model scores 0 or 1 whether two queries agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import Conversation, ModelJudge
from sqljury.judges.prompts import Prompt, answer
from sqljury.judges.prompts.sections import Dossier
from sqljury.verdict import Verdict

G_EVAL = Prompt("g_eval", answer(score={"type": "integer", "enum": [0, 1]}))


@register
@dataclass(frozen=True)
class GEval(ModelJudge):
    """A model scores prediction and reference as consistent (1) or not (0), from their texts alone.

    The model gives no reasons and is shown no schema. With several references one consistent
    with the prediction is enough.

    Source: Liu et al. 2023, G-Eval (arXiv:2303.16634), as FuncEvalGMN (Zhan et al. 2025,
    appendix N.2) applies it to SQL.
    """

    name: ClassVar[str] = "g_eval"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.REFERENCE | Needs.LLM
    reads_question: ClassVar[bool] = False
    title: ClassVar[str] = "G-Eval"
    prompts: ClassVar[tuple[Prompt, ...]] = (G_EVAL,)

    def once(self, conversation: Conversation) -> Verdict:
        """Asks about one reference after the other until one is consistent."""
        dossier = Dossier(conversation.case, conversation.evidence)
        for number, reference in enumerate(conversation.case.reference_sqls, start=1):
            stage = "scorer" if number == 1 else f"scorer {number}"
            found = conversation.ask(
                stage,
                G_EVAL,
                [
                    dossier.sql("First query", reference),
                    dossier.sql("Second query", dossier.predicted_sql),
                ],
            )
            if found is None:
                return conversation.unavailable()
            if found["score"] == 1:
                return conversation.verdict(True, "scored as consistent")
        return conversation.verdict(False, "scored as not consistent")
