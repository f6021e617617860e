"""Uses of verdicts: what can be done with them, whatever judge they came from."""

from sqljury.uses.agree import Agreement, AgreementSlice, Figures, JudgeAgreement, JudgePair, agree
from sqljury.uses.evaluate import (
    JudgeCost,
    JudgeSummary,
    Slice,
    StageCost,
    Summary,
    failing,
    summarise,
)

__all__ = [
    "Agreement",
    "AgreementSlice",
    "Figures",
    "JudgeAgreement",
    "JudgeCost",
    "JudgePair",
    "JudgeSummary",
    "Slice",
    "StageCost",
    "Summary",
    "agree",
    "failing",
    "summarise",
]
