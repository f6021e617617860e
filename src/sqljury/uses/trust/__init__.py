"""Trust: answer, or say "I don't know", and score both."""

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
