"""Schemas in folders of ``DDL.csv``, as Spider 2.0 publishes them for BigQuery, Snowflake and
SQLite."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path

from sqljury.schema import Column, Schema, Table

_NAME = "DDL.csv"
_ENGINES = {"bigquery": "bigquery", "snowflake": "snowflake", "sqlite": "sqlite"}
_HEAD = re.compile(r"\s*create\s+(or\s+replace\s+)?[\w\s]*?table\b[^(]*\(", re.IGNORECASE)
_COLUMN = re.compile(
    r"\s*(?:\"(?P<double>(?:[^\"]|\"\")+)\"|`(?P<back>[^`]+)`|\[(?P<square>[^\]]+)\]|(?P<bare>[\w$-]+))"
    r"\s+(?P<type>.*)",
    re.DOTALL,
)
_CONSTRAINTS = ("primary", "foreign", "unique", "constraint", "check", "index", "key")
_AFTER_TYPE = re.compile(
    r"\s+(not\s+null|null|options|default|comment|primary|unique|references|collate|autoincrement|"
    r"check|generated|with)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_SIGN = re.compile(r"\\.|[(<\[,)>\]'\"`]", re.DOTALL)
"""Brackets, commas and quotation marks; an escaped character is skipped."""
_OPTION = re.compile(r"description\s*=\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')", re.DOTALL)


def is_ddl_folder(path: Path) -> bool:
    """True if a folder holds a ``DDL.csv`` at any depth."""
    return path.is_dir() and next(path.rglob(_NAME), None) is not None


class FolderSchemas(Mapping[str, Schema]):
    """The schema of each database in a folder, by the database's name; read when it is asked for.

    Files are ``[ENGINE/]DATABASE/SCHEMA/DDL.csv``, or ``sqlite/DATABASE/DDL.csv``; without the name
    of an engine in the path the databases are Snowflake's. Beside them, ``TABLE.json`` has the
    columns and some rows of a table: it is read if no ``DDL.csv`` has the table. A table is named
    without its schema, unless the database has another table of that name. Keys are not read:
    warehouses do not enforce them.
    """

    def __init__(self, path: Path) -> None:
        self._folders: dict[str, tuple[str, list[Path]]] = {}
        self._read: dict[str, Schema] = {}
        of_files = (file.parent for end in (_NAME, "*.json") for file in path.rglob(end))
        for folder in sorted(set(of_files)):
            folders = folder.absolute().parts
            engine = next((one for one in reversed(folders[-4:]) if one in _ENGINES), "snowflake")
            database = folders[-1] if engine == "sqlite" else folders[-2]
            self._folders.setdefault(database, (engine, []))[1].append(folder)

    def __getitem__(self, name: str) -> Schema:
        """The schema of that database; without tables if its files describe none."""
        if name not in self._read:
            engine, folders = self._folders[name]
            self._read[name] = _schema(engine, [one for f in folders for one in _in_folder(f)])
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._folders)

    def __len__(self) -> int:
        return len(self._folders)


def _schema(engine: str, tables: list[tuple[str, Table]]) -> Schema:
    often = Counter(table.name.casefold() for _, table in tables)
    named = []
    for group, table in tables:
        again = often[table.name.casefold()] > 1
        name = f"{group}.{table.name}" if again and group else table.name
        named.append(Table(name=name, columns=table.columns))
    # A table may be listed twice in one file.
    kept = {table.name.casefold(): table for table in named}
    return Schema(dialect=_ENGINES[engine], tables=tuple(kept.values()))


def _in_folder(folder: Path) -> Iterator[tuple[str, Table]]:
    """The schema and the table of each CREATE TABLE, then of each other table with sample rows."""
    found = list(_tables(folder / _NAME)) if (folder / _NAME).is_file() else []
    yield from found
    known = {table.name.casefold() for _, table in found}
    for file in sorted(folder.glob("*.json")):
        if file.stem.rpartition(".")[2].casefold() not in known:
            yield from _described(file)


def _described(file: Path) -> Iterator[tuple[str, Table]]:
    """The schema and the table of a file of sample rows; nothing if it is another JSON file."""
    try:
        held = json.loads(file.read_bytes())
        full, names, types = (
            held[key] for key in ("table_fullname", "column_names", "column_types")
        )
        said = held.get("description") or []
        columns = tuple(
            Column(name=name, type=kind, description=text or "")
            for name, kind, text in zip_longest(names, types, said[: len(names)])
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return
    if not all(isinstance(one, str) for one in (full, *names, *types)):
        return
    yield (
        full.split(".")[-2] if "." in full else "",
        Table(name=full.rpartition(".")[2], columns=columns),
    )


def _tables(file: Path) -> Iterator[tuple[str, Table]]:
    """The schema and the table of each row."""
    text = file.read_text(encoding="utf-8-sig", errors="replace")
    csv.field_size_limit(max(csv.field_size_limit(), 10_000_000))
    rows = csv.reader(io.StringIO(text, newline=""))
    head = [name.strip().lower() for name in next(rows, [])]
    if "table_name" not in head or "ddl" not in head:
        return  # one of Snowflake's is published without its statements
    for row in rows:
        cells: Mapping[str, str] = dict(zip(head, row, strict=False))
        full, ddl = cells.get("table_name", "").strip(), cells.get("ddl", "")
        columns = tuple(_columns(ddl))
        if not full or not columns:
            continue
        group = full.split(".")[-2] if "." in full else file.parent.name.rpartition(".")[2]
        yield group, Table(name=full.rpartition(".")[2], columns=columns)


def _columns(ddl: str) -> Iterator[Column]:
    head = _HEAD.match(ddl)
    if head is None:
        return
    for part in _parts(ddl[head.end() :]):
        found = _COLUMN.match(part)
        bare = found["bare"] if found else None
        if found is None or (bare or "").lower() in _CONSTRAINTS:
            continue
        name = found["double"] or found["back"] or found["square"] or bare or ""
        said = _OPTION.search(part)
        yield Column(
            name=name.replace('""', '"'),
            type=" ".join(_AFTER_TYPE.sub("", found["type"]).split()),
            description=said[1][1:-1] if said else "",
        )


def _parts(text: str) -> Iterator[str]:
    """The parts between the commas of a list, up to the bracket that closes it."""
    depth, start, quote = 0, 0, ""
    for found in _SIGN.finditer(text):
        sign, at = found[0], found.start()
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"`":
            quote = sign
        elif sign in "(<[":
            depth += 1
        elif sign == "," and depth == 0:
            yield text[start:at]
            start = at + 1
        elif sign in ")>]":
            depth -= 1
            if depth < 0:
                yield text[start:at]
                return
    yield text[start:]
