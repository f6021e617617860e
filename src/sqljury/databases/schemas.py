"""Schemas without databases, and the descriptions that benchmarks ship next to databases."""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import re
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqljury.errors import InputError
from sqljury.schema import Column, ForeignKey, Schema, Table

# Spider's type names are less precise than a declaration; "others" means nothing.
_SPIDER_TYPES = {
    "number": "NUMERIC",
    "text": "TEXT",
    "time": "TIMESTAMP",
    "boolean": "BOOLEAN",
    "others": "",
}
_DDL = re.compile(
    r"\s*create\s+(or\s+replace\s+)?(temp\w*\s+)?(table|type|domain|schema)\b", re.IGNORECASE
)
_OPENERS: Final[Mapping[str, Any]] = {".gz": gzip.open, ".xz": lzma.open}
_MOST_CHARACTERS: Final = 64 * 1024**2
"""Most characters of a file of schemas, unpacked: a megabyte may hold a gigabyte of spaces."""


@dataclass(frozen=True, slots=True)
class Schemas:
    """Schemas by the name of their database; a single one in a file without names serves every
    name."""

    spec: str
    """The text that :func:`read_schemas` turns into equal schemas."""
    by_id: Mapping[str, Schema]

    def get(self, db_id: str) -> Schema | None:
        """The schema of that database, else one whose name differs in case only, else None."""
        if db_id in self.by_id:
            return self.by_id[db_id]
        if "" in self.by_id:
            return self.by_id[""]
        folded = db_id.casefold()
        found = next((name for name in self.by_id if name.casefold() == folded), None)
        return None if found is None else self.by_id[found]


def read_schemas(path: str | Path) -> Schemas:
    """Schemas from a file: JSON like Spider's ``tables.json``, text2sql-data's CSV, else SQL; also
    as .gz and .xz. Or from a folder with Spider 2.0's ``DDL.csv`` files.

    Text that begins with CREATE TABLE (or TYPE, DOMAIN, SCHEMA) is not a path but the
    statements themselves.

    In ``tables.json`` several single columns of one table under ``primary_keys`` are read as one
    composite key. Spider often lists only the first column of a composite key, and this column is
    mostly a foreign key too: a single column that is both is not read as a key. (Of the 774 keys in
    Spider's file 132 are not keys of the databases. This rule leaves out 113 of them, and 23 real
    keys.) If there is a database, its own schema is more reliable.

    Raises:
        InputError: SJ206: the file does not exist; SJ207: it cannot be parsed.
    """
    from sqljury.databases.ddl import schema_from_ddl
    from sqljury.databases.ddl_folder import FolderSchemas, is_ddl_folder

    if _DDL.match(str(path)):
        return Schemas(str(path), {"": schema_from_ddl(str(path))})
    if is_ddl_folder(Path(path)):
        return Schemas(str(path), FolderSchemas(Path(path)))
    text = _text(Path(path))
    name = Path(path).name
    if text.lstrip()[:1] in ("[", "{"):
        return Schemas(str(path), _from_json(text, name))
    if text.startswith(_CSV_HEAD):
        return Schemas(str(path), {"": _from_csv(text)})
    return Schemas(str(path), {"": schema_from_ddl(text, where=name)})


def _text(path: Path) -> str:
    opener = _OPENERS.get(path.suffix, open)
    try:
        with opener(path, "rt", encoding="utf-8-sig") as file:
            text = str(file.read(_MOST_CHARACTERS + 1))
    except OSError as error:
        raise InputError("SJ206", f"{error.strerror or error}.", where=str(path)) from error
    except (UnicodeDecodeError, EOFError, lzma.LZMAError, zlib.error) as error:
        raise InputError("SJ207", f"{error}.", where=path.name) from error
    if len(text) > _MOST_CHARACTERS:
        raise InputError("SJ207", f"more than {_MOST_CHARACTERS} characters.", where=path.name)
    return text


_CSV_HEAD = "Table Name,"


def _from_csv(text: str) -> Schema:
    """One line per column, a line of dashes between tables; targets of foreign keys are not
    given."""
    rows = csv.reader(text.splitlines(), skipinitialspace=True)
    heads = [head.strip() for head in next(rows)]
    columns: dict[str, list[Column]] = {}
    keys: dict[str, list[str]] = {}
    for table, name, *rest in ([cell.strip() for cell in row] for row in rows if len(row) > 1):
        if table == "-":
            continue
        said = dict(zip(heads[2:], rest, strict=False))
        columns.setdefault(table, []).append(Column(name=name, type=said.get("Type", "")))
        if said.get("Is Primary Key") == "y" or "PRI" in rest:
            keys.setdefault(table, []).append(name)
    tables = (
        Table(name=table, columns=tuple(found), primary_key=tuple(keys.get(table, ())))
        for table, found in columns.items()
    )
    return Schema(dialect="sqlite", tables=tuple(tables))


# ---------------------------------------------------------------- tables.json


def _from_json(text: str, name: str) -> dict[str, Schema]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise InputError("SJ207", f"{error.msg}.", where=f"{name}:{error.lineno}") from error
    except RecursionError:
        raise InputError("SJ207", "the JSON is nested too deeply.", where=name) from None
    entries = data if isinstance(data, list) else [data]
    found = {}
    for number, entry in enumerate(entries, 1):
        where = f"{name}: database {number}"
        try:
            found[str(entry["db_id"])] = _spider_schema(entry)
        except KeyError as error:
            raise InputError("SJ207", f"the key {error} is missing.", where=where) from error
        except (TypeError, ValueError, IndexError, AttributeError) as error:
            raise InputError(
                "SJ207", f"not in the form of tables.json: {error}.", where=where
            ) from error
    if not found:
        raise InputError("SJ207", "no schema was found.", where=name)
    return found


def _spider_schema(entry: Mapping[str, Any]) -> Schema:
    # The first column is "*", of table -1.
    columns = [(int(table), str(name)) for table, name in entry["column_names_original"]]
    types = entry["column_types"]
    keys = _primary_keys(entry["primary_keys"], columns)
    tables = []
    for number, table in enumerate(entry["table_names_original"]):
        own = [i for i, (of, _) in enumerate(columns) if of == number]
        references = _foreign_keys(entry, number, columns)
        key = keys.get(number, ())
        tables.append(
            Table(
                name=str(table),
                columns=tuple(
                    Column(name=columns[i][1], type=_SPIDER_TYPES.get(types[i], types[i].upper()))
                    for i in own
                ),
                primary_key=() if any(key == each.columns for each in references) else key,
                foreign_keys=references,
            )
        )
    return Schema(dialect="sqlite", tables=tuple(tables))


def _primary_keys(
    listed: Sequence[int | Sequence[int]], columns: Sequence[tuple[int, str]]
) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for part in listed:
        for position in [part] if isinstance(part, int) else part:
            table, name = columns[position]
            found[table] = (*found.get(table, ()), name)
    return found


def _foreign_keys(
    entry: Mapping[str, Any], table: int, columns: Sequence[tuple[int, str]]
) -> tuple[ForeignKey, ...]:
    names = entry["table_names_original"]
    pairs = [pair for pair in entry["foreign_keys"] if columns[pair[0]][0] == table]
    return tuple(
        ForeignKey(
            columns=(columns[source][1],),
            target_table=str(names[columns[target][0]]),
            target_columns=(columns[target][1],),
        )
        for source, target in pairs
    )


# ------------------------------------------------------------
# Column descriptions that benchmarks ship next to their databases.


class _Described(NamedTuple):
    description: str
    value_description: str


_Tables = Mapping[str, Mapping[str, _Described]]


def describe(schema: Schema, db_id: str, folder: Path | None) -> Schema:
    """The schema with the descriptions from ``folder`` for this database, if there are any.

    Two layouts are read: ROSE's ``DB_ID_schema.json``, and BIRD's ``database_description`` folder
    with one CSV file per table; both in ``folder/DB_ID`` or in ``folder`` itself.

    Raises:
        InputError: a description file cannot be parsed.
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
        content = json.loads(_decoded(file))
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
    rows = csv.reader(io.StringIO(_decoded(file), newline=""))
    head = [name.strip().casefold() for name in next(rows, [])]
    if "original_column_name" not in head:
        # Spellings of the header differ between BIRD's files; the first column is always the name.
        head[:1] = ["original_column_name"]
    # Lines may be shorter or longer than the header; extra cells are ignored.
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


def _decoded(file: Path) -> str:
    """The text, decoded as UTF-8 (with or without a byte order mark), else as Windows-1252."""
    content = file.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")
