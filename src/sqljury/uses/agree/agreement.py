"""Agreement of verdicts with human labels, and comparison of judges with each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import isfinite
from typing import Final, Literal, TypeVar

from sqljury.case import Json
from sqljury.errors import InputError
from sqljury.learning.calibration import Reliability, reliability
from sqljury.uses.evaluate.summary import counted_score, widened
from sqljury.uses.statistics import (
    ASSOCIATION_STATISTICS,
    COUNT_STATISTICS,
    Bootstrap,
    Confusion,
    Interval,
    Paired,
    PairedCounts,
    ScoreTable,
    adjusted,
)
from sqljury.verdict import Outcome, Scored

Unknown = Literal["no", "exclude"]
T = TypeVar("T")
STATISTICS = (
    *COUNT_STATISTICS,
    *ASSOCIATION_STATISTICS,
    *(f"{name}_thresholded" for name in ASSOCIATION_STATISTICS),
)
"""The statistics of :class:`Figures`, in the order in which they are reported."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """One judge's agreement with the labels on a set of cases. Fractions; None where undefined.

    κ, accuracy, MCC, F1, precision and recall are over the ``n`` cases of ``confusion``; AUC and
    correlations over the ``n_scored`` ones, for the score itself and for the yes/no answer that
    the threshold makes of it (``…_thresholded``).
    """

    n: int
    """Labelled cases that count; those without a score count as no, unless excluded."""
    n_scored: int
    """Labelled cases with a score."""
    n_unknown: int
    """Labelled cases without a score: unknown, abstained, a null in a file."""
    n_unlabelled: int
    n_left_out: int
    """Labelled cases whose outcome is reference_*, database_missing or judge_unavailable."""
    n_missing: int
    """Those of ``n_left_out`` that are judge_unavailable: a resumed run judges them."""
    coverage: float | None
    """n_scored / (n_scored + n_unknown)."""
    confusion: Confusion
    kappa: float | None
    accuracy: float | None
    mcc: float | None
    f1: float | None
    precision: float | None
    recall: float | None
    auc: float | None
    kendall_tau: float | None
    spearman_rho: float | None
    pearson_r: float | None
    auc_thresholded: float | None
    kendall_tau_thresholded: float | None
    spearman_rho_thresholded: float | None
    pearson_r_thresholded: float | None
    intervals: Mapping[str, Interval | None]
    """Bootstrap intervals by statistic; empty if there are no resamples."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementSlice(Figures):
    """One judge's agreement on the cases that share a benchmark, a database, a difficulty, …"""

    dimension: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement(Figures):
    """One judge's agreement on all its cases, per benchmark, and per slice."""

    name: str
    by_benchmark: tuple[AgreementSlice, ...]
    slices: tuple[AgreementSlice, ...]
    calibration: Reliability | None
    """How close its scores are to probabilities; None if there are only two distinct scores, or
    one is outside [0, 1]."""


_PAIR_JSON: Final = {
    "a": "first",
    "b": "second",
    "n": "n",
    "both_right": "both",
    "both_wrong": "neither",
    "only_a": "only_first",
    "only_b": "only_second",
    "n_labels_differ": "n_left_out",
    "p": "p",
    "p_bonferroni": "p_bonferroni",
    "p_holm": "p_holm",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """The results of `agree`."""

    judges: tuple[JudgeAgreement, ...]
    pairs: tuple[Paired, ...]
    """A paired test for each two judges; cases whose labels differ between the inputs are left
    out."""
    notes: tuple[str, ...]
    """Warnings about judges that were compared over different cases or labels."""
    unknown: Unknown
    resamples: int
    seed: int
    confidence: float

    def to_json(self) -> dict[str, Json]:
        """A JSON object: fractions, null where undefined."""
        # A key keeps the place where it first occurs, so the name comes before the numbers.
        judges = [{"name": judge.name} | asdict(judge) for judge in self.judges]
        pairs = [pair.to_json(**_PAIR_JSON) for pair in self.pairs]
        return asdict(self) | {"judges": judges, "pairs": pairs}


def below(agreement: Agreement, statistic: str, threshold: float) -> list[str]:
    """A line for each judge whose pooled statistic is undefined or below the threshold.

    Raises:
        InputError: there is no such statistic.
    """
    check_statistic(statistic)
    found = [(judge, getattr(judge, statistic)) for judge in agreement.judges]
    return [
        f"{judge.name}: {statistic} undefined"
        if value is None
        else f"{judge.name}: {statistic} {value:.4f} over {judge.n} cases"
        for judge, value in found
        if value is None or value < threshold
    ]


def check_statistic(name: str) -> None:
    """Raise an error if there is no statistic of that name.

    Raises:
        InputError: SJ507.
    """
    if name not in STATISTICS:
        raise InputError(
            "SJ507", f"there is no statistic {name!r}.", hint=f"Known: {', '.join(STATISTICS)}."
        )


@dataclass(frozen=True, slots=True)
class _AgreeOptions:
    unknown: Unknown
    bootstrap: Bootstrap


def agree(
    inputs: Mapping[str, Sequence[Scored]],
    *,
    unknown: Unknown = "no",
    bootstrap: int = 1000,
    seed: int = 0,
    confidence: float = 0.95,
    slices: Sequence[str] | None = None,
) -> Agreement:
    """Compare each judge's scores with the labels, and the judges with each other.

    Args:
        inputs: the scored rows by name of the judge.
        unknown: ``no`` counts cases without a score as no, ``exclude`` leaves them out.
        bootstrap: the number of resamples for the intervals; 0 for no intervals.
        confidence: of the intervals.
        slices: the dimensions of the rows to slice by; by default all.

    Raises:
        InputError: an id occurs twice in one input, a score is not finite, an input has no label,
            or no row has the dimension.

    >>> rows = [Scored(id=str(i), score=s, label=s > 0.3) for i, s in enumerate((0.1, 0.4, 0.9))]
    >>> agree({"mine": rows}).judges[0].kappa
    0.4
    """
    options = _AgreeOptions(unknown, Bootstrap(bootstrap, seed, confidence))
    for name, rows in inputs.items():
        _check(name, rows)
    # Each row with the score that counts in an aggregate.
    settled = {
        name: [
            row
            if (score := counted_score(row.outcome, row.score)) == row.score
            else replace(row, score=score)
            for row in rows
        ]
        for name, rows in inputs.items()
    }
    dimensions = _dimensions(settled, slices)
    return Agreement(
        judges=tuple(_judge(name, rows, dimensions, options) for name, rows in settled.items()),
        pairs=_pairs(settled, unknown),
        notes=_notes(settled),
        unknown=unknown,
        resamples=bootstrap,
        seed=seed,
        confidence=confidence,
    )


# ---------------------------------------------------------------- input


def _check(name: str, rows: Sequence[Scored]) -> None:
    repeated = [_name(key) for key, n in Counter(map(_key, rows)).items() if n > 1]
    if repeated:
        raise InputError(
            "SJ501",
            f"{len(repeated)} ids occur more than once: {_some(repeated)}.",
            where=name,
            hint="One row a case; name two files as two judges.",
        )
    for row in rows:
        if row.score is not None and not isfinite(row.score):
            raise InputError(
                "SJ502", f"the score {row.score} is not a number.", where=row.origin or row.id
            )
    if all(row.label is None for row in rows):
        raise InputError(
            "SJ503",
            f"none of the {len(rows)} rows has a label.",
            where=name,
            hint="Name the column with --label, or the file with --labels; if it was, its ids are "
            f"others than {_some([row.id for row in rows])}.",
        )


def _key(row: Scored) -> tuple[str, str]:
    return (row.benchmark, row.id)


def _name(key: tuple[str, str]) -> str:
    return "/".join(part for part in key if part)


def _some(names: Sequence[str], most: int = 5) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def _dimensions(
    inputs: Mapping[str, Sequence[Scored]], asked: Sequence[str] | None
) -> tuple[str, ...]:
    known = sorted({name for rows in inputs.values() for row in rows for name in row.slices})
    if asked is None:
        return tuple(known)
    for name in asked:
        if name not in known:
            raise InputError(
                "SJ504",
                f"no row has a value of {name!r} to group by.",
                hint=f"There is: {', '.join(known) or 'nothing to group by'}.",
            )
    return tuple(asked)


# ---------------------------------------------------------------- one judge


def _judge(
    name: str, rows: Sequence[Scored], dimensions: Sequence[str], options: _AgreeOptions
) -> JudgeAgreement:
    pooled = _figures(rows, options)
    benchmarks = _cut("benchmark", ((row.benchmark, row) for row in rows), options)
    slices = [
        piece
        for dimension in dimensions
        for piece in _cut(
            dimension,
            ((row.slices[dimension], row) for row in rows if dimension in row.slices),
            options,
        )
    ]
    return widened(
        JudgeAgreement,
        pooled,
        name=name,
        by_benchmark=benchmarks,
        slices=tuple(slices),
        calibration=_calibration(rows),
    )


def _calibration(rows: Sequence[Scored]) -> Reliability | None:
    # Sorted, so that the order of the rows does not change the result.
    scored = sorted(
        (row.score, bool(row.label))
        for row in rows
        if row.label is not None and row.score is not None and not _is_left_out(row)
    )
    distinct = {score for score, _ in scored}
    if len(distinct) <= 2 or not all(0 <= score <= 1 for score in distinct):
        return None
    return reliability([score for score, _ in scored], [label for _, label in scored])


def _cut(
    dimension: str, rows: Iterable[tuple[str, Scored]], options: _AgreeOptions
) -> tuple[AgreementSlice, ...]:
    groups: dict[str, list[Scored]] = {}
    for value, row in rows:
        groups.setdefault(value, []).append(row)
    return tuple(
        widened(AgreementSlice, _figures(groups[value], options), dimension=dimension, value=value)
        for value in sorted(groups)
    )


def _figures(rows: Sequence[Scored], options: _AgreeOptions) -> Figures:
    labelled = [row for row in rows if row.label is not None]
    kept = [row for row in labelled if not _is_left_out(row)]
    scored = [row for row in kept if row.score is not None]
    counted = scored if options.unknown == "exclude" else kept
    values, intervals = _statistics(counted, scored, options)
    return Figures(
        n=len(counted),
        n_scored=len(scored),
        n_unknown=len(kept) - len(scored),
        n_unlabelled=len(rows) - len(labelled),
        n_left_out=len(labelled) - len(kept),
        n_missing=sum(row.outcome is Outcome.JUDGE_UNAVAILABLE for row in labelled),
        coverage=len(scored) / len(kept) if kept else None,
        confusion=_confusion(counted),
        intervals=intervals,
        **values,
    )


def _statistics(
    counted: Sequence[Scored], scored: Sequence[Scored], options: _AgreeOptions
) -> tuple[dict[str, float | None], dict[str, Interval | None]]:
    labels = [bool(row.label) for row in scored]
    confusion = _confusion(counted)
    table = ScoreTable.of([row.score for row in scored if row.score is not None], labels)
    answers = ScoreTable.of([float(row.says_yes) for row in scored], labels)
    values = {
        **confusion.statistics(),
        **table.statistics(),
        **_thresholded(answers.statistics()),
    }
    bootstrap = options.bootstrap
    if not bootstrap.resamples:
        return values, {}
    return values, {
        **bootstrap.confusion(confusion),
        **bootstrap.association(table),
        **_thresholded(bootstrap.association(answers)),
    }


def _thresholded(named: Mapping[str, T]) -> dict[str, T]:
    return {f"{name}_thresholded": value for name, value in named.items()}


def _confusion(rows: Iterable[Scored]) -> Confusion:
    return Confusion.of((bool(row.label), row.says_yes) for row in rows)


def _is_left_out(row: Scored) -> bool:
    return row.outcome is not None and row.outcome.left_out


# ---------------------------------------------------------------- two judges


def _pairs(inputs: Mapping[str, Sequence[Scored]], unknown: Unknown) -> tuple[Paired, ...]:
    counted = {
        name: {
            _key(row): row
            for row in rows
            if row.label is not None
            and not _is_left_out(row)
            and (unknown == "no" or row.score is not None)
        }
        for name, rows in inputs.items()
    }
    found = []
    for a, b in combinations(counted, 2):
        shared = [(row, counted[b][key]) for key, row in counted[a].items() if key in counted[b]]
        same = [(x.is_right, y.is_right) for x, y in shared if x.label == y.label]
        found.append(PairedCounts.of(same).named(a, b, len(shared) - len(same)))
    return tuple(adjusted(found))


# ---------------------------------------------------------------- what a reader must know


def _notes(inputs: Mapping[str, Sequence[Scored]]) -> tuple[str, ...]:
    labels = {
        name: {_key(row): row.label for row in rows if row.label is not None}
        for name, rows in inputs.items()
    }
    notes = []
    for a, b in combinations(labels, 2):
        shared = [key for key in labels[a] if key in labels[b]]
        if not len(shared) == len(labels[a]) == len(labels[b]):
            notes.append(
                f"{a} and {b} are not over the same labelled cases: "
                f"{len(labels[a])} and {len(labels[b])}, {len(shared)} in both."
            )
        differ = [_name(key) for key in shared if labels[a][key] != labels[b][key]]
        if differ:
            notes.append(
                f"{a} and {b} state different labels for {len(differ)} of {len(shared)} cases "
                f"({_some(differ, 3)}): name one file for all with --labels."
            )
    return tuple(notes)
