"""Evaluate: scores of each judge, failures grouped by cause, comparison of two runs."""

from typing import TYPE_CHECKING

from sqljury.rooms import lazily

if TYPE_CHECKING:
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
else:
    __getattr__ = lazily(__name__)

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
