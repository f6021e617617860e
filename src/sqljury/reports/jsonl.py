"""The export: a JSON line per case and judge, the same bytes whenever the verdicts are."""

from __future__ import annotations

from collections.abc import Iterable

from sqljury.case import MISSING, Json
from sqljury.uses.failures import cause_of
from sqljury.verdict import Outcome, Record
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
    "question",
    "reference_sqls",
    "predicted_sql",
    "cause",
)
"""What an exported record says. No seconds: they differ from run to run."""


def own_name(column: str) -> str:
    """What a column of the input is called in the export, where ours have their names."""
    return f"input_{column}" if column in EXPORT_FIELDS else column


def exported(record: Record) -> dict[str, Json]:
    """One record as the export has it: :data:`EXPORT_FIELDS` in this order, then the input's own
    columns. A prediction that is missing has no key."""
    case, verdict = record.case, record.verdict
    is_wrong = verdict.outcome is not Outcome.CORRECT and not verdict.outcome.left_out
    found = {
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
        "question": case.question,
        "reference_sqls": list(case.reference_sqls),
        "predicted_sql": case.predicted_sql,
        "cause": cause_of(verdict) if is_wrong else None,
        **{own_name(column): value for column, value in case.extra.items()},
    }
    if case.predicted_sql is MISSING:
        del found["predicted_sql"]
    return found


def write_export(path: PathLike, records: Iterable[Record]) -> None:
    """Write one JSON object a line, keys sorted, in the order of the records.

    Raises:
        InputError: the file cannot be written.
    """
    write_json_lines(path, map(exported, records), sort_keys=True)
