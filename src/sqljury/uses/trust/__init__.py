"""Trust: answer, or say "I don't know", and score both."""

from sqljury.uses.trust.baselines import BASELINES
from sqljury.uses.trust.gates import Gate, Passage, through
from sqljury.uses.trust.mixes import MIXES, mixed
from sqljury.uses.trust.penalty import DEFAULT_PENALTIES, Penalty, parse_penalty
from sqljury.uses.trust.reliability import Counts, count, reliability
from sqljury.uses.trust.risk_coverage import RiskCoverage, curve_of, risk_coverage
from sqljury.uses.trust.summary import Trust, TrustFigures, TrustSlice, trust

__all__ = [
    "BASELINES",
    "DEFAULT_PENALTIES",
    "MIXES",
    "Counts",
    "Gate",
    "Passage",
    "Penalty",
    "RiskCoverage",
    "Trust",
    "TrustFigures",
    "TrustSlice",
    "count",
    "curve_of",
    "mixed",
    "parse_penalty",
    "reliability",
    "risk_coverage",
    "through",
    "trust",
]
