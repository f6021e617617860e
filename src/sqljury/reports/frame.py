"""Records as a data frame of pandas or polars."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqljury.case import MISSING, Json
from sqljury.frames import data_frame
from sqljury.reports.jsonl import exported
from sqljury.verdict import Record


def as_frame(records: Iterable[Record], library: str | None = None) -> Any:
    """One row a case and judge, one column a fact, a measure, or a column of the input's own.

    Args:
        library: ``pandas`` or ``polars``; the first of them that is installed by default.

    Raises:
        InputError: SJ803: neither is installed, or no such library.
    """
    return data_frame([_row(record) for record in records], library)


def _row(record: Record) -> dict[str, Json]:
    case, verdict = record.case, record.verdict
    predicted = None if case.predicted_sql is MISSING else case.predicted_sql
    found = {
        "benchmark": case.benchmark,
        "id": case.id,
        "source": case.source,
        "db_id": case.db_id,
        "difficulty": case.difficulty,
        "question": case.question,
        "reference_sql": next(iter(case.reference_sqls), None),
        "predicted_sql": predicted,
        "label": case.label,
        "judge": record.judge,
        "outcome": str(verdict.outcome),
        "score": verdict.score,
        "reason": verdict.reason,
        "cause": exported(record)["cause"],
        "labels": ", ".join(verdict.labels),
        "seconds": verdict.cost.seconds,
        **verdict.measures,
    }
    # A column of the input that is called like one of these is not lost.
    return found | {f"input_{k}" if k in found else k: v for k, v in case.extra.items()}
