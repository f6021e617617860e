"""Evaluate: aggregate the verdicts of each judge, with honest denominators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The cases of one judge that share a property: a database, a difficulty, a SQL feature."""

    dimension: str
    value: str
    n: int
    score: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSummary:
    """One judge's aggregate. Fractions, not percent.

    ``n`` is the denominator of ``score``; ``total`` counts every case; what was left out of
    the denominator is ``left_out`` (reference_*, database_missing, judge_unavailable).
    """

    name: str
    signature: str
    n: int
    total: int
    left_out: int
    score: float | None
    low: float | None
    high: float | None
    interval: str
    """How low and high were found: ``wilson`` for 0/1 scores, ``normal`` for graded ones."""
    outcomes: Mapping[str, int]
    measures: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, int] = field(default_factory=dict)
    slices: tuple[Slice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What `evaluate` prints."""

    judges: tuple[JudgeSummary, ...]
    run: str
    """The folder of the run."""
