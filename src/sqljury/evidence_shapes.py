"""The JSON that judges put into a verdict's evidence, for those who read it there."""

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
    """Rows, counted from 0, that the other result lacks."""


class RowAlone(TypedDict):
    """A row that only one of two results has."""

    row: int
    cells: list[Json]


class RowsAlone(TypedDict):
    """The rows that only one of two results has."""

    total: int
    rows: list[RowAlone]


class CellPair(TypedDict):
    """Two cells that differ, each by its place."""

    reference_row: int
    reference_column: int
    candidate_row: int
    candidate_column: int


class MismatchFields(TypedDict):
    """How two results differ: ``explanation`` in the evidence of `execution`."""

    kinds: list[str]
    missing: RowsAlone
    extra: RowsAlone
    cells: list[CellPair]


class HeardFields(TypedDict):
    """What a model answered the jury: one of ``asked`` in the evidence of `jury`."""

    question: str
    model: str
    """Empty for recorded rows."""
    answer: str
    """``accepts``, ``rejects``, ``prover`` or ``refuter`` (who rejects)."""
    log_odds: float
    """That the prediction is right, after this answer."""
    reason: str


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
    """Codes of the checks that could not look."""


class ResultFields(TypedDict):
    """The evidence of the judge of results, a place for each distinct query of the pool."""

    status: list[str]
    rows: list[int | None]
    """Rows of the result; None where the query does not run."""
    group: list[int | None]
    """Equal results have one number."""


def shown_rows(evidence: Mapping[str, Json], side: str) -> ShownRows | None:
    """The rows of one query (``reference``, ``prediction``); None where they are not shown."""
    return cast("ShownRows | None", evidence.get(side))


def mismatch_of(evidence: Mapping[str, Json]) -> MismatchFields | None:
    """How two results differ; None where they were not compared, or are equal."""
    return cast("MismatchFields | None", evidence.get("explanation"))


def faults_of(evidence: Mapping[str, Json]) -> FaultFields:
    """What checks found; nothing where none was asked."""
    return cast("FaultFields", {"findings": [], "skipped": [], **evidence})


def results_of(evidence: Mapping[str, Json]) -> ResultFields:
    """Which results are equal; nothing where there was no pool."""
    return cast("ResultFields", {"status": [], "rows": [], "group": [], **evidence})
