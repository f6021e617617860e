"""The export as Parquet: the fields of the JSONL export, in columns of declared types."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any

from sqljury.case import Json
from sqljury.errors import MissingExtraError
from sqljury.reports.jsonl import EXPORT_FIELDS, exported
from sqljury.verdict import Record
from sqljury.writing import PathLike, encodable, new_binary_file

_ROWS_AT_ONCE = 10_000
"""Rows of a row group: so many are in memory."""


def write_parquet(path: PathLike, records: Iterable[Record]) -> None:
    """Write a row per case and judge, in the order of the records.

    Columns are those of :data:`EXPORT_FIELDS`: text, but for ``score`` (double), ``label``
    (boolean), ``labels`` (list of text) and ``measures`` (map from text to double). What is null in
    the JSONL export is null.

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
        "measures": pa.map_(pa.string(), pa.float64()),
    }
    schema = pa.schema((name, types.get(name, pa.string())) for name in EXPORT_FIELDS)
    with new_binary_file(path) as file, ParquetWriter(file, schema) as writer:
        rows = map(_row, records)
        while some := list(islice(rows, _ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist(some, schema))


def _row(record: Record) -> dict[str, Any]:
    return {name: _value(value) for name, value in exported(record).items()}


def _value(value: Json) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [encodable(str(one)) for one in value]
    if isinstance(value, dict):
        return [(encodable(name), float(one)) for name, one in sorted(value.items())]
    return value
