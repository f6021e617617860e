"""FLEX: a model corrects wrong results of execution accuracy, in both directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import ComparingJudge, Conversation
from sqljury.judges.prompts import TEXT, YES_NO, Prompt, answer
from sqljury.verdict import Verdict

_ANSWER = answer(reason=TEXT, verdict=YES_NO)
FLEX_EQUAL = Prompt("flex_equal", _ANSWER)
FLEX_DIFFER = Prompt("flex_differ", _ANSWER)


@register
@dataclass(frozen=True)
class Flex(ComparingJudge):
    """A model corrects execution accuracy: one prompt if the rows agree, another if not.

    If they agree (`match`: bird, rose, strict, intent), the model searches for accidental matches
    and is not shown the rows; if they differ, for differences that do not matter.

    Source: Kim et al. 2024, FLEX (arXiv:2409.19014; NAACL 2025).
    """

    name: ClassVar[str] = "flex"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS | Needs.LLM
    title: ClassVar[str] = "FLEX"
    prompts: ClassVar[tuple[Prompt, ...]] = (FLEX_EQUAL, FLEX_DIFFER)

    match: str = "bird"

    def once(self, conversation: Conversation) -> Verdict:
        """The verdict of one prompt, which depends on whether the rows are equal."""
        dossier = self.dossier(conversation)
        equal, rows = self.compare(conversation)
        queries = [dossier.predicted_sql, *dossier.running_references()]
        found = conversation.ask(
            "flex",
            FLEX_EQUAL if equal else FLEX_DIFFER,
            [
                *dossier.question(),
                *dossier.schema(queries),
                *dossier.prediction(with_rows=not equal),
                *dossier.references(with_rows=not equal),
                *([] if equal else [rows]),
            ],
        )
        return conversation.decided(found, "verdict")
