"""Trust: score answers and abstentions together, with mixes, slices and baselines."""

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
"""Where the accuracy is read off the curve."""
RISKS = (0.01, 0.05, 0.1, 0.2)
"""Where the coverage is read off the curve."""
DEFAULT_RISKS = (0.05, 0.1)
"""What thresholds are chosen to keep."""
_MOST_POINTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustFigures:
    """What became of a set of questions. Fractions; None where undefined.

    ``phi`` and ``intervals`` are by the name of the penalty: ``0``, ``10``, ``N``.
    """

    n: int
    n_answerable: int
    n_unanswerable: int
    phi: Mapping[str, float | None]
    intervals: Mapping[str, Interval | None]
    """Bootstrap intervals; empty when no resamples were asked for."""
    coverage: float | None
    """The share of questions that are answered."""
    risk: float | None
    """The share of answers that are wrong, answers to the unanswerable included."""
    harm: float | None
    """The share of questions that get a wrong answer."""
    counts: ReplyCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustSlice(TrustFigures):
    """The questions that share a type, a database, seen or unseen SQL, …

    N stays the number of all questions, so that the slices' scores average to the whole's.
    """

    dimension: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustThreshold(TrustFigures):
    """All questions, where answers below a threshold are held back."""

    rule: str
    """How it was chosen on the validation decisions: ``phi_10``, ``heuristic``, ``harm_0.05``, …"""
    threshold: float | None
    """Answers of this confidence on are given; None: none is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trust(TrustFigures):
    """One system: all questions together, the mixes of the paper, slices and baselines."""

    name: str
    n_left_out: int
    """Answerable, but its reference or database fails, or no judge could be had."""
    mixes: Mapping[str, TrustFigures]
    baselines: Mapping[str, Mapping[str, float | None]]
    """φ by penalty of a system that never answers, of one that always does, and of perfect
    abstaining with the same SQL; each over all questions."""
    slices: tuple[TrustSlice, ...]
    n_confident: int
    """Answers with a confidence."""
    aurc: float | None
    accuracy_at: Mapping[str, float | None]
    """By coverage, reached by answering the surest."""
    coverage_at: Mapping[str, float | None]
    """By risk."""
    curve: tuple[CoveragePoint, ...] = ()
    """Risk and coverage from the surest answers on, a few hundred points at most."""
    thresholds: tuple[TrustThreshold, ...] = ()
    """A row for each rule, where there are validation decisions."""
    passages: tuple[GateStats, ...] = ()
    """What gates held back, where there were any."""
    decisions: tuple[Decision, ...] = field(default=(), repr=False, compare=False)
    """What was scored; not part of the JSON object."""
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
        decisions: one for each question.
        penalties: the c of φ_c.
        validation: decisions on other questions, with confidences; thresholds are chosen on them.
        risks: the risks that thresholds are to keep.
        bootstrap: resamples for the intervals; 0 for none.
        seed: of the bootstrap, and of the choice of a quarter of the unanswerable questions.
        confidence: of the intervals.

    Raises:
        InputError: SJ541: no decision; SJ546: two on one question; SJ542: nothing says whether an
            answer is right; SJ502: a confidence that is no finite number.

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
        raise InputError("SJ502", f"the confidence {sure} is no number.", where=where)
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
    """``n`` is what N stands for."""
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
