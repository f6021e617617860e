"""Result tables in files: CSV, JSON and Parquet; and folders with one prediction per file."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import date, datetime, time
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Any

from sqljury.benchmarks.files import FileKind, PathLike
from sqljury.case import Case, Json
from sqljury.errors import InputError, MissingExtraError
from sqljury.stored_table import Cell, ReferenceTable, StoredTable
from sqljury.writing import shown_path

TABLE_SUFFIXES = (".csv", ".json", ".parquet")
MOST_BYTES = 100_000_000
"""The largest file that is read as a result table."""
_MOST_CELL = 10_000_000
"""The longest cell of a CSV file, in characters."""


def read_table(path: PathLike) -> StoredTable:
    """The table in a CSV, JSON or Parquet file; why there is none is its ``problem``.

    JSON is a list of objects, a list of lists, or ``{"columns": […], "rows": [[…], …]}``.

    Raises:
        MissingExtraError: a Parquet file, and pyarrow is not installed.
    """
    path = Path(path)
    try:
        if path.stat().st_size > MOST_BYTES:
            problem = f"more than {MOST_BYTES // 1_000_000} MB"
            return StoredTable(name=path.name, problem=problem, too_large=True)
        if path.suffix == ".parquet":
            columns, rows = _parquet(path)
        elif path.suffix == ".json":
            columns, rows = _json(json.loads(path.read_text(encoding="utf-8-sig")))
        else:
            columns, rows = _csv(path)
    except (OSError, ValueError, csv.Error, RecursionError) as error:
        return StoredTable(name=path.name, problem=f"not a table: {error}")
    is_text = path.suffix not in (".json", ".parquet")
    return StoredTable(columns=columns, rows=rows, is_text=is_text, name=path.name)


def _csv(path: Path) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
    """A header and rows of texts. Blank lines are skipped, short rows filled with empty cells."""
    before = csv.field_size_limit(_MOST_CELL)
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            # Lines of white space are skipped; a line of two quotation marks is an empty cell.
            read = csv.reader(stream)
            rows = [row for row in read if row[1:] or row == [""] or "".join(row).strip()]
    finally:
        csv.field_size_limit(before)
    if not rows:
        raise ValueError("the file is empty")
    header, *body = rows
    width = len(header)
    long = next((n for n, row in enumerate(body, 1) if len(row) > width), None)
    if long is not None:
        raise ValueError(f"row {long} has {len(body[long - 1])} cells, the header {width}")
    return tuple(header), tuple((*row, *[""] * (width - len(row))) for row in body)


def _json(data: Any) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
    columns: Sequence[str] | None = None
    if isinstance(data, dict) and isinstance(data.get("rows"), list):
        columns, data = data.get("columns"), data["rows"]
    if not isinstance(data, list):
        raise ValueError("JSON with a table is a list of rows, or an object with columns and rows")
    if all(isinstance(row, dict) for row in data):
        columns = columns or list(dict.fromkeys(key for row in data for key in row))
        data = [[row.get(name) for name in columns] for row in data]
    if not all(isinstance(row, list) for row in data):
        raise ValueError("a row is a list or an object")
    width = len(columns) if columns is not None else max(map(len, data), default=0)
    if any(len(row) != width for row in data):
        raise ValueError(f"not all rows have {width} cells")
    names = columns if columns is not None else [""] * width
    return tuple(map(str, names)), tuple(tuple(map(_cell, row)) for row in data)


def _parquet(path: Path) -> tuple[tuple[str, ...], tuple[tuple[Cell, ...], ...]]:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "Reading Parquet files") from None
    try:
        table = pq.read_table(path)
    except pa.ArrowException as error:
        raise ValueError(str(error)) from None
    columns = [map(_cell, column.to_pylist()) for column in table.columns]
    return tuple(table.column_names), tuple(zip(*columns, strict=True))


def _cell(value: Any) -> Cell:
    """A cell in JSON's types; lists and objects become their JSON text."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, datetime):
        return value.isoformat(" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, list | dict):
        return json.dumps(value, default=str, ensure_ascii=False)
    return str(value)


# ---------------------------------------------------------------- in cases


REFERENCES, PREDICTION = "reference_tables", "predicted_table"
"""The keys of result tables in files of cases."""


def with_tables(case: Case, folder: Path) -> Case:
    """The case with the result tables that its file names or holds.

    A table is the name of a file in the folder, ``{"file": NAME}``, or ``{"columns": […], "rows":
    [[…], …]}``; a reference may also state ``counted``, positions from 0, and ``ordered``.

    Args:
        case: as built from the file, with the tables in ``extra``.

    Raises:
        InputError: SJ105: not a table, or a file outside of the folder.
    """
    extra = dict(case.extra)
    references, prediction = extra.pop(REFERENCES, None), extra.pop(PREDICTION, None)
    if references is None and prediction is None:
        return case
    listed = references if isinstance(references, list) else [references]
    return replace(
        case,
        reference_tables=tuple(
            _reference(one, folder, case.origin) for one in listed if one is not None
        ),
        predicted_table=None if prediction is None else _table(prediction, folder, case.origin)[0],
        extra=extra,
    )


def _reference(given: Json, folder: Path, origin: str) -> ReferenceTable:
    table, said = _table(given, folder, origin)
    counted = said.get("counted")
    width = table.width
    if counted is not None and not (
        isinstance(counted, list)
        and all(type(one) is int and (0 <= one < width or table.problem) for one in counted)
    ):
        text = f"'counted' lists positions of columns below {width}, not {counted!r}."
        raise InputError("SJ105", text, where=origin)
    known = {field.name: getattr(table, field.name) for field in fields(StoredTable)}
    return ReferenceTable(
        **known,
        counted=None if counted is None else tuple(counted),
        ordered=said.get("ordered") is True,
    )


def _table(given: Json, folder: Path, origin: str) -> tuple[StoredTable, Mapping[str, Json]]:
    """A table, and what else the file says of it."""
    said: Mapping[str, Json] = given if isinstance(given, dict) else {"file": given}
    name = said.get("file")
    if isinstance(name, str):
        path = folder / name
        if not path.resolve().is_relative_to(folder.resolve()):
            raise InputError("SJ105", f"{name!r} is outside of the file's folder.", where=origin)
        return read_table(path), said
    try:
        columns, rows = _json(dict(said))
    except ValueError as error:
        raise InputError(
            "SJ105", f"a result table cannot be read: {error}.", where=origin
        ) from None
    is_text = said.get("is_text") is True
    shown = str(said.get("name") or "in the file")
    return StoredTable(columns=columns, rows=rows, is_text=is_text, name=shown), said


# ---------------------------------------------------------------- folders


class PredictionFolder:
    """A folder of predictions: ``ID.sql`` with a query, or ``ID.csv``, ``ID.json`` or
    ``ID.parquet`` with its result.

    Raises:
        InputError: SJ103: the folder has no such file; SJ110: two files for one id.
    """

    kind = FileKind.JSON_OBJECT
    keys: tuple[str, ...] = ()

    def __init__(self, path: PathLike) -> None:
        self.path = Path(path)
        self.name = self.path.absolute().name
        self.stem = self.name
        if not self.files:
            raise InputError(
                "SJ103",
                "no file in the folder is a prediction.",
                where=shown_path(path),
                hint="A folder of predictions has ID.sql, ID.csv, ID.json or ID.parquet files.",
            )

    @cached_property
    def files(self) -> Mapping[str, Path]:
        """The files by id, in order of their names."""
        found: dict[str, Path] = {}
        for entry in sorted(os.scandir(self.path), key=lambda one: one.name):
            path = self.path / entry.name
            if path.suffix not in (".sql", *TABLE_SUFFIXES) or entry.name.startswith("."):
                continue
            if path.stem in found:
                raise InputError(
                    "SJ110",
                    f"two predictions for id {path.stem!r}: {found[path.stem].name}, {path.name}.",
                    where=self.name,
                    hint="Give queries and results in folders of their own.",
                )
            found[path.stem] = path
        return found

    def texts_and_tables(self) -> Iterator[tuple[str, str | StoredTable]]:
        """Each id with the query's text, or with its result."""
        root = self.path.resolve()
        for key, path in self.files.items():
            if not path.resolve().is_relative_to(root):
                yield key, StoredTable(name=path.name, problem="a link out of the folder")
            elif path.suffix == ".sql":
                yield key, path.read_text(encoding="utf-8-sig", errors="replace")
            else:
                yield key, read_table(path)
