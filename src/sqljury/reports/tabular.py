"""CSV: the records as the export has them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from sqljury.case import Json
from sqljury.reports.jsonl import EXPORT_FIELDS, exported, own_name
from sqljury.spreadsheet import SafeRows
from sqljury.verdict import Record
from sqljury.writing import PathLike, new_file


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
