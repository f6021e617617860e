"""DEMO: a model writes SQL or `not_answerable`, after examples of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqljury.declining import NOT_ANSWERABLE
from sqljury.extraction import sql_in
from sqljury.judges.abstention.abstention_prompt import AbstentionPrompt
from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import Conversation
from sqljury.judges.prompts import TEXT, Prompt, answer
from sqljury.judges.prompts.demonstrations import Demonstration
from sqljury.verdict import Verdict

DEMO = Prompt("demo", answer(sql=TEXT))


@register
@dataclass(frozen=True)
class Demo(AbstentionPrompt):
    """A model, shown demonstrations of both, writes SQL or `not_answerable`.

    SQL gives ``correct``, `not_answerable` gives ``incorrect``: as a gate it makes a system
    abstain. The model's own SQL is in the evidence (`demo`).

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), SQLPROMPT[DEMO] and appendix B.
    """

    name: ClassVar[str] = "demo"
    version: ClassVar[int] = 3
    needs: ClassVar[Needs] = Needs.QUESTION | Needs.LLM
    title: ClassVar[str] = "DEMO"
    prompts: ClassVar[tuple[Prompt, ...]] = (DEMO,)

    style: str = "columns"

    def answers(self, shown: Sequence[Demonstration]) -> list[tuple[str, str]]:
        """The questions, each with its SQL or the word for unanswerable ones."""
        return [(one.question, one.sql or NOT_ANSWERABLE) for one in shown]

    def once(self, conversation: Conversation) -> Verdict:
        """The verdict that the model's answer gives: ``correct`` if the model wrote SQL."""
        found = conversation.ask("demo", DEMO, self.sections(conversation))
        if found is None:
            return conversation.unavailable()
        sql = str(found["sql"])
        if not sql.strip() or sql_in(sql) is None:
            return conversation.verdict(False, "the model says that there is no answer")
        return conversation.verdict(True, "the model wrote SQL")
