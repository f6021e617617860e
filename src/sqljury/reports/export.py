"""Export of records: JSON lines, CSV, Parquet, and data frames of pandas or polars."""

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
"""The fields of an exported record. Seconds are not among them: they differ from run to run."""


def own_name(column: str) -> str:
    """The name of an input's column in the export: ``input_…`` if we have a field of its name."""
    return f"input_{column}" if column in EXPORT_FIELDS else column


def exported(record: Record) -> dict[str, Json]:
    """One record as exported: :data:`EXPORT_FIELDS` in this order, then the input's own columns.

    Without a prediction there is no key ``predicted_sql``.
    """
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
    """Write a JSON object per line, keys sorted, in the order of the records.

    Raises:
        InputError: the file cannot be written.
    """
    write_json_lines(path, map(exported, records), sort_keys=True)


def write_csv(path: PathLike, records: Iterable[Record], own: Sequence[str] = ()) -> None:
    """Write a CSV file with a row per case and judge and the columns :data:`EXPORT_FIELDS`.

    Args:
        own: the input's own columns that are written after them.

    Lists and objects are written as JSON, null as an empty cell. Texts that a spreadsheet would
    take for formulas get an apostrophe in front, which sqljury's readers remove.

    Raises:
        InputError: the file cannot be written.
    """
    with new_file(path) as file:
        rows = SafeRows(file)
        columns = _columns(own)
        rows.write(columns)
        for record in records:
            rows.write(_row(record, columns))


def table_of(
    records: Iterable[Record], own: Sequence[str] = ()
) -> tuple[tuple[str, ...], list[list[Json]]]:
    """The columns and rows that :func:`write_csv` writes, all in memory."""
    columns = _columns(own)
    return columns, [_row(record, columns) for record in records]


def _columns(own: Sequence[str]) -> tuple[str, ...]:
    return (*EXPORT_FIELDS, *map(own_name, own))


def _row(record: Record, columns: Sequence[str]) -> list[Json]:
    found = exported(record)
    return [_cell(found.get(column)) for column in columns]


def _cell(value: Json) -> Json:
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return value


_ROWS_AT_ONCE = 10_000
"""The size of a row group; so many rows are in memory at once."""


def write_parquet(path: PathLike, records: Iterable[Record], own: Sequence[str] = ()) -> None:
    """Write a Parquet file with a row per case and judge, in the order of the records.

    The columns are :data:`EXPORT_FIELDS`: text, except ``score`` (double), ``label``
    (boolean), ``labels`` and ``reference_sqls`` (lists of text) and ``measures`` (list of
    ``name`` and ``value``: data sets of Hugging Face have no maps).

    Args:
        own: the input's own columns that are written after them, as text; other values as JSON.

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
        "measures": pa.list_(pa.struct({"name": pa.string(), "value": pa.float64()})),
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
    """A value of one of the input's own columns as text; None stays None."""
    if value is None:
        return None
    return encodable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _parquet_value(value: Json) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [encodable(str(one)) for one in value]
    if isinstance(value, dict):
        return [
            {"name": encodable(name), "value": float(one)} for name, one in sorted(value.items())
        ]
    return value


def as_frame(records: Iterable[Record], library: str | None = None) -> Any:
    """A data frame with a row per case and judge.

    The columns are the case's and the verdict's fields, the measures, and the input's own columns.

    Args:
        library: ``pandas`` or ``polars``; by default the first of them that is installed.

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
    # An input's column with the name of one of our fields gets the prefix input_.
    return found | {f"input_{k}" if k in found else k: v for k, v in case.extra.items()}
