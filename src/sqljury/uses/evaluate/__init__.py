"""Evaluate: scores of each judge, failures grouped by cause, comparison of two runs."""

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
