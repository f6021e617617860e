"""Aggregates of each judge's verdicts, with a stated denominator for every score."""

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
from sqljury.signature import with_fields
from sqljury.uses.evaluate.answers import SystemAnswers
from sqljury.uses.statistics import Interval, Paired, Tally, mean_interval, wilson_interval
from sqljury.verdict import Billed, Cost, Outcome, Record, Verdict

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


_WITHOUT_SCORE = (Outcome.UNKNOWN, Outcome.ABSTAINED)


def counted_score(outcome: Outcome | None, score: float | None) -> float | None:
    """The score that counts in an aggregate: 0 for prediction_*, None for unknown and abstained.

    It is None for outcomes that are left out, too. Without an outcome (files from elsewhere) it is
    ``score``.
    """
    if outcome is None:
        return score
    if outcome in _WITHOUT_SCORE or outcome.left_out:
        return None
    return 0.0 if outcome.startswith("prediction_") else score


def is_right(verdict: Verdict) -> bool:
    """True if the verdict counts as right in scores and tests: its outcome is ``correct``."""
    return verdict.outcome is Outcome.CORRECT


T = TypeVar("T")


def widened(kind: type[T], figures: DataclassInstance, **own: object) -> T:
    """An instance of ``kind`` with the fields of ``figures`` and the additional fields ``own``."""
    shared: dict[str, Any] = {one.name: getattr(figures, one.name) for one in fields(figures)}
    return kind(**shared, **own)


_MOST_REASONS = 1000
"""The limit of distinct reasons: they may name the case, and memory must not grow with cases."""
_SHOWN_REASONS = 5
_SAID_REASONS = 3


@dataclass(slots=True)
class MissingCounter:
    """Counts missing verdicts and their reasons."""

    count: int = 0
    _reasons: Counter[str] = field(default_factory=Counter)

    def add(self, verdict: Verdict) -> None:
        """Count the verdict if it is missing: ``judge_unavailable``."""
        if not verdict.outcome.is_infrastructure:
            return
        self.count += 1
        if verdict.reason in self._reasons or len(self._reasons) < _MOST_REASONS:
            self._reasons[verdict.reason] += 1

    def lacks(self, cases: int) -> None:
        """Count so many cases as not judged yet."""
        if cases > 0:
            self.count += cases
            self._reasons["not judged yet"] += cases

    def __iadd__(self, other: MissingCounter) -> MissingCounter:
        self.count += other.count
        self._reasons.update(other._reasons)
        return self

    @property
    def reasons(self) -> dict[str, int]:
        """The most frequent reasons and how often each occurs."""
        return dict(self._reasons.most_common(_SHOWN_REASONS))


def missing_in(verdicts: Iterable[Verdict]) -> MissingCounter:
    """The missing verdicts among ``verdicts``, counted."""
    found = MissingCounter()
    for verdict in verdicts:
        found.add(verdict)
    return found


def missing_text(name: str, missing: int, total: int, reasons: Mapping[str, int]) -> str:
    """A sentence: how many verdicts of a judge are missing, and why."""
    shown = [f"{reason.rstrip('.')} ({count:,})" for reason, count in reasons.items()]
    why = "; ".join(shown[:_SAID_REASONS] + (["…"] if len(shown) > _SAID_REASONS else []))
    return f"{missing:,} of {total:,} verdicts of {name} are missing" + (f": {why}" if why else "")


def missing_error(what: str) -> InfrastructureError:
    """The error for a command that could not judge every case."""
    return InfrastructureError(
        "SJ416",
        f"{what}.",
        hint="What was judged is kept: when the cause is gone run the same command again, it "
        "judges what is missing.",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The share of correct predictions among the cases that share a database, a difficulty, a SQL
    feature, …, with its Wilson interval."""

    dimension: str
    value: str
    n: int
    score: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StageCost:
    """The cost of the model calls in one stage of a judge, over all its verdicts."""

    stage: str
    verdicts: int
    """Verdicts for which a model was called."""
    calls: int
    tokens: int
    money: float
    """In US dollars; calls without a known price count as 0."""
    unpriced: int
    """Calls whose price is not known."""
    seconds: float
    """The sum of the seconds that each answer took."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCost:
    """The cost of the model calls behind a judge's verdicts; a replay reports the same cost.

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

    ``score`` is the share of cases that the judge calls correct, and ``n`` its denominator;
    ``total`` counts every case; ``left_out`` counts the cases that are not in the denominator
    (reference_*, database_missing, judge_unavailable). With several systems these numbers are over
    all systems' answers; ``systems`` has the score of each.
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
    """The kind of interval from low to high: ``wilson``."""
    outcomes: Mapping[str, int]
    measures: Mapping[str, float] = field(default_factory=dict)
    labels: Mapping[str, int] = field(default_factory=dict)
    slices: tuple[Slice, ...] = ()
    cost: JudgeCost | None = None
    """None if no model was called."""
    billed: Billed | None = None
    """What a warehouse billed for the statements; None if none did."""
    mean_score: float | None = None
    """The mean of the verdicts' scores over the same ``n`` cases, unknown and failed ones as 0;
    None if all scores are 0 or 1, because it would say the same as ``score``."""
    mean_low: float | None = None
    mean_high: float | None = None
    """The normal interval of ``mean_score``."""
    missing: int = 0
    """Verdicts that a resumed run still has to give: judge_unavailable, and cases that a stopped
    run did not reach (these are not in ``total``)."""
    missing_reasons: Mapping[str, int] = field(default_factory=dict)
    """The most frequent reasons why they are missing."""
    systems: tuple[SystemScore, ...] = ()
    """Each system's score, the best first; empty unless the cases come from several systems."""
    system_pairs: tuple[Paired, ...] = ()
    """Paired tests, the system with the better score first; p is adjusted for all pairs of this
    judge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """The results of `evaluate`."""

    judges: tuple[JudgeSummary, ...]
    run: str
    """The folder of the run."""
    taken_out_of_prose: int = 0
    """Predictions whose SQL was extracted from prose, thoughts or code fences."""
    joined_by_position: tuple[str, ...] = ()
    """Files of predictions without ids, joined to the references by their order."""
    answers: SystemAnswers | None = None
    """What the answers of a system under test took; None if the predictions were given."""

    def to_json(self) -> dict[str, Json]:
        """A JSON object; scores are fractions, null if nothing was scored."""
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
    """Aggregate the records of a run in one pass.

    Memory grows with judges and slices, not with cases. The order of the records does not change
    the result, because sums are exact.

    Args:
        signatures: by judge, in the order of the result; in each, ``n`` becomes the judge's
            denominator.
        run: the folder of the run.
        cases: how many verdicts each judge should give, to count the missing ones; None counts
            only the records.
        reading: how the cases were read, from the run's manifest.
        by: keys of the cases' ``extra`` that make further slices; the records must then hold
            whole cases.

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
    """A line for each score below the threshold and each judge that scored nothing.

    With several systems, a line for each system.

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
    """A name and score for each judge; with several systems, for each judge and system."""
    for judge in summary.judges:
        for one in judge.systems or (judge,):
            yield (f"{judge.name}, {one.name}" if judge.systems else judge.name), one


def check_threshold(threshold: float) -> None:
    """Raise an error if the threshold is not in [0, 1].

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
    """Counts one judge's verdicts."""

    def __init__(self, by: Sequence[str]) -> None:
        self._by = by
        self.total = 0
        self.right = Tally()
        self.scores = Tally()
        self.graded = False
        self.outcomes: Counter[Outcome] = Counter()
        self.labels: Counter[str] = Counter()
        self.measures: defaultdict[str, Tally] = defaultdict(Tally)
        self.unmeasured = 0
        self.slices: defaultdict[tuple[str, str], Tally] = defaultdict(Tally)
        self._tallies: dict[_Places, list[Tally]] = {}
        """The tallies by database, difficulty and features, which many records share."""
        self.cost = _CostCounter()
        self.billed = _BilledCounter()
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
        self.billed.add(verdict.cost.billed)
        tallies = self._tallies_of(record)
        if verdict.outcome.left_out:
            return
        score = _score(record)
        self.graded |= score not in (0, 1)
        self.scores.add(score)
        for tally in (self.right, *tallies):
            tally.add(float(is_right(verdict)))
        self._measure(record)

    def _tallies_of(self, record: Record) -> list[Tally]:
        """The tallies of all slices to which a record belongs."""
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
        # A prediction that failed before it could be measured counts as 0, as its score does. To
        # a judged prediction without the measure the measure does not apply.
        if not verdict.measures and verdict.outcome not in (Outcome.CORRECT, Outcome.INCORRECT):
            self.unmeasured += 1
        for name, value in verdict.measures.items():
            if not isfinite(value):
                raise _bad(record, f"the measure {name} = {value}, which is no number")
            self.measures[name].add(value)

    def summary(self, name: str, signature: str) -> JudgeSummary:
        """The aggregate."""
        n = self.right.n
        low, high = _share_interval(self.right)
        mean = self.scores.mean if self.graded else None
        spread = mean is not None and mean_interval(mean, self.scores.variance, n)
        mean_low, mean_high = spread or (None, None)
        return JudgeSummary(
            name=name,
            signature=with_fields(signature, n=n),
            n=n,
            total=self.total,
            left_out=self.total - n,
            score=self.right.mean,
            low=low,
            high=high,
            interval="wilson",
            mean_score=mean,
            mean_low=mean_low,
            mean_high=mean_high,
            outcomes={str(o): self.outcomes[o] for o in Outcome if self.outcomes[o]},
            measures={
                name: mean
                for name, tally in sorted(self.measures.items())
                if (mean := tally.mean_over(tally.n + self.unmeasured)) is not None
            },
            labels=dict(sorted(self.labels.items())),
            slices=tuple(self._slices()),
            cost=self.cost.summary(),
            billed=self.billed.sum(),
            missing=self.missing.count,
            missing_reasons=self.missing.reasons,
        )

    def _slices(self) -> Iterator[Slice]:
        values = Counter(dimension for dimension, _ in self.slices)
        for dimension, value in sorted(self.slices, key=_slice_order):
            if dimension in _ONLY_IF_SEVERAL and values[dimension] < 2:
                continue
            tally = self.slices[dimension, value]
            low, high = _share_interval(tally)
            yield Slice(
                dimension=dimension, value=value, n=tally.n, score=tally.mean, low=low, high=high
            )


def _share_interval(tally: Tally) -> Interval | tuple[None, None]:
    return wilson_interval(int(tally.sum), tally.n) or (None, None)


class _CostCounter:
    """Sums the cost of model calls, in all and by stage."""

    def __init__(self) -> None:
        self._all = _StageCounter()
        self._stages: defaultdict[str, _StageCounter] = defaultdict(_StageCounter)

    def add(self, cost: Cost, judge: str) -> None:
        """Add one verdict's cost; a cost without stages is one stage, named like its judge."""
        if not cost.calls:
            return
        self._all.add(cost)
        for stage, part in (cost.stages or {re.split("[:,]", judge)[0]: cost}).items():
            if part.calls:
                self._stages[stage].add(part)

    def summary(self) -> JudgeCost | None:
        """The sums; None if no model was called."""
        if not self._all.counts["calls"]:
            return None
        stages = (StageCost(stage=s, **found.sums()) for s, found in sorted(self._stages.items()))
        return JudgeCost(**self._all.sums(), stages=tuple(stages))


class _BilledCounter:
    """Sums what warehouses billed; exact, so that the order of the verdicts does not matter."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._sums: defaultdict[str, Tally] = defaultdict(Tally)

    def add(self, billed: Billed) -> None:
        """Add one verdict's bill."""
        if billed.statements:
            for name in ("statements", "bytes", "unpriced"):
                self._counts[name] += getattr(billed, name)
            for name in ("credits", "money", "seconds"):
                self._sums[name].add(getattr(billed, name))

    def sum(self) -> Billed | None:
        """The sum; None if nothing was billed."""
        if not self._counts["statements"]:
            return None
        return Billed(
            statements=self._counts["statements"],
            bytes=self._counts["bytes"],
            unpriced=self._counts["unpriced"],
            credits=self._sums["credits"].sum,
            money=self._sums["money"].sum,
            seconds=self._sums["seconds"].sum,
        )


class _StageCounter:
    """Sums costs; exact, so that the order of the verdicts does not matter."""

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
