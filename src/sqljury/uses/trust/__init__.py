"""Trust: score a system's answers and its abstentions ("I don't know") together."""

from sqljury.uses.trust.decisions import Gate, GateStats, apply_gates
from sqljury.uses.trust.reliability import DEFAULT_PENALTIES, Penalty, parse_penalty, reliability
from sqljury.uses.trust.summary import DEFAULT_RISKS, Trust, TrustFigures, trust

__all__ = [
    "DEFAULT_PENALTIES",
    "DEFAULT_RISKS",
    "Gate",
    "GateStats",
    "Penalty",
    "Trust",
    "TrustFigures",
    "apply_gates",
    "parse_penalty",
    "reliability",
    "trust",
]
