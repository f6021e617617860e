"""Column descriptions that benchmarks ship beside their databases."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sqljury.errors import InputError
from sqljury.schema import Column, Schema, Table


class _Described(NamedTuple):
    description: str
    value_description: str


_Tables = Mapping[str, Mapping[str, _Described]]


def describe(schema: Schema, db_id: str, folder: Path | None) -> Schema:
    """The schema with the descriptions that ``folder`` has for this database, if any.

    Two layouts are known: ROSE's ``DB_ID_schema.json`` and BIRD's ``database_description``
    folder with a CSV file a table, either in ``folder/DB_ID`` or in ``folder`` itself.

    Raises:
        InputError: a description file that is not what its name says.
    """
    tables = _read(db_id, folder) if folder is not None else {}
    if not tables:
        return schema
    return replace(schema, tables=tuple(_with_descriptions(t, tables) for t in schema.tables))


def _with_descriptions(table: Table, tables: _Tables) -> Table:
    known = tables.get(table.name.casefold(), {})
    return replace(table, columns=tuple(_column(c, known) for c in table.columns))


def _column(column: Column, known: Mapping[str, _Described]) -> Column:
    found = known.get(column.name.casefold())
    if found is None:
        return column
    return replace(column, description=found.description, value_description=found.value_description)


def _read(db_id: str, folder: Path) -> _Tables:
    rose = folder / f"{db_id}_schema.json"
    if rose.is_file():
        return _read_json(rose)
    for place in (
        folder / db_id / "database_description",
        folder / db_id,
        folder / "database_description",
        folder,
    ):
        if place.is_dir():
            files = sorted(place.glob("*.csv"))
            if files:
                return {file.stem.casefold().strip(): _read_csv(file) for file in files}
    return {}


def _read_json(file: Path) -> _Tables:
    try:
        content = json.loads(_text(file))
        return {
            name.casefold(): _by_column(
                (c["column_name"], c.get("column_description"), c.get("value_description"))
                for c in columns
            )
            for name, columns in content.items()
        }
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(
            "SJ204",
            f"not a description of tables ({error!r}).",
            where=str(file),
            hint='Expected {"TABLE": [{"column_name": …, "column_description": …}, …]}.',
        ) from error


def _read_csv(file: Path) -> Mapping[str, _Described]:
    rows = csv.reader(io.StringIO(_text(file), newline=""))
    head = [name.strip().casefold() for name in next(rows, [])]
    if "original_column_name" not in head:
        # BIRD's files differ in spelling here and there; the first column is always the name.
        head[:1] = ["original_column_name"]
    # Lines may be shorter or longer than the header: what is there counts.
    lines = (dict(zip(head, row, strict=False)) for row in rows)
    return _by_column(
        (
            line.get("original_column_name"),
            line.get("column_description") or line.get("column_name"),
            line.get("value_description"),
        )
        for line in lines
    )


def _by_column(entries: Iterable[tuple[Any, Any, Any]]) -> Mapping[str, _Described]:
    return {
        _clean(name).casefold(): _Described(_clean(description), _clean(values))
        for name, description, values in entries
        if _clean(name)
    }


def _clean(text: Any) -> str:
    return "" if text is None else str(text).strip()


def _text(file: Path) -> str:
    """Decoded as UTF-8 (with or without a mark), else as Windows-1252, in which some are."""
    content = file.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
