"""Trust: answer, or say "I don't know", and score both."""

from sqljury.uses.trust.baselines import BASELINES
from sqljury.uses.trust.conformal import conformal_threshold
from sqljury.uses.trust.gates import Gate, GateStats, apply_gates
from sqljury.uses.trust.mixes import MIXES, mixed
from sqljury.uses.trust.penalty import DEFAULT_PENALTIES, Penalty, parse_penalty
from sqljury.uses.trust.reliability import ReplyCounts, count, reliability
from sqljury.uses.trust.risk_coverage import RiskCoverage, curve_of, risk_coverage
from sqljury.uses.trust.selective import selective_threshold
from sqljury.uses.trust.summary import (
    DEFAULT_RISKS,
    Trust,
    TrustFigures,
    TrustSlice,
    TrustThreshold,
    trust,
)
from sqljury.uses.trust.thresholds import best_threshold, heuristic_threshold, withhold

__all__ = [
    "BASELINES",
    "DEFAULT_PENALTIES",
    "DEFAULT_RISKS",
    "MIXES",
    "Gate",
    "GateStats",
    "Penalty",
    "ReplyCounts",
    "RiskCoverage",
    "Trust",
    "TrustFigures",
    "TrustSlice",
    "TrustThreshold",
    "apply_gates",
    "best_threshold",
    "conformal_threshold",
    "count",
    "curve_of",
    "heuristic_threshold",
    "mixed",
    "parse_penalty",
    "reliability",
    "risk_coverage",
    "selective_threshold",
    "trust",
    "withhold",
]
