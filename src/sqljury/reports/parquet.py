"""The export as Parquet: the fields of the JSONL export, in columns of declared types."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

from sqljury.case import Json
from sqljury.errors import MissingExtraError
from sqljury.reports.jsonl import EXPORT_FIELDS, exported, own_name
from sqljury.verdict import Record
from sqljury.writing import PathLike, encodable, new_binary_file

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
        rows = map(_row, records)
        while some := list(islice(rows, _ROWS_AT_ONCE)):
            writer.write_table(pa.Table.from_pylist(some, schema))


def _row(record: Record) -> dict[str, Any]:
    found = exported(record)
    ours = {name: _value(found.get(name)) for name in EXPORT_FIELDS}
    rest = {name: _as_text(value) for name, value in found.items() if name not in ours}
    return {**ours, **rest}


def _as_text(value: Json) -> str | None:
    """A value of a column whose type nobody declared."""
    if value is None:
        return None
    return encodable(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _value(value: Json) -> Any:
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, list):
        return [encodable(str(one)) for one in value]
    if isinstance(value, dict):
        return [(encodable(name), float(one)) for name, one in sorted(value.items())]
    return value
