"""Uses of verdicts: what can be done with them, whatever judge they came from."""

from sqljury.uses.agree import Agreement, AgreementSlice, Figures, JudgeAgreement, Pair, agree
from sqljury.uses.evaluate import JudgeSummary, Slice, Summary, failing, summarise

__all__ = [
    "Agreement",
    "AgreementSlice",
    "Figures",
    "JudgeAgreement",
    "JudgeSummary",
    "Pair",
    "Slice",
    "Summary",
    "agree",
    "failing",
    "summarise",
]
