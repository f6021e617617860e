"""CLSPROMPT: a model says from question and schema whether the question can be answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from sqljury.declining import NOT_ANSWERABLE
from sqljury.judges.abstention.abstention_prompt import AbstentionPrompt
from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import Conversation
from sqljury.judges.prompts import TEXT, YES_NO, Prompt, answer
from sqljury.judges.prompts.demonstrations import Demonstration
from sqljury.verdict import Verdict

CLSPROMPT = Prompt("clsprompt", answer(reason=TEXT, answerable=YES_NO))


@register
@dataclass(frozen=True)
class ClsPrompt(AbstentionPrompt):
    """A model says whether the question can be answered, before there is any SQL.

    It is shown the schema with three values of each column, and `demos` if given: the paper shows
    16 answerable and 16 unanswerable questions of the same database, or two and two of each of 8
    others (`databases=8,positives=2,negatives=2`), whose values are shown where `schemas` is a
    folder of databases.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), appendix D.
    """

    name: ClassVar[str] = "clsprompt"
    version: ClassVar[int] = 2
    needs: ClassVar[Needs] = Needs.QUESTION | Needs.LLM
    title: ClassVar[str] = "CLSPROMPT"
    prompts: ClassVar[tuple[Prompt, ...]] = (CLSPROMPT,)

    positives: int = 16
    negatives: int = 16

    def answers(self, shown: Sequence[Demonstration]) -> list[tuple[str, str]]:
        """The questions, each with ``answerable`` or the word for unanswerable ones."""
        return [
            (one.question, NOT_ANSWERABLE if one.sql is None else "answerable") for one in shown
        ]

    def once(self, conversation: Conversation) -> Verdict:
        """The verdict that the model's answer to one prompt gives."""
        found = conversation.ask("clsprompt", CLSPROMPT, self.sections(conversation))
        return conversation.decided(found, "answerable")
