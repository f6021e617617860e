"""ROSE's Prover: a model judges without a reference whether the query answers the question."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Json
from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import Conversation, IntentJudge
from sqljury.judges.prompts import TEXT, YES_NO, Prompt, answer
from sqljury.judges.prompts.sections import Dossier
from sqljury.verdict import Verdict

PROVER = Prompt(
    "prover",
    answer(expected_answer=TEXT, sql_description=TEXT, reason=TEXT, evidence=TEXT, verdict=YES_NO),
)


@register
@dataclass(frozen=True)
class Prover(IntentJudge):
    """A model says whether the query answers the question, without seeing a reference.

    It is shown question, hint, criteria, schema, the query and its rows. By itself it is too
    lenient: the paper's "ROSE w/o Refuter".

    Source: ROSE (ACL 2026, arXiv:2604.12988), SQL Prover.
    """

    name: ClassVar[str] = "prover"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.PREDICTION_ROWS | Needs.LLM
    title: ClassVar[str] = "ProverOnly"
    prompts: ClassVar[tuple[Prompt, ...]] = (PROVER,)

    def once(self, conversation: Conversation) -> Verdict:
        """The Prover's verdict."""
        return conversation.decided(examine(conversation, self.dossier(conversation)), "verdict")


def examine(conversation: Conversation, dossier: Dossier) -> Mapping[str, Json] | None:
    """The Prover's answer, or None if there is none."""
    return conversation.ask(
        "prover",
        PROVER,
        [
            *dossier.question(),
            *dossier.schema([dossier.predicted_sql], neighbours=True),
            *dossier.prediction(),
        ],
    )
