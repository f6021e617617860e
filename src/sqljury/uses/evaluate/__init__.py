"""Evaluate: the verdicts of each judge in numbers, failures by cause, runs against each other."""

from sqljury.uses.evaluate.summary import (
    JudgeCost,
    JudgeSummary,
    Slice,
    StageCost,
    Summary,
    counted_score,
    failing,
    summarise,
)

__all__ = [
    "JudgeCost",
    "JudgeSummary",
    "Slice",
    "StageCost",
    "Summary",
    "counted_score",
    "failing",
    "summarise",
]
