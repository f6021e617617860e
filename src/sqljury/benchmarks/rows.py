"""Cases in memory: lists of objects, data frames, data sets of Hugging Face."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from sqljury.benchmarks.fields import build
from sqljury.benchmarks.files import FileRecord
from sqljury.benchmarks.layout import guess
from sqljury.benchmarks.prose import without_prose
from sqljury.case import Case, Json
from sqljury.errors import InputError


def cases_of_rows(rows: Iterable[Any]) -> Iterator[Case]:
    """A case a row, keys by their usual names; cases stay as they are.

    A prediction is taken out of the prose and the code fences around it, as from a file.

    Args:
        rows: cases, objects, a data frame of pandas or polars, or a data set of Hugging Face. A
            cell without a value counts as a key that is not there.

    Raises:
        InputError: SJ104: no column with a prediction or a reference; SJ105: no objects.
    """
    found = list(_plain(rows)) if hasattr(rows, "columns") else list(rows)
    objects = [dict(row) for row in found if isinstance(row, Mapping)]
    keys = dict.fromkeys(key for row in objects for key in row)
    layout = guess(list(keys), {}, "row 0")
    if objects and not layout.keys.keys() & {"predicted_sql", "reference_sqls"}:
        raise InputError(
            "SJ104",
            f'no "predicted_sql" (keys: {", ".join(keys)}).',
            where="row 0",
            hint="Rename the column that holds the predictions.",
        )
    for position, row in enumerate(found):
        if isinstance(row, Case):
            yield row
        elif isinstance(row, Mapping):
            record = FileRecord(dict(row), f"row {position}")
            yield without_prose(build(record, layout, position=position, stem=""))
        else:
            raise InputError(
                "SJ105",
                f"a case is a sqljury.Case or an object, not {type(row).__name__}.",
                where=f"row {position}",
            )


def _plain(frame: Any) -> Iterator[dict[str, Json]]:
    """The rows of a data frame without the cells that hold nothing."""
    rows = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")
    for row in rows:
        yield {
            str(key): value for key, value in row.items() if value is not None and value == value
        }
