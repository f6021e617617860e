"""VERBAL: a model marks a query as correct or incorrect, after examples of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqljury.judges.abstention.abstention_prompt import AbstentionPrompt
from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import Conversation
from sqljury.judges.prompts import Prompt, answer
from sqljury.judges.prompts.demonstrations import Demonstration, Wanted
from sqljury.judges.prompts.sections import Dossier
from sqljury.verdict import Verdict

VERBAL = Prompt("verbal", answer(mark={"type": "string", "enum": ["correct", "incorrect"]}))


@register
@dataclass(frozen=True)
class Verbal(AbstentionPrompt):
    """A model marks the prediction as correct or incorrect, after demonstrations of both marks.

    Demonstrations marked correct are the most similar answerable questions with their own SQL;
    those marked incorrect are random other questions, each with the SQL of another one. In the
    paper the model marks its own SQL while writing it: for that use
    `sqljury generate --mode verbal`.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), SQLPROMPT[VERBAL]; Lin et al. 2022.
    """

    name: ClassVar[str] = "verbal"
    version: ClassVar[int] = 3
    needs: ClassVar[Needs] = Needs.LLM
    title: ClassVar[str] = "VERBAL"
    prompts: ClassVar[tuple[Prompt, ...]] = (VERBAL,)

    style: str = "columns"

    def once(self, conversation: Conversation) -> Verdict:
        """The verdict that the model's answer to one prompt gives."""
        dossier = Dossier(conversation.case, conversation.evidence)
        query = dossier.sql("Predicted SQL", dossier.predicted_sql)
        found = conversation.ask("verbal", VERBAL, [*self.sections(conversation), query])
        if found is None:
            return conversation.unavailable()
        return conversation.verdict(found["mark"] == "correct", f"marked as {found['mark']}")

    @property
    def wanted(self) -> Wanted:
        """The numbers of demonstrations: answerable questions for both marks."""
        return Wanted(self.positives, 0, self.negatives)

    def answers(self, shown: Sequence[Demonstration]) -> list[tuple[str, str]]:
        """The questions, each with its SQL and mark."""
        return [(one.question, marked(one)) for one in shown]


def marked(one: Demonstration) -> str:
    """The SQL of a demonstration and its mark, as a comment.

    >>> marked(Demonstration("How many?", "SELECT 1", "db", right=False))
    'SELECT 1 # incorrect'
    """
    return f"{one.sql} # {'correct' if one.right else 'incorrect'}"
