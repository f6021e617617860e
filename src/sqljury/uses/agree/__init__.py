"""Agree: agreement of verdicts with human labels, and of judges with each other."""

from sqljury.uses.agree.agreement import (
    Agreement,
    AgreementSlice,
    Figures,
    JudgeAgreement,
    agree,
)

__all__ = ["Agreement", "AgreementSlice", "Figures", "JudgeAgreement", "agree"]
