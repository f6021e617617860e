"""Agree: verdicts against what people say, and judges against each other."""

from sqljury.uses.agree.agreement import (
    Agreement,
    AgreementSlice,
    Figures,
    JudgeAgreement,
    agree,
)

__all__ = ["Agreement", "AgreementSlice", "Figures", "JudgeAgreement", "agree"]
