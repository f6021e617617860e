"""A judge's verdict on a case: outcome, score, reason and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypedDict, Unpack

from sqljury.case import Case, Json


class Outcome(StrEnum):
    """The fixed list of outcomes of a case."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    PREDICTION_ERROR = "prediction_error"
    PREDICTION_TIMEOUT = "prediction_timeout"
    PREDICTION_TOO_LARGE = "prediction_too_large"
    PREDICTION_OUT_OF_MEMORY = "prediction_out_of_memory"
    PREDICTION_REFUSED = "prediction_refused"
    """A write, an attach, a second statement, …: not run."""
    PREDICTION_MISSING = "prediction_missing"
    ABSTAINED = "abstained"
    REFERENCE_MISSING = "reference_missing"
    REFERENCE_ERROR = "reference_error"
    REFERENCE_TIMEOUT = "reference_timeout"
    REFERENCE_TOO_LARGE = "reference_too_large"
    DATABASE_MISSING = "database_missing"
    UNKNOWN = "unknown"
    """The judge ran and cannot decide."""
    JUDGE_UNAVAILABLE = "judge_unavailable"

    @property
    def left_out(self) -> bool:
        """True if it is not in the default denominator: it says nothing about the prediction."""
        return self.startswith("reference_") or self in _LEFT_OUT

    @property
    def is_infrastructure(self) -> bool:
        """True if a resumed run judges the case again."""
        return self is Outcome.JUDGE_UNAVAILABLE


_LEFT_OUT = (Outcome.DATABASE_MISSING, Outcome.JUDGE_UNAVAILABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Billed:
    """What a warehouse billed for statements, when each was first run."""

    statements: int = 0
    bytes: int = 0
    credits: float = 0.0
    money: float = 0.0
    """In US dollars; statements without a known price count as 0."""
    unpriced: int = 0
    """The number of statements without a known price."""
    seconds: float = 0.0

    def __add__(self, other: Billed) -> Billed:
        return Billed(
            statements=self.statements + other.statements,
            bytes=self.bytes + other.bytes,
            credits=self.credits + other.credits,
            money=self.money + other.money,
            unpriced=self.unpriced + other.unpriced,
            seconds=self.seconds + other.seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a verdict cost. It is not exported, because seconds differ from run to run.

    If models were called, all figures are those of the calls when the answers were made, so that a
    replay gives the same; otherwise ``seconds`` is the time of judging.
    """

    seconds: float = 0.0
    calls: int = 0
    tokens: int = 0
    money: float = 0.0
    """In US dollars; calls without a known price count as 0."""
    unpriced: int = 0
    """The number of calls without a known price."""
    stages: Mapping[str, Cost] = field(default_factory=dict)
    """The cost by stage: Prover and Refuter, or the members of a panel."""
    billed: Billed = Billed()
    """What a warehouse billed for the statements; it is not part of ``money``."""

    def __add__(self, other: Cost) -> Cost:
        stages = dict(self.stages)
        for name, cost in other.stages.items():
            stages[name] = stages.get(name, Cost()) + cost
        return Cost(
            seconds=self.seconds + other.seconds,
            calls=self.calls + other.calls,
            tokens=self.tokens + other.tokens,
            money=self.money + other.money,
            unpriced=self.unpriced + other.unpriced,
            stages=stages,
            billed=self.billed + other.billed,
        )


class VerdictFields(TypedDict, total=False):
    """The fields of a verdict besides outcome, score and reason."""

    labels: tuple[str, ...]
    measures: Mapping[str, float]
    evidence: Mapping[str, Json]
    cost: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An outcome, a score in [0, 1] or None, a reason in words, and the evidence.

    ``labels`` are short tags (``gold_fault``, ``limit_cuts_tie``). ``measures`` are other numbers
    that are averaged over cases like the score (``r_ves``, ``precision``). ``evidence`` is a JSON
    object for people and reports.
    """

    outcome: Outcome
    score: float | None = None
    reason: str = ""
    labels: tuple[str, ...] = ()
    measures: Mapping[str, float] = field(default_factory=dict)
    evidence: Mapping[str, Json] = field(default_factory=dict)
    cost: Cost = Cost()

    @classmethod
    def correct(cls, reason: str = "", **rest: Unpack[VerdictFields]) -> Verdict:
        """A verdict of outcome CORRECT with score 1."""
        return cls(outcome=Outcome.CORRECT, score=1.0, reason=reason, **rest)

    @classmethod
    def incorrect(cls, reason: str = "", **rest: Unpack[VerdictFields]) -> Verdict:
        """A verdict of outcome INCORRECT with score 0."""
        return cls(outcome=Outcome.INCORRECT, score=0.0, reason=reason, **rest)

    def with_score(self, score: float) -> Verdict:
        """The same verdict with another score."""
        return replace(self, score=score)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One line of a run: one judge's verdict on one case, with the SQL features for slices."""

    case: Case
    judge: str
    """The judge's canonical name, ``execution:spider``."""
    verdict: Verdict
    features: tuple[str, ...] = ()
    """SQL features of the reference; of the prediction if there is no reference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One row of a results file or a run, with what agreement with human labels needs."""

    id: str
    score: float | None
    """In [0, 1] from sqljury's judges, any real number in other files; None if not scored."""
    label: bool | None
    outcome: Outcome | None = None
    threshold: float = 0.5
    """The lowest score that counts as yes."""
    benchmark: str = ""
    """The file or benchmark of the row; figures are printed for each, and pooled."""
    slices: Mapping[str, str] = field(default_factory=dict)
    """The values by which rows are grouped: db_id, difficulty, …"""
    origin: str = ""

    @property
    def says_yes(self) -> bool:
        """True if the score reaches the threshold; False without a score."""
        return self.score is not None and self.score >= self.threshold

    @property
    def is_right(self) -> bool:
        """True if the judge's yes or no is the label's."""
        return self.says_yes == self.label
