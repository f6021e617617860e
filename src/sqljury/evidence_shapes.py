"""The types of the JSON in a verdict's evidence, and functions that read it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict, cast

from sqljury.case import Json


class ShownRows(TypedDict):
    """The first rows of a query's result."""

    columns: list[str]
    rows: list[list[Json]]
    row_count: int
    marks: NotRequired[list[int]]
    """The numbers of rows that the other result lacks, counted from 0."""


class RowAlone(TypedDict):
    """A row that only one of two results has, with its number."""

    row: int
    cells: list[Json]


class RowsAlone(TypedDict):
    """The rows that only one of two results has; ``total`` counts those not listed too."""

    total: int
    rows: list[RowAlone]


class CellPair(TypedDict):
    """The places of two cells that differ, one in each result."""

    reference_row: int
    reference_column: int
    candidate_row: int
    candidate_column: int


class MismatchFinding(TypedDict):
    """One difference between two results, in a sentence."""

    kind: str
    text: str


class MismatchFields(TypedDict):
    """How two results differ: ``explanation`` in the evidence of `execution`."""

    kinds: list[str]
    findings: list[MismatchFinding]
    missing: RowsAlone
    extra: RowsAlone
    cells: list[CellPair]


class HeardFields(TypedDict):
    """A model's answer to the jury: an item of ``asked`` in the evidence of `jury`."""

    question: str
    model: str
    """Empty for recorded rows."""
    answer: str
    """``accepts``; or ``rejects``, or ``prover`` or ``refuter``, whichever of them rejects."""
    log_odds: float
    """The log odds that the prediction is right, after this answer."""
    reason: str


class ReasonFields(TypedDict):
    """What speaks for or against a prediction: an item of ``reasons`` in the evidence of `jury`."""

    subject: str
    """``rows``, ``columns``, ``conditions``, …"""
    text: str
    weight: float
    """How much it changes the log-odds that the prediction is right; above 0 it speaks for it."""
    features: list[str]
    """The names of the features that were added up, those that weigh most first."""


class FindingFields(TypedDict):
    """A fault that a check found in a query."""

    code: str
    name: str
    title: str
    weak: bool
    likely: float
    reason: str
    part: str
    evidence: dict[str, Json]
    proposal: str | None


class FaultFields(TypedDict):
    """The evidence of `faults`."""

    findings: list[FindingFields]
    skipped: list[str]
    """The codes of the checks that could not run."""


class ResultFields(TypedDict):
    """The evidence of the judge of results: lists with an item for each distinct query."""

    status: list[str]
    rows: list[int | None]
    """The number of rows of each result; None if the query does not run."""
    group: list[int | None]
    """The group of each result: equal results have the same number."""


def shown_rows(evidence: Mapping[str, Json], side: str) -> ShownRows | None:
    """The rows of one query (``reference``, ``prediction``); None if the evidence has none."""
    return cast("ShownRows | None", evidence.get(side))


def mismatch_of(evidence: Mapping[str, Json]) -> MismatchFields | None:
    """How two results differ; None if they were not compared, or are equal."""
    return cast("MismatchFields | None", evidence.get("explanation"))


def reasons_of(evidence: Mapping[str, Json]) -> list[ReasonFields]:
    """What speaks for a prediction, then what speaks against it; empty for other judges."""
    return cast("list[ReasonFields]", evidence.get("reasons", []))


def reasons_text(reasons: list[ReasonFields]) -> str:
    """Reasons on one line: ``for: …; …; against: …``.

    >>> one = ReasonFields(subject="rows", text="Same rows", weight=1.2, features=[])
    >>> reasons_text([one])
    'for: Same rows'
    """
    sides = {
        "for": [one["text"] for one in reasons if one["weight"] > 0],
        "against": [one["text"] for one in reasons if one["weight"] < 0],
    }
    return "; ".join(f"{side}: {'; '.join(texts)}" for side, texts in sides.items() if texts)


def faults_of(evidence: Mapping[str, Json]) -> FaultFields:
    """The findings of checks; empty if no check ran."""
    return cast("FaultFields", {"findings": [], "skipped": [], **evidence})


def results_of(evidence: Mapping[str, Json]) -> ResultFields:
    """The results of a pool's queries and which are equal; empty without a pool."""
    return cast("ResultFields", {"status": [], "rows": [], "group": [], **evidence})
