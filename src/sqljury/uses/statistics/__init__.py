"""Statistics of agreement: pure functions of counts and numbers.

A statistic that is undefined (no cases, one class only, no variance) is None, never 0 or NaN.
"""

from sqljury.uses.statistics.agreement import (
    ASSOCIATION_STATISTICS,
    COUNT_STATISTICS,
    Confusion,
    ScoreTable,
    fleiss_kappa,
)
from sqljury.uses.statistics.intervals import (
    Bootstrap,
    Corrected,
    Interval,
    Tally,
    mean_interval,
    prediction_powered,
    rogan_gladen,
    weighted_kappa,
    wilson_interval,
)
from sqljury.uses.statistics.paired import SIGNIFICANT, Paired, PairedCounts, adjusted, holm

__all__ = [
    "ASSOCIATION_STATISTICS",
    "COUNT_STATISTICS",
    "SIGNIFICANT",
    "Bootstrap",
    "Confusion",
    "Corrected",
    "Interval",
    "Paired",
    "PairedCounts",
    "ScoreTable",
    "Tally",
    "adjusted",
    "fleiss_kappa",
    "holm",
    "mean_interval",
    "prediction_powered",
    "rogan_gladen",
    "weighted_kappa",
    "wilson_interval",
]
