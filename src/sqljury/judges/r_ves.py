"""R-VES: reward for predictions that are right and fast."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import median, quantiles
from typing import ClassVar

from sqljury.case import Case
from sqljury.evidence import Evidence
from sqljury.judges.base import Judge, Needs, register
from sqljury.tables import compare, make_policy
from sqljury.verdict import Verdict

# Lower bound of time(reference) / time(prediction), and the reward from there on.
_REWARDS = ((2.0, 1.25), (1.0, 1.0), (0.5, 0.75), (0.25, 0.5), (0.0, 0.25))
_BEST = math.sqrt(_REWARDS[0][1])


@register
@dataclass(frozen=True)
class RVes(Judge):
    """BIRD's reward-based valid efficiency score, from interleaved runs of both queries.

    A prediction whose rows agree (policy ``bird``) gets a reward by the ratio of the median times,
    that of the reference over its own: 1.25 for at least 2, then 1 (1), 0.75 (0.5), 0.5 (0.25),
    else 0.25. The measure ``r_ves`` is the square root of the reward, and 100 times its mean is
    BIRD's figure; the score is the measure scaled to [0, 1]. Times differ from run to run, and so
    does this score.

    Args:
        repeats: how often both queries run, at least 3.

    Source: BIRD mini-dev (R-VES).
    """

    name: ClassVar[str] = "r_ves"
    version: ClassVar[int] = 1
    needs: ClassVar[Needs] = Needs.REFERENCE_ROWS | Needs.PREDICTION_ROWS

    repeats: int = 11

    def __post_init__(self) -> None:
        if self.repeats < 3:
            raise ValueError("repeats must be at least 3: a spread needs several runs")

    @property
    def threshold(self) -> float:
        """The score of the slowest prediction that returns the reference's rows."""
        return math.sqrt(min(value for _, value in _REWARDS)) / _BEST

    def judge(self, case: Case, evidence: Evidence) -> Verdict:
        """The verdict by the times of the prediction and the first reference with equal rows."""
        predicted = str(case.predicted_sql)
        table = evidence.rows(predicted).table
        assert table is not None  # needs PREDICTION_ROWS
        policy = make_policy("bird")
        for sql in case.reference_sqls:
            run = evidence.rows(sql)
            if run.table is not None and compare(run.table, table, policy).equal:
                return self._timed(sql, predicted, evidence)
        return Verdict.incorrect("the rows differ from the reference's", measures={"r_ves": 0.0})

    def _timed(self, reference: str, predicted: str, evidence: Evidence) -> Verdict:
        left, right = evidence.time_pair(reference, predicted, repeats=self.repeats)
        ratios = [a / b for a, b in zip(left, right, strict=True)]
        ratio = median(left) / median(right)
        low, _, high = quantiles(ratios, n=4)
        value = math.sqrt(reward(ratio))
        return Verdict.correct(
            f"{ratio:.2f} times as fast as the reference (quartiles {low:.2f} to {high:.2f}, "
            f"{self.repeats} runs)",
            measures={"r_ves": value},
            evidence={"reference_seconds": left, "prediction_seconds": right},
        ).with_score(value / _BEST)


def reward(ratio: float) -> float:
    """The reward for a ratio time(reference) / time(prediction).

    >>> [reward(r) for r in (3, 2, 1.5, 0.5, 0.3, 0.1)]
    [1.25, 1.25, 1.0, 0.75, 0.5, 0.25]
    """
    return next(value for bound, value in _REWARDS if ratio >= bound)
