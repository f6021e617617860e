"""ROSE's Refuter: the reference as a witness against a query that was accepted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Json
from sqljury.judges.base import Needs, register
from sqljury.judges.model_judge import Conversation, IntentJudge
from sqljury.judges.prompts import TEXT, YES_NO, Prompt, answer
from sqljury.judges.prompts.sections import Dossier, PromptSection, opinion
from sqljury.verdict import Verdict

AMBIGUITY: Json = {"type": "string", "enum": ["ambiguous question", "ambiguous schema", "na"]}

REFUTER = Prompt(
    "refuter", answer(judgement=TEXT, verdict=YES_NO, ambiguity=AMBIGUITY, gold_correct=YES_NO)
)


@register
@dataclass(frozen=True)
class Refuter(IntentJudge):
    """A model tries to overturn the query with the reference as its witness by a Prover.

    Score 1 unless it overturns. Labels: `gold_fault` where it finds a reference wrong,
    `ambiguous_question`, `ambiguous_schema`.

    Source: ROSE (ACL 2026, arXiv:2604.12988), Adversarial Refuter.
    """

    name: ClassVar[str] = "refuter"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS | Needs.LLM
    title: ClassVar[str] = "RefuterOnly"
    prompts: ClassVar[tuple[Prompt, ...]] = (REFUTER,)

    def once(self, conversation: Conversation) -> Verdict:
        """The Refuter's verdict."""
        return concluded(conversation, challenge(conversation, self.dossier(conversation)))


def challenge(
    conversation: Conversation,
    dossier: Dossier,
    *,
    proof: Mapping[str, Json] | None = None,
    rows: PromptSection | None = None,
) -> Mapping[str, Json] | None:
    """The Refuter's answer, or None where it cannot be had.

    Args:
        proof: what the Prover answered, where it was asked.
        rows: what a comparison of the rows found, where there was one.
    """
    return conversation.ask(
        "refuter",
        REFUTER,
        [
            *dossier.question(),
            *dossier.schema([dossier.predicted_sql, *dossier.running_references()]),
            *dossier.prediction(),
            *dossier.references(),
            *([rows] if rows is not None else []),
            *([opinion(proof)] if proof is not None else []),
        ],
    )


def concluded(conversation: Conversation, refutation: Mapping[str, Json] | None) -> Verdict:
    """The verdict that follows from the Refuter's answer."""
    if refutation is None:
        return conversation.unavailable()
    reason = str(refutation["judgement"])
    return conversation.verdict(not refutation["verdict"], reason, labels_of(refutation))


def labels_of(found: Mapping[str, Json]) -> list[str]:
    """ROSE's diagnoses: GoldX (gold_fault), AmbQ (ambiguous_question) and ambiguous_schema."""
    labels = ["gold_fault"] if found.get("gold_correct") is False else []
    if found["ambiguity"] != "na":
        labels.append(str(found["ambiguity"]).replace(" ", "_"))
    return labels
