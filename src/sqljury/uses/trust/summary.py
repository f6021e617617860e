"""Trust: scores answers and abstentions together, with mixes, slices and baselines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import inf, isfinite
from sys import float_info

from sqljury.case import Json
from sqljury.decision import Decision, ReplyKind
from sqljury.errors import InputError
from sqljury.uses.evaluate.summary import widened
from sqljury.uses.statistics import Bootstrap, Interval
from sqljury.uses.trust.decisions import CoveragePoint, GateStats, risk_coverage
from sqljury.uses.trust.reliability import (
    BASELINES,
    DEFAULT_PENALTIES,
    MIXES,
    Penalty,
    ReplyCounts,
    count,
    mixed,
)
from sqljury.uses.trust.thresholds import chosen_thresholds, withhold

COVERAGES = (0.5, 0.8, 0.9, 1.0)
"""Coverages at which the accuracy is reported."""
RISKS = (0.01, 0.05, 0.1, 0.2)
"""Risks at which the coverage is reported."""
DEFAULT_RISKS = (0.05, 0.1)
"""The largest risks that thresholds may have, if not given."""
_MOST_POINTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustFigures:
    """The reliability figures of a set of questions. Fractions; None where undefined.

    The keys of ``phi`` and ``intervals`` are names of penalties: ``0``, ``10``, ``N``.
    """

    n: int
    n_answerable: int
    n_unanswerable: int
    phi: Mapping[str, float | None]
    intervals: Mapping[str, Interval | None]
    """Bootstrap intervals; empty if there are no resamples."""
    coverage: float | None
    """The share of questions that are answered."""
    risk: float | None
    """The share of answers that are wrong, including answers to unanswerable questions."""
    harm: float | None
    """The share of questions that get a wrong answer."""
    counts: ReplyCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustSlice(TrustFigures):
    """The figures of the questions that share a type, a database, seen or unseen SQL, …

    N is the number of all questions, so that the slices' scores average to the total's.
    """

    dimension: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustThreshold(TrustFigures):
    """The figures of all questions if answers with a confidence below a threshold are withheld."""

    rule: str
    """How it was chosen on the validation decisions: ``phi_10``, ``heuristic``, ``harm_0.05``, …"""
    threshold: float | None
    """Answers with at least this confidence are given; None: no answer is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust(TrustFigures):
    """One system's figures: all questions, the paper's mixes, slices, baselines, thresholds."""

    name: str
    n_left_out: int
    """Answerable questions whose reference or database fails, or for which no judge was
    available."""
    mixes: Mapping[str, TrustFigures]
    baselines: Mapping[str, Mapping[str, float | None]]
    """By baseline, φ by penalty: never answering, always answering, and perfect abstaining with
    the same SQL; each over all questions."""
    slices: tuple[TrustSlice, ...]
    n_confident: int
    """The number of answers that have a confidence."""
    aurc: float | None
    accuracy_at: Mapping[str, float | None]
    """By coverage, the accuracy of the most confident answers that reach it."""
    coverage_at: Mapping[str, float | None]
    """By risk, the largest coverage that keeps it."""
    curve: tuple[CoveragePoint, ...] = ()
    """Risk and coverage, from the most confident answers on; a few hundred points at most."""
    thresholds: tuple[TrustThreshold, ...] = ()
    """One per rule; empty without validation decisions."""
    passages: tuple[GateStats, ...] = ()
    """What each gate held back; empty without gates."""
    decisions: tuple[Decision, ...] = field(default=(), repr=False, compare=False)
    """The scored decisions; not part of the JSON object."""
    resamples: int
    seed: int
    confidence: float

    def to_json(self) -> dict[str, Json]:
        """A JSON object: fractions, null where undefined."""
        rest = asdict(replace(self, decisions=()))
        del rest["decisions"]
        return {"name": self.name} | rest


def trust(
    decisions: Iterable[Decision],
    *,
    name: str = "",
    penalties: Sequence[Penalty] = DEFAULT_PENALTIES,
    validation: Iterable[Decision] = (),
    risks: Sequence[float] = DEFAULT_RISKS,
    bootstrap: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
) -> Trust:
    """Score one system's decisions.

    Args:
        decisions: one per question.
        penalties: the c of φ_c.
        validation: decisions on other questions, with confidences, to choose thresholds on.
        risks: the largest risks that the thresholds may have.
        bootstrap: the number of resamples for the intervals; 0 for no intervals.
        seed: of the bootstrap, and of the choice of unanswerable questions for a mix.
        confidence: of the intervals.

    Raises:
        InputError: SJ541: there is no decision; SJ546: two decide the same question; SJ542: it is
            not known whether an answer is right; SJ502: a confidence is not a finite number.

    Source: TrustSQL (Lee et al. 2024, arXiv:2403.15879), sections 4.4 and 5.

    >>> rows = [Decision(id="1", answerable=True, reply=ReplyKind.ANSWERED, correct=True),
    ...         Decision(id="2", answerable=False, reply=ReplyKind.ANSWERED)]
    >>> trust(rows).phi
    {'0': 0.5, '10': -4.5, 'N': -0.5}
    """
    listed = list(decisions)
    _check(listed, name)
    kept = [decision for decision in listed if not decision.left_out]
    options = _TrustOptions(tuple(penalties), Bootstrap(bootstrap, seed, confidence), len(kept))
    curve = risk_coverage(kept)
    confident = curve.points[-1].answered if curve.points else 0
    return widened(
        Trust,
        _figures(kept, options, len(kept)),
        name=name,
        n_left_out=len(listed) - len(kept),
        mixes={
            mix: _figures(part, options, len(part))
            for mix, share in MIXES.items()
            for part in [mixed(kept, share, seed)]
        },
        baselines={
            kind: _phi(count(map(as_if, kept)), options, len(kept))
            for kind, as_if in BASELINES.items()
        },
        slices=tuple(_slices(kept, options)),
        curve=curve.thinned(_MOST_POINTS),
        thresholds=tuple(_thresholds(kept, list(validation), risks, options)),
        decisions=tuple(listed),
        n_confident=confident,
        aurc=curve.aurc,
        accuracy_at={f"{c:g}": curve.accuracy_at(c) for c in COVERAGES},
        coverage_at={f"{r:g}": curve.coverage_at(r) if curve.points else None for r in RISKS},
        resamples=bootstrap,
        seed=seed,
        confidence=confidence,
    )


@dataclass(frozen=True, slots=True)
class _TrustOptions:
    penalties: tuple[Penalty, ...]
    bootstrap: Bootstrap
    n: int


def _check(decisions: Sequence[Decision], name: str) -> None:
    if not decisions:
        raise InputError("SJ541", "there is no decision to score.", where=name)
    times = Counter(decision.key for decision in decisions)
    repeated = ["/".join(filter(None, key)) for key, n in times.items() if n > 1]
    if repeated:
        raise InputError(
            "SJ546",
            f"{len(repeated)} questions are decided more than once, the first is {repeated[0]}.",
            where=name,
            hint="One row a question; several systems have a column `source`, or files.",
        )
    for decision in decisions:
        _check_one(decision)


def _check_one(decision: Decision) -> None:
    where = decision.origin or decision.id
    sure = decision.confidence
    if sure is not None and not isfinite(sure):
        raise InputError("SJ502", f"the confidence {sure} is not a number.", where=where)
    if (
        decision.answerable
        and decision.reply is ReplyKind.ANSWERED
        and decision.correct is None
        and not decision.left_out
    ):
        raise InputError(
            "SJ542",
            "the question is answered, and nothing says whether rightly.",
            where=where,
            hint="Give a column `correct`, --verdicts FILE, or --judge with --databases.",
        )


def _figures(decisions: Sequence[Decision], options: _TrustOptions, n: int) -> TrustFigures:
    """The figures of some decisions; ``n`` is the value of the penalty N."""
    counts = count(decisions)
    intervals = {
        penalty.name: counts.interval(penalty.of(n), options.bootstrap)
        for penalty in options.penalties
        if options.bootstrap.resamples
    }
    return TrustFigures(
        n=counts.n,
        n_answerable=counts.n_answerable,
        n_unanswerable=counts.n_unanswerable,
        phi=_phi(counts, options, n),
        intervals=intervals,
        coverage=counts.coverage,
        risk=counts.risk,
        harm=counts.harm,
        counts=counts,
    )


def _phi(counts: ReplyCounts, options: _TrustOptions, n: int) -> dict[str, float | None]:
    return {penalty.name: counts.phi(penalty.of(n)) for penalty in options.penalties}


def _slices(decisions: Sequence[Decision], options: _TrustOptions) -> list[TrustSlice]:
    groups: dict[tuple[str, str], list[Decision]] = {}
    for decision in decisions:
        for place in decision.slices.items():
            groups.setdefault(place, []).append(decision)
    return [
        widened(
            TrustSlice,
            _figures(groups[dimension, value], options, options.n),
            dimension=dimension,
            value=value,
        )
        for dimension, value in sorted(groups)
    ]


def _thresholds(
    decisions: Sequence[Decision],
    validation: Sequence[Decision],
    risks: Sequence[float],
    options: _TrustOptions,
) -> Iterator[TrustThreshold]:
    if not validation:
        return
    for rule, threshold in chosen_thresholds(validation, options.penalties, risks):
        yield widened(
            TrustThreshold,
            _figures(withhold(decisions, threshold), options, len(decisions)),
            rule=rule,
            threshold=None if threshold == inf else max(threshold, -float_info.max),
        )
