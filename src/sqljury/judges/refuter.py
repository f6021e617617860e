"""ROSE's Refuter: a model tries to show with the reference that an accepted query is wrong."""

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
    """A model tries to refute the prediction, with the reference as evidence.

    The score is 1 unless it refutes the prediction. Labels: `gold_fault` if it finds a reference
    wrong, `ambiguous_question`, `ambiguous_schema`.

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
    """The Refuter's answer, or None if there is none.

    Args:
        proof: the Prover's answer, if it was asked.
        rows: the result of comparing the rows, if they were compared.
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
    """The verdict for the Refuter's answer; ``judge_unavailable`` without an answer."""
    if refutation is None:
        return conversation.unavailable()
    reason = str(refutation["judgement"])
    return conversation.verdict(not refutation["verdict"], reason, labels_of(refutation))


def labels_of(found: Mapping[str, Json]) -> list[str]:
    """The labels for ROSE's diagnoses in an answer: GoldX (gold_fault), AmbQ (ambiguous_question),
    ambiguous_schema."""
    labels = ["gold_fault"] if found.get("gold_correct") is False else []
    if found["ambiguity"] != "na":
        labels.append(str(found["ambiguity"]).replace(" ", "_"))
    return labels
