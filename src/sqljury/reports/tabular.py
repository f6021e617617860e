"""CSV: the records as the export has them, and the numbers of a summary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

from sqljury.case import Json
from sqljury.reports.jsonl import EXPORT_FIELDS, exported
from sqljury.spreadsheet import SafeRows
from sqljury.uses.evaluate import JudgeSummary, Summary
from sqljury.verdict import Outcome, Record
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


def write_summary_csv(path: PathLike, summary: Summary) -> None:
    """Write a row per judge and one per judge and slice; fractions, not percent.

    Raises:
        InputError: the file cannot be written.
    """
    measures = sorted({name for judge in summary.judges for name in judge.measures})
    with new_file(path) as file:
        rows = SafeRows(file)
        rows.write([*SUMMARY_FIELDS, *Outcome, *measures])
        for judge in summary.judges:
            for row in _summary_rows(judge, measures):
                rows.write(row)


def _summary_rows(judge: JudgeSummary, measures: list[str]) -> Iterator[list[Json]]:
    yield [
        judge.name,
        "",
        "",
        judge.n,
        judge.total,
        judge.left_out,
        judge.score,
        judge.low,
        judge.high,
        judge.interval,
        judge.signature,
        *(judge.outcomes.get(outcome, 0) for outcome in Outcome),
        *(judge.measures.get(name) for name in measures),
    ]
    empty = [""] * (len(Outcome) + len(measures))
    for part in judge.slices:
        numbers = [part.n, "", "", part.score, part.low, part.high]
        yield [judge.name, part.dimension, part.value, *numbers, judge.interval, "", *empty]


def _cell(value: Json) -> Json:
    if isinstance(value, bool | list | dict):
        return json.dumps(value, ensure_ascii=False, sort_keys=True)
    return value
