"""What a judge says of a case: never a bare 0 or 1."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TypedDict, Unpack

from sqljury.case import Case, Json


class Outcome(StrEnum):
    """The fixed list of what can become of a case."""

    CORRECT = "correct"
    INCORRECT = "incorrect"
    PREDICTION_ERROR = "prediction_error"
    PREDICTION_TIMEOUT = "prediction_timeout"
    PREDICTION_TOO_LARGE = "prediction_too_large"
    PREDICTION_OUT_OF_MEMORY = "prediction_out_of_memory"
    PREDICTION_REFUSED = "prediction_refused"
    """A write, an attach, a second statement, …: stopped before it ran."""
    PREDICTION_MISSING = "prediction_missing"
    ABSTAINED = "abstained"
    REFERENCE_MISSING = "reference_missing"
    REFERENCE_ERROR = "reference_error"
    REFERENCE_TIMEOUT = "reference_timeout"
    REFERENCE_TOO_LARGE = "reference_too_large"
    DATABASE_MISSING = "database_missing"
    UNKNOWN = "unknown"
    """The judge looked and cannot say."""
    JUDGE_UNAVAILABLE = "judge_unavailable"

    @property
    def left_out(self) -> bool:
        """Not in the default denominator: nothing was learnt about the prediction."""
        return self.startswith("reference_") or self in _LEFT_OUT

    @property
    def is_infrastructure(self) -> bool:
        """Worth another try when a run is resumed."""
        return self is Outcome.JUDGE_UNAVAILABLE


_LEFT_OUT = (Outcome.DATABASE_MISSING, Outcome.JUDGE_UNAVAILABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What a verdict cost. Not part of exported results: seconds differ from run to run.

    Where models were asked, everything is what their answers cost when they were made, so that a
    replay says the same; otherwise ``seconds`` are those of judging.
    """

    seconds: float = 0.0
    calls: int = 0
    tokens: int = 0
    money: float = 0.0
    """In US dollars; calls without a known price count as 0."""
    unpriced: int = 0
    """Calls of these whose price is not known."""
    stages: Mapping[str, Cost] = field(default_factory=dict)
    """The parts of it: Prover and Refuter, the members of a panel."""

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
        )


class VerdictFields(TypedDict, total=False):
    """What goes with a verdict beside its outcome, its score and its reason."""

    labels: tuple[str, ...]
    measures: Mapping[str, float]
    evidence: Mapping[str, Json]
    cost: Cost


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """A score in [0, 1] or none, an outcome, a reason in words, and the evidence.

    ``labels`` are short tags (``gold_fault``, ``limit_cuts_tie``); ``measures`` are further
    numbers that an aggregate averages beside the score (``r_ves``, ``precision``);
    ``evidence`` is a JSON object for people and reports.
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
        """Score 1."""
        return cls(outcome=Outcome.CORRECT, score=1.0, reason=reason, **rest)

    @classmethod
    def incorrect(cls, reason: str = "", **rest: Unpack[VerdictFields]) -> Verdict:
        """Score 0."""
        return cls(outcome=Outcome.INCORRECT, score=0.0, reason=reason, **rest)

    def with_score(self, score: float) -> Verdict:
        """The same verdict, graded."""
        return replace(self, score=score)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One line of a run: what one judge says of one case, and what slices are cut by."""

    case: Case
    judge: str
    """The judge's canonical name, ``execution:spider``."""
    verdict: Verdict
    features: tuple[str, ...] = ()
    """SQL features of the reference (of the prediction where there is none)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """One row of a results file or a run, as far as agreement with people needs it."""

    id: str
    score: float | None
    """In [0, 1] for our own judges; any real number in other people's files; None: not scored."""
    label: bool | None
    outcome: Outcome | None = None
    threshold: float = 0.5
    """The score from which on the judge says yes."""
    benchmark: str = ""
    """The file or benchmark the row is from: figures are printed for each and pooled."""
    slices: Mapping[str, str] = field(default_factory=dict)
    """What slices are cut by: db_id, difficulty, …"""
    origin: str = ""

    @property
    def says_yes(self) -> bool:
        """Whether the score reaches the threshold; what is not scored is a no."""
        return self.score is not None and self.score >= self.threshold

    @property
    def is_right(self) -> bool:
        """Whether the judge says what the label says."""
        return self.says_yes == self.label
