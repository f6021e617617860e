"""Records for other programs: JSON lines, CSV, Parquet, and data frames of pandas or polars."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from sqljury.case import MISSING, Json
from sqljury.errors import MissingExtraError
from sqljury.frames import data_frame
from sqljury.reports.evidence import cause_of
from sqljury.spreadsheet import SafeRows
from sqljury.verdict import Outcome, Record
from sqljury.writing import PathLike, encodable, new_binary_file, new_file, write_json_lines

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


def write_csv(path: PathLike, records: Iterable[Record], own: Sequence[str] = ()) -> None:
    """Write a row per case and judge, the columns of :func:`jsonl.write_export`.

    Args:
        own: the input's own columns that are written, too.

    Lists and objects are JSON in their cell; what is null is an empty cell. An apostrophe stands
    before texts that a spreadsheet would take for formulas; our own readers take it off.

    Raises:
        InputError: the file cannot be written.
    """
    with new_file(path) as file:
        rows = SafeRows(file)
        columns = (*EXPORT_FIELDS, *map(own_name, own))
        rows.write(columns)
        for record in records:
            found = exported(record)
            rows.write(_cell(found.get(column)) for column in columns)


def _cell(value: Json) -> Json:
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return value


_ROWS_AT_ONCE = 10_000
"""Rows of a row group: so many are in memory."""


def write_parquet(path: PathLike, records: Iterable[Record], own: Sequence[str] = ()) -> None:
    """Write a row per case and judge, in the order of the records.

    Columns are those of :data:`EXPORT_FIELDS`: text, but for ``score`` (double), ``label``
    (boolean), ``labels`` and ``reference_sqls`` (lists of text) and ``measures`` (map from text to
    double). What is null in the JSONL export is null.

    Args:
        own: the input's own columns that are written, too, as text: JSON where they hold none.

    Raises:
        InputError: the file cannot be written.
        MissingExtraError: SJ001: pyarrow is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow.parquet import ParquetWriter
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "Writing Parquet files") from None
    types = {
        "score": pa.float64(),
        "label": pa.bool_(),
        "labels": pa.list_(pa.string()),
        "reference_sqls": pa.list_(pa.string()),
        "measures": pa.map_(pa.string(), pa.float64()),
    }
    columns = (*EXPORT_FIELDS, *map(own_name, own))
    schema = pa.schema((name, types.get(name, pa.string())) for name in columns)
    with new_binary_file(path) as file, ParquetWriter(file, schema) as writer:
        rows = map(_parquet_row, records)
        while some := list(islice(rows, _ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist(some, schema))


def _parquet_row(record: Record) -> dict[str, Any]:
    found = exported(record)
    ours = {name: _parquet_value(found.get(name)) for name in EXPORT_FIELDS}
    rest = {name: _as_text(value) for name, value in found.items() if name not in ours}
    return {**ours, **rest}


def _as_text(value: Json) -> str | None:
    """A value of a column whose type nobody declared."""
    if value is None:
        return None
    return encodable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _parquet_value(value: Json) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [encodable(str(one)) for one in value]
    if isinstance(value, dict):
        return [(encodable(name), float(one)) for name, one in sorted(value.items())]
    return value


def as_frame(records: Iterable[Record], library: str | None = None) -> Any:
    """One row a case and judge, one column a fact, a measure, or a column of the input's own.

    Args:
        library: ``pandas`` or ``polars``; the first of them that is installed by default.

    Raises:
        InputError: SJ803: neither is installed, or no such library.
    """
    return data_frame([_frame_row(record) for record in records], library)


def _frame_row(record: Record) -> dict[str, Json]:
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
