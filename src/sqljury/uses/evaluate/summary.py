"""The verdicts of each judge in numbers, with honest denominators."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from sqljury.case import Json
from sqljury.errors import InfrastructureError, InputError
from sqljury.uses.statistics import Interval, Paired, Tally, mean_interval, wilson_interval
from sqljury.verdict import Cost, Outcome, Record, Verdict

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


_WITHOUT_SCORE = (Outcome.UNKNOWN, Outcome.ABSTAINED)


def counted_score(outcome: Outcome | None, score: float | None) -> float | None:
    """The score that enters an aggregate: 0 for prediction_*, None for unknown and abstained.

    Without an outcome (other people's files) it is the score itself.
    """
    if outcome is None:
        return score
    if outcome in _WITHOUT_SCORE or outcome.left_out:
        return None
    return 0.0 if outcome.startswith("prediction_") else score


T = TypeVar("T")


def widened(kind: type[T], figures: DataclassInstance, **own: object) -> T:
    """A value of a class that adds fields to those of ``figures``."""
    shared: dict[str, Any] = {one.name: getattr(figures, one.name) for one in fields(figures)}
    return kind(**shared, **own)


_MOST_REASONS = 1000
"""Reasons may hold what differs from case to case; memory must not grow with the cases."""
_SHOWN_REASONS = 5
_SAID_REASONS = 3


@dataclass(slots=True)
class MissingCounter:
    """Counts missing verdicts while they pass."""

    count: int = 0
    _reasons: Counter[str] = field(default_factory=Counter)

    def add(self, verdict: Verdict) -> None:
        """Count a verdict if it is none: ``judge_unavailable``."""
        if not verdict.outcome.is_infrastructure:
            return
        self.count += 1
        if verdict.reason in self._reasons or len(self._reasons) < _MOST_REASONS:
            self._reasons[verdict.reason] += 1

    def lacks(self, cases: int) -> None:
        """Count cases that nobody has judged yet."""
        if cases > 0:
            self.count += cases
            self._reasons["not judged yet"] += cases

    def __iadd__(self, other: MissingCounter) -> MissingCounter:
        self.count += other.count
        self._reasons.update(other._reasons)
        return self

    @property
    def reasons(self) -> dict[str, int]:
        """The most frequent reasons, and how often each."""
        return dict(self._reasons.most_common(_SHOWN_REASONS))


def missing_in(verdicts: Iterable[Verdict]) -> MissingCounter:
    """What is missing among some verdicts."""
    found = MissingCounter()
    for verdict in verdicts:
        found.add(verdict)
    return found


def missing_text(name: str, missing: int, total: int, reasons: Mapping[str, int]) -> str:
    """How many verdicts of a judge are missing, and why, in words."""
    shown = [f"{reason.rstrip('.')} ({count:,})" for reason, count in reasons.items()]
    why = "; ".join(shown[:_SAID_REASONS] + (["…"] if len(shown) > _SAID_REASONS else []))
    return f"{missing:,} of {total:,} verdicts of {name} are missing" + (f": {why}" if why else "")


def missing_error(what: str) -> InfrastructureError:
    """The error of a command that judged and could not judge everything."""
    return InfrastructureError(
        "SJ416",
        f"{what}.",
        hint="What was judged is kept: when the cause is gone run the same command again, it "
        "judges what is missing.",
    )


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
class StageCost:
    """What models were asked in one stage of a judge, over all its verdicts."""

    stage: str
    verdicts: int
    """Verdicts for which somebody was asked."""
    calls: int
    tokens: int
    money: float
    """In US dollars; calls without a known price count as 0."""
    unpriced: int
    """Calls of these whose price is not known."""
    seconds: float
    """That the answers took, one after the other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCost:
    """What the verdicts of a judge cost when models were asked; a replay says the same.

    The fields are those of :class:`StageCost`.
    """

    verdicts: int
    calls: int
    tokens: int
    money: float
    unpriced: int
    seconds: float
    stages: tuple[StageCost, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemScore:
    """One of several systems that answered the same questions."""

    name: str
    n: int
    score: float | None
    low: float | None
    high: float | None
    only: int
    """Questions that no other system gets right."""


_PAIR_JSON: Final = {
    "better": "first",
    "worse": "second",
    "n": "n",
    "only_better": "only_first",
    "only_worse": "only_second",
    "difference": "difference",
    "low": "low",
    "high": "high",
    "p": "p",
    "p_holm": "p_holm",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeSummary:
    """One judge's aggregate. Fractions, not percent.

    ``n`` is the denominator of ``score``; ``total`` counts every case; what was left out of
    the denominator is ``left_out`` (reference_*, database_missing, judge_unavailable). With
    several systems these are of all their answers; what they scored is in ``systems``.
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
    cost: JudgeCost | None = None
    """None where no model was asked."""
    missing: int = 0
    """Verdicts that the machinery owes, which a resumed run judges: judge_unavailable, and cases
    that a stopped run had yet to judge (these are not in ``total``)."""
    missing_reasons: Mapping[str, int] = field(default_factory=dict)
    """The most frequent reasons why they are missing."""
    systems: tuple[SystemScore, ...] = ()
    """Where the cases come from several, the best first."""
    system_pairs: tuple[Paired, ...] = ()
    """The one of the better score first; p is adjusted for all pairs of this judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What `evaluate` prints."""

    judges: tuple[JudgeSummary, ...]
    run: str
    """The folder of the run."""
    taken_out_of_prose: int = 0
    """Predictions whose statement was taken out of prose, thoughts or code fences."""
    joined_by_position: tuple[str, ...] = ()
    """Files of predictions without ids, joined to the references by their place."""

    def to_json(self) -> dict[str, Json]:
        """A JSON object: fractions, null where nothing was scored."""
        judges = [
            asdict(judge) | {"system_pairs": [p.to_json(**_PAIR_JSON) for p in judge.system_pairs]}
            for judge in self.judges
        ]
        return asdict(self) | {"judges": judges}


def summarise(
    records: Iterable[Record],
    signatures: Mapping[str, str],
    run: str,
    cases: int | None = None,
    reading: Mapping[str, Any] = MappingProxyType({}),
    by: Sequence[str] = (),
) -> Summary:
    """Aggregate a run in one pass; memory grows with judges and slices, not with cases.

    The order of the records cannot change a digit: sums are exact.

    Args:
        signatures: by judge, in the order of the result; ``{n}`` in them is replaced by the
            judge's denominator.
        run: the folder of the run.
        cases: how many cases it is about, each of which every judge owes a verdict; by default
            as many as there are.
        reading: how the cases were read, as the run's manifest says.
        by: keys of ``extra`` that slices are cut by, too; then the records hold whole cases.

    Raises:
        InputError: a judge gave a score outside [0, 1].
    """
    counters = {judge: _JudgeCounter(by) for judge in signatures}
    for record in records:
        counters[record.judge].add(record)
    for counter in counters.values():
        counter.missing.lacks((cases or 0) - counter.total)
    judges = (counter.summary(judge, signatures[judge]) for judge, counter in counters.items())
    return Summary(
        judges=tuple(judges),
        run=run,
        taken_out_of_prose=reading.get("taken_out_of_prose", 0),
        joined_by_position=tuple(reading.get("joined_by_position", ())),
    )


def failing(summary: Summary, threshold: float) -> list[str]:
    """One line for each score below the threshold, and each judge that scored nothing.

    Where there are several systems each has a score.

    Raises:
        InputError: the threshold is not a fraction.
    """
    check_threshold(threshold)
    return [
        f"{name}: nothing was scored"
        if one.score is None
        else f"{name}: {one.score:.4f} over {one.n} cases"
        for name, one in named_scores(summary)
        if one.score is None or one.score < threshold
    ]


def named_scores(summary: Summary) -> Iterator[tuple[str, JudgeSummary | SystemScore]]:
    """A name and score for each judge; where there are several systems, for each system."""
    for judge in summary.judges:
        for one in judge.systems or (judge,):
            yield (f"{judge.name}, {one.name}" if judge.systems else judge.name), one


def check_threshold(threshold: float) -> None:
    """Refuse a threshold that is not a fraction.

    Raises:
        InputError: SJ506.
    """
    if not 0 <= threshold <= 1:
        fraction = f"Write {threshold / 100:g}." if 1 < threshold <= 100 else "Write 0.8 for 80 %."
        raise InputError("SJ506", f"--fail-under {threshold:g} is not in [0, 1].", hint=fraction)


# ---------------------------------------------------------------- counting

DIFFICULTIES = ("simple", "easy", "medium", "moderate", "hard", "challenging", "extra")
"""From easy to hard, as Spider and BIRD name them."""


class _JudgeCounter:
    """What is kept of one judge's verdicts while they pass."""

    def __init__(self, by: Sequence[str]) -> None:
        self._by = by
        self.total = 0
        self.scores = Tally()
        self.graded = False
        self.outcomes: Counter[Outcome] = Counter()
        self.labels: Counter[str] = Counter()
        self.measures: defaultdict[str, Tally] = defaultdict(Tally)
        self.unmeasured = 0
        self.slices: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
        self._tallies: dict[_Places, list[Tally]] = {}
        """By what the question alone says, which many records have in common."""
        self.cost = _CostCounter()
        self.missing = MissingCounter()

    def add(self, record: Record) -> None:
        """Count one record."""
        verdict = record.verdict
        self.total += 1
        self.outcomes[verdict.outcome] += 1
        if verdict.labels:
            self.labels.update(verdict.labels)
        self.missing.add(verdict)
        self.cost.add(verdict.cost, record.judge)
        tallies = self._tallies_of(record)
        if verdict.outcome.left_out:
            return
        score = _score(record)
        self.graded |= score not in (0, 1)
        for tally in (self.scores, *tallies):
            tally.add(score)
        self._measure(record)

    def _tallies_of(self, record: Record) -> list[Tally]:
        """Those of all slices that a record belongs to."""
        case = record.case
        places = case.db_id, case.difficulty, record.features
        found = self._tallies.get(places)
        if found is None:
            named = [("db_id", case.db_id), ("difficulty", case.difficulty)]
            named += [("feature", feature) for feature in record.features]
            found = [self.slices[name, value] for name, value in named if value]
            self._tallies[places] = found
        own = self.slices["benchmark", case.benchmark], self.slices["source", case.source]
        values = {name: case.extra[name] for name in self._by if name in case.extra}
        more = [
            self.slices[name, v if isinstance(v, str) else json.dumps(v, sort_keys=True)]
            for name, v in values.items()
        ]
        return [*own, *found, *more]

    def _measure(self, record: Record) -> None:
        verdict = record.verdict
        # A prediction that never got as far as being measured measures 0, as it scores 0; a
        # judged one without the measure is one that the measure does not apply to.
        if not verdict.measures and verdict.outcome not in (Outcome.CORRECT, Outcome.INCORRECT):
            self.unmeasured += 1
        for name, value in verdict.measures.items():
            if not isfinite(value):
                raise _bad(record, f"the measure {name} = {value}, which is no number")
            self.measures[name].add(value)

    def summary(self, name: str, signature: str) -> JudgeSummary:
        """The aggregate."""
        n = self.scores.n
        low, high = self._interval(self.scores)
        return JudgeSummary(
            name=name,
            signature=signature.replace("{n}", str(n)),
            n=n,
            total=self.total,
            left_out=self.total - n,
            score=self.scores.mean,
            low=low,
            high=high,
            interval="normal" if self.graded else "wilson",
            outcomes={str(o): self.outcomes[o] for o in Outcome if self.outcomes[o]},
            measures={
                name: mean
                for name, tally in sorted(self.measures.items())
                if (mean := tally.mean_over(tally.n + self.unmeasured)) is not None
            },
            labels=dict(sorted(self.labels.items())),
            slices=tuple(self._slices()),
            cost=self.cost.summary(),
            missing=self.missing.count,
            missing_reasons=self.missing.reasons,
        )

    def _interval(self, tally: Tally) -> Interval | tuple[None, None]:
        if tally.mean is None:
            return None, None
        if self.graded:
            found = mean_interval(tally.mean, tally.variance, tally.n)
        else:
            found = wilson_interval(int(tally.sum), tally.n)
        return found or (None, None)

    def _slices(self) -> Iterator[Slice]:
        values = Counter(dimension for dimension, _ in self.slices)
        for dimension, value in sorted(self.slices, key=_slice_order):
            if dimension in _ONLY_IF_SEVERAL and values[dimension] < 2:
                continue
            tally = self.slices[dimension, value]
            low, high = self._interval(tally)
            yield Slice(
                dimension=dimension, value=value, n=tally.n, score=tally.mean, low=low, high=high
            )


class _CostCounter:
    """What models cost, in all and by stage."""

    def __init__(self) -> None:
        self._all = _StageCounter()
        self._stages: defaultdict[str, _StageCounter] = defaultdict(_StageCounter)

    def add(self, cost: Cost, judge: str) -> None:
        """Count one verdict; what has no stages is a stage by the name of its judge."""
        if not cost.calls:
            return
        self._all.add(cost)
        for stage, part in (cost.stages or {re.split("[:,]", judge)[0]: cost}).items():
            if part.calls:
                self._stages[stage].add(part)

    def summary(self) -> JudgeCost | None:
        """The sums; None where nobody was asked."""
        if not self._all.counts["calls"]:
            return None
        stages = (StageCost(stage=s, **found.sums()) for s, found in sorted(self._stages.items()))
        return JudgeCost(**self._all.sums(), stages=tuple(stages))


class _StageCounter:
    """Sums that do not depend on the order of the verdicts."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._money, self._seconds = Tally(), Tally()

    def add(self, cost: Cost) -> None:
        self.counts.update(verdicts=1, calls=cost.calls, tokens=cost.tokens, unpriced=cost.unpriced)
        self._money.add(cost.money)
        self._seconds.add(cost.seconds)

    def sums(self) -> dict[str, Any]:
        names = ("verdicts", "calls", "tokens", "unpriced")
        counts = {name: self.counts[name] for name in names}
        return {**counts, "money": self._money.sum, "seconds": self._seconds.sum}


_DIMENSIONS = ("benchmark", "source", "db_id", "difficulty", "feature")
_ONLY_IF_SEVERAL = ("benchmark", "source")
_Places = tuple[str, str | None, tuple[str, ...]]


def _slice_order(place: tuple[str, str]) -> tuple[int, str, int, str]:
    dimension, value = place
    # Difficulties from easy to hard, everything else by name.
    hardness = DIFFICULTIES.index(value) if value in DIFFICULTIES else len(DIFFICULTIES)
    is_ours = dimension in _DIMENSIONS
    place_of = _DIMENSIONS.index(dimension) if is_ours else len(_DIMENSIONS)
    own = "" if is_ours else dimension
    return place_of, own, hardness * (dimension == "difficulty"), value


def _score(record: Record) -> float:
    score = counted_score(record.verdict.outcome, record.verdict.score) or 0.0
    if not 0 <= score <= 1:
        raise _bad(record, f"the score {score}; scores are in [0, 1] or None")
    return score


def _bad(record: Record, what: str) -> InputError:
    where = record.case.origin or record.case.name
    return InputError("SJ505", f"{record.judge} gave {what}.", where=where)
