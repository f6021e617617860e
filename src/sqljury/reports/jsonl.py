"""The export: a JSON line per case and judge, the same bytes whenever the verdicts are."""

from __future__ import annotations

from collections.abc import Iterable

from sqljury.case import Json
from sqljury.verdict import Record
from sqljury.writing import PathLike, write_json_lines

EXPORT_FIELDS = (
    "benchmark",
    "id",
    "source",
    "judge",
    "outcome",
    "score",
    "reason",
    "labels",
    "label",
    "db_id",
    "difficulty",
    "measures",
)
"""What an exported record says. No seconds: they differ from run to run."""


def exported(record: Record) -> dict[str, Json]:
    """One record as the export has it, keys in the order of :data:`EXPORT_FIELDS`."""
    case, verdict = record.case, record.verdict
    return {
        "benchmark": case.benchmark,
        "id": case.id,
        "source": case.source,
        "judge": record.judge,
        "outcome": str(verdict.outcome),
        "score": verdict.score,
        "reason": verdict.reason,
        "labels": list(verdict.labels),
        "label": case.label,
        "db_id": case.db_id,
        "difficulty": case.difficulty,
        "measures": dict(verdict.measures),
    }


def write_export(path: PathLike, records: Iterable[Record]) -> None:
    """Write one JSON object a line, keys sorted, in the order of the records.

    Raises:
        InputError: the file cannot be written.
    """
    write_json_lines(path, map(exported, records), sort_keys=True)
