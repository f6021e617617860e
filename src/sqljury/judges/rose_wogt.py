"""ROSE without the reference: a Prover, and a Refuter that has nothing but doubt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.asking import Conversation, IntentJudge, unasked
from sqljury.judges.base import Needs, register
from sqljury.judges.dossier import opinion
from sqljury.judges.prompts import TEXT, YES_NO, Prompt, answer
from sqljury.judges.prover import PROVER, examine
from sqljury.judges.refuter import AMBIGUITY, concluded
from sqljury.verdict import Verdict

REFUTER_WOGT = Prompt("refuter_wogt", answer(judgement=TEXT, verdict=YES_NO, ambiguity=AMBIGUITY))


@register
@dataclass(frozen=True)
class RoseWithoutReference(IntentJudge):
    """ROSE where there is no reference: the Prover, and if it accepts, a reference-free Refuter.

    Labels: `ambiguous_question`, `ambiguous_schema`.

    Source: ROSE (ACL 2026, arXiv:2604.12988), ablation "ROSE w/o GT".
    """

    name: ClassVar[str] = "rose_wogt"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.PREDICTION_ROWS | Needs.LLM
    title: ClassVar[str] = "ROSE-wo-GT"
    prompts: ClassVar[tuple[Prompt, ...]] = (PROVER, REFUTER_WOGT)

    def once(self, case: Case, evidence: Evidence, sample: int) -> Verdict:
        """Two stages, no comparison of rows."""
        if not case.question:
            return unasked()
        hearing = Conversation(self, evidence, sample)
        dossier = self.dossier(case, evidence)
        proof = examine(hearing, dossier)
        if proof is None:
            return hearing.unavailable()
        if not proof["verdict"]:
            return hearing.rejects(str(proof["reason"]))
        refutation = hearing.ask(
            "refuter",
            REFUTER_WOGT,
            [
                *dossier.question(),
                *dossier.schema([dossier.predicted_sql], neighbours=True),
                *dossier.prediction(),
                opinion(proof),
            ],
        )
        return concluded(hearing, refutation)
