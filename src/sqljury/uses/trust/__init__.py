"""Trust: answer, or say "I don't know", and score both."""

from sqljury.uses.trust.decisions import (
    Gate,
    GateStats,
    RiskCoverage,
    apply_gates,
    curve_of,
    risk_coverage,
)
from sqljury.uses.trust.reliability import (
    BASELINES,
    DEFAULT_PENALTIES,
    MIXES,
    Penalty,
    ReplyCounts,
    count,
    mixed,
    parse_penalty,
    reliability,
)
from sqljury.uses.trust.summary import (
    DEFAULT_RISKS,
    Trust,
    TrustFigures,
    TrustSlice,
    TrustThreshold,
    trust,
)
from sqljury.uses.trust.thresholds import (
    best_threshold,
    conformal_threshold,
    heuristic_threshold,
    selective_threshold,
    withhold,
)

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
