"""CSV: the records as the export has them."""

from __future__ import annotations

import json
from collections.abc import Iterable

from sqljury.case import Json
from sqljury.reports.jsonl import EXPORT_FIELDS, exported
from sqljury.spreadsheet import SafeRows
from sqljury.verdict import Record
from sqljury.writing import PathLike, new_file

SUMMARY_FIELDS = (
    "judge",
    "dimension",
    "value",
    "n",
    "total",
    "left_out",
    "score",
    "low",
    "high",
    "interval",
    "signature",
)
"""The first columns of a summary; a column per outcome and per measure follows."""


def write_csv(path: PathLike, records: Iterable[Record]) -> None:
    """Write a row per case and judge, the columns of :func:`jsonl.write_export`.

    Lists and objects are JSON in their cell; what is null is an empty cell. An apostrophe stands
    before texts that a spreadsheet would take for formulas; our own readers take it off.

    Raises:
        InputError: the file cannot be written.
    """
    with new_file(path) as file:
        rows = SafeRows(file)
        rows.write(EXPORT_FIELDS)
        for record in records:
            rows.write(_cell(value) for value in exported(record).values())


def _cell(value: Json) -> Json:
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return value
