"""Choosing cases for human labelling, and setting aside verdicts on references since corrected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from random import Random
from statistics import NormalDist, pvariance
from typing import Any, Final, TypeVar

from sqljury.benchmarks import Overlay
from sqljury.case import Case
from sqljury.decision import Decision
from sqljury.spreadsheet import SafeRows
from sqljury.verdict import Outcome, Record, Scored, Verdict
from sqljury.writing import PathLike, new_file

_SUREST: Final = 0.01
"""Scores are clipped to this distance from 0 and 1: a judge may be sure and wrong."""
_STEPS: Final = 60


def chances(scores: Sequence[float], count: int) -> list[float]:
    """The probability with which to label each case, so that ``count`` are labelled on average.

    It is proportional to the judge's uncertainty: the standard deviation of a label whose
    probability is the score.

    Source: Zrnic & Candès 2024, Active statistical inference (arXiv:2403.03208).
    """
    unsure = [deviation(score) for score in scores]
    if count >= len(scores):
        return [1.0] * len(scores)
    low, high = 0.0, len(scores) / min(unsure)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if sum(min(1.0, middle * one) for one in unsure) < count:
            low = middle
        else:
            high = middle
    return [min(1.0, high * one) for one in unsure]


def drawn(ids: Sequence[str], probabilities: Sequence[float], seed: int) -> list[bool]:
    """For each case whether to label it, drawn at random from the seed and the case's id."""
    pairs = zip(ids, probabilities, strict=True)
    return [Random(f"{seed}:{one}").random() < probability for one, probability in pairs]


def half_width(scores: Sequence[float], count: int, confidence: float = 0.95) -> float:
    """Half the expected width of the interval from ``count`` labels, if scores are probabilities.

    The interval is that of :func:`sqljury.uses.statistics.prediction_powered`.
    """
    rest = sum(
        deviation(score) ** 2 / chance
        for score, chance in zip(scores, chances(scores, count), strict=True)
    )
    spread = pvariance(scores) / len(scores) + rest / len(scores) ** 2
    return NormalDist().inv_cdf((1 + confidence) / 2) * sqrt(spread)


def labels_for(scores: Sequence[float], wanted: float) -> int | None:
    """The fewest labels with which :func:`half_width` is at most ``wanted``; None if labelling
    every case is not enough."""
    if half_width(scores, len(scores)) > wanted:
        return None
    low, high = 1, len(scores)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if half_width(scores, middle) <= wanted else (middle + 1, high)
    return high


def deviation(score: float) -> float:
    """The standard deviation of a label whose probability is the score."""
    inside = min(max(score, _SUREST), 1 - _SUREST)
    return sqrt(inside * (1 - inside))


@dataclass(frozen=True, slots=True)
class PlannedLabel:
    """A case to label, with its score and the probability with which it was chosen."""

    case: Case
    score: float
    probability: float


_COLUMNS = (
    *("id", "source", "benchmark", "db_id", "question", "hint"),
    *("predicted_sql", "reference_sql", "score", "probability", "label"),
)


def write_label_plan(path: PathLike, cases: Sequence[PlannedLabel]) -> None:
    """Write a CSV file whose last column, ``label``, is empty for people to fill in.

    Raises:
        InputError, InfrastructureError: SJ801, SJ802: the file cannot be written.
    """
    with new_file(path) as file:
        rows = SafeRows(file)
        rows.write(_COLUMNS)
        for one in cases:
            case = one.case
            rows.write(
                [
                    *(case.id, case.source, case.benchmark, case.db_id, case.question, case.hint),
                    *(case.predicted_sql, "; ".join(case.reference_sqls)),
                    *(one.score, one.probability, ""),
                ]
            )


R = TypeVar("R", Scored, Decision)
_REASON = "its reference was corrected since"


def records_under(overlay: Overlay | None, records: Iterable[Record]) -> Iterator[Record]:
    """The records of a run; verdicts on references since corrected become ``reference_missing``.

    Records that were judged with the overlay have the new reference already and stay unchanged.

    Raises:
        InputError: SJ532: a question or a reference has changed since its correction was decided;
            SJ122: no correction applies to any record.
    """
    is_used = False
    for record in records:
        case = record.case
        is_used = is_used or (overlay is not None and overlay.decides(case.db_id, case.id))
        if overlay is not None and next(overlay.applied([record.case])) is not record.case:
            verdict = Verdict(outcome=Outcome.REFERENCE_MISSING, reason=_REASON)
            yield replace(record, verdict=verdict)
        else:
            yield record
    if overlay is not None:
        overlay.check_used(is_used)


def scores_under(overlay: Overlay | None, rows: Iterable[Scored]) -> Iterator[Scored]:
    """The rows of a results file; a row whose question was corrected becomes ``reference_missing``.

    Rows are matched by the question's id; a row's id may end in ``/`` and the prediction's source.
    """
    corrected = {"outcome": Outcome.REFERENCE_MISSING, "score": None}
    return _under(overlay, rows, lambda row: (row.id, row.id.rpartition("/")[0]), corrected)


def decisions_under(overlay: Overlay | None, decisions: Iterable[Decision]) -> Iterator[Decision]:
    """The rows of a decision file; a row whose question was corrected becomes
    ``reference_missing``."""
    corrected = {"outcome": Outcome.REFERENCE_MISSING, "correct": None}
    return _under(overlay, decisions, lambda one: (one.id,), corrected)


def _under(
    overlay: Overlay | None,
    rows: Iterable[R],
    names: Callable[[R], tuple[str, ...]],
    corrected: Mapping[str, Any],
) -> Iterator[R]:
    """The rows, with the fields ``corrected`` replaced where the question was corrected."""
    is_used = False
    for row in rows:
        db_id = row.slices.get("db_id", "")
        if overlay is not None and any(overlay.decides(db_id, name) for name in names(row)):
            is_used = True
            yield replace(row, **corrected)
        else:
            yield row
    if overlay is not None:
        overlay.check_used(is_used)
