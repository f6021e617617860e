"""Input files: compressed or not; JSON, YAML, CSV, Parquet or lines of text."""

from __future__ import annotations

import atexit
import csv
import difflib
import gzip
import hashlib
import io
import json
import lzma
import os
import re
import shutil
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from sqljury.benchmarks.hugging_face import as_parquet, is_data_set
from sqljury.benchmarks.names import is_field
from sqljury.benchmarks.texts import (
    Repeated,
    json_elements,
    json_value,
    statements_of,
    yaml_document,
    yaml_elements,
)
from sqljury.case import Json
from sqljury.errors import InputError, MissingExtraError
from sqljury.spreadsheet import as_it_was
from sqljury.writing import shown_path

PathLike = str | os.PathLike[str]

HEAD = 20
"""How many records are read to find out a file's format."""

_LINES_SUFFIXES = (".jsonl", ".jsonlines", ".ndjson")
_TABLE_SUFFIXES = (".csv", ".tsv")
_YAML_SUFFIXES = (".yaml", ".yml")
_SUFFIXES = (
    *(".gz", ".xz", ".json", ".txt", ".sql", ".parquet"),
    *_LINES_SUFFIXES,
    *_TABLE_SUFFIXES,
    *_YAML_SUFFIXES,
)

# First bytes -> the kind of file, for files that must be converted first.
_FOREIGN = {
    b"\x28\xb5\x2f\xfd": ("compressed with zstandard", "Run: zstd -d FILE"),
    b"BZh": ("compressed with bzip2", "Run: bunzip2 FILE"),
    b"PK\x03\x04": ("a zip archive", "Unpack it and give the file inside."),
    b"SQLite format 3": ("a SQLite database, not a benchmark file", "Give it as --databases."),
}


_OFFICE = (b"[Content_Types].xml", b"xl/")
"""The beginning of an Office workbook, which is a zip archive."""
_TELLING = 512
"""How many bytes are read to recognise a file."""

MOST_UNPACKED = 4 * 1024**3
MOST_RATIO = 200
"""The largest accepted ratio of contents to compressed size; for benchmarks it is 5 to 50."""
LITTLE_UNPACKED = 64 * 1024**2
"""Contents up to this size are accepted whatever the ratio."""

# The first columns of our own CSV files, in which we mark texts that look like formulas.
_OUR_COLUMNS = ("benchmark", "id", "source", "judge", "outcome", "score", "reason")

_SQL = re.compile(r"\W*(select|with)\b", re.IGNORECASE)


STANDARD_INPUT = "-"
"""The path that means standard input."""


@cache
def standard_input() -> Path:
    """A file with what was read from standard input, so that it can be read several times; it is
    removed when the process ends."""
    folder = tempfile.mkdtemp(prefix="sqljury-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = Path(folder, "stdin")
    with file.open("wb") as out:
        shutil.copyfileobj(sys.stdin.buffer, out)
    return file


class FileKind(Enum):
    """The structure of a file, independent of its contents."""

    JSON_LIST = "a JSON list"
    JSON_OBJECT = "a JSON object"
    JSON_LINES = "JSON lines"
    TABLE = "CSV"
    PARQUET = "Parquet"
    TEXT = "text"


class FileRecord(NamedTuple):
    """One element of a file, and its position for messages."""

    data: Json
    origin: str


class Line(NamedTuple):
    """One line of a text file, without its line end."""

    text: str
    origin: str


class _Unpacked(io.RawIOBase):
    """A compressed file; raises if its contents become larger than its size makes plausible."""

    def __init__(self, stream: IO[bytes], most: int, name: str) -> None:
        self._stream = stream
        self._left = most
        self._most = most
        self._name = name

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        """Reads as much as there is, up to the limit."""
        data = self._stream.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise InputError(
                "SJ121",
                f"the compressed file holds more than {self._most / 1024**2:,.0f} MiB.",
                where=self._name,
                hint="Unpack it yourself and give the file inside, if that is as it should be.",
            )
        buffer[: len(data)] = data
        return len(data)


class Source:
    """One file that can be opened repeatedly; its structure is found from its contents.

    Standard input and data sets of Hugging Face are read as files.

    Raises:
        InputError: SJ101 to SJ103, SJ106, SJ107, SJ123: the file does not exist, is a folder, is
            empty or broken.
    """

    def __init__(self, path: PathLike) -> None:
        place = os.fspath(path)
        if place == STANDARD_INPUT:
            self.path = standard_input()
        else:
            self.path = as_parquet(place) if is_data_set(place) else Path(path)
        self.name = self.path.name
        # Not Path.exists, which raises on names that are too long.
        if not os.path.exists(self.path):  # noqa: PTH110
            raise InputError(
                "SJ101", "no such file.", where=shown_path(path), hint=_near(self.path)
            )
        if not self.path.is_file():
            what = "a directory" if self.path.is_dir() else "not a regular file"
            raise InputError("SJ102", f"{what}.", where=str(path), hint="Give a file.")

    @cached_property
    def stem(self) -> str:
        """The file's name without the suffixes of its structure and compression."""
        stem = self.path.name
        while stem.lower().endswith(_SUFFIXES) and (shorter := stem.rpartition(".")[0]):
            stem = shorter
        return stem

    @cached_property
    def kind(self) -> FileKind:
        """The structure, from the first bytes; the suffix decides only if they are ambiguous."""
        with self._bytes() as stream:
            start = stream.read(_TELLING)
        if start.startswith(b"PAR1"):
            return FileKind.PARQUET
        if start.startswith(b"PK") and any(mark in start for mark in _OFFICE):
            raise InputError(
                "SJ106",
                "the file is an Excel workbook.",
                where=self.name,
                hint="Save the sheet as CSV and give that.",
            )
        for magic, (what, hint) in _FOREIGN.items():
            if start.startswith(magic):
                raise InputError("SJ106", f"the file is {what}.", where=self.name, hint=hint)
        if b"\0" in start and self._encoding != "utf-16":
            raise InputError(
                "SJ106",
                "the file is binary, not text.",
                where=self.name,
                hint="Give JSON, JSON lines, YAML, CSV, Parquet or SQL.",
            )
        if self._is_yaml:
            return FileKind.JSON_LIST if self._begins_yaml_list() else FileKind.JSON_OBJECT
        first = self._first_line()
        if first.startswith("["):
            return FileKind.JSON_LIST
        if first.startswith("{"):
            return FileKind.JSON_LINES if self._is_json_lines(first) else FileKind.JSON_OBJECT
        if first.startswith('"') and _is_json(first):
            return FileKind.JSON_LINES
        return FileKind.TABLE if self._is_table(first) else FileKind.TEXT

    @cached_property
    def head(self) -> tuple[FileRecord, ...]:
        """The first records, from which the format is found."""
        return tuple(islice(self.records(), HEAD))

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys of the records (of JSON lines: of the first ones), in order of appearance."""
        if self.kind is FileKind.PARQUET:
            return tuple(self._parquet().schema_arrow.names)
        if self.kind is FileKind.TABLE:
            return self._header[0]
        # A list is in memory anyway; of lines only the first are read.
        known = self._elements if self.kind is FileKind.JSON_LIST else self.head
        objects = [record.data for record in known if isinstance(record.data, dict)]
        return tuple(dict.fromkeys(key for data in objects for key in data))

    @property
    def at_head(self) -> str:
        """The position of the first record, for errors about all of them."""
        return self.head[0].origin if self.head else self.name

    @property
    def entries(self) -> dict[str, Json]:
        """The whole object of a file whose kind is ``JSON_OBJECT``; empty for other kinds."""
        return self.document if isinstance(self.document, dict) else {}

    @cached_property
    def document(self) -> Json:
        """The whole JSON object; raises if a key occurs twice."""
        text = self._whole_text()
        if self._is_yaml:
            return yaml_document(text, self.name)
        with self._json_errors():
            return json_value(text, unique=True)

    def records(self) -> Iterator[FileRecord]:
        """The elements of a list, of JSON lines or of a table, one after the other."""
        match self.kind:
            case FileKind.JSON_LIST:
                return iter(self._elements)
            case FileKind.JSON_LINES:
                return self._json_lines()
            case FileKind.TABLE:
                return self._rows()
            case FileKind.PARQUET:
                return self._parquet_rows()
        return iter(())

    def lines(self) -> Iterator[Line]:
        """The lines of a text file; only a line feed ends a line, as in Spider's scripts."""
        with self._text() as stream:
            for number, line in enumerate(stream, start=1):
                yield Line(line.rstrip("\r\n"), f"{self.name}:{number}")

    def queries(self) -> Iterator[Line]:
        """The queries of a text file: one per line, or the statements of a script."""
        found = statements_of(self._whole_text())
        if found is None:
            return self.lines()
        return (Line(one.text, f"{self.name}:{one.line}") for one in found)

    def _whole_text(self) -> str:
        with self._text() as stream:
            return stream.read()

    # --- JSON and YAML

    @property
    def _is_yaml(self) -> bool:
        return Path(self._bare_name()).suffix in _YAML_SUFFIXES

    def _begins_yaml_list(self) -> bool:
        lines = (line.text.strip() for line in self.lines())
        said = (line for line in lines if line and not line.startswith(("#", "---", "%")))
        return next(said, "").startswith(("-", "["))

    @cached_property
    def _elements(self) -> list[FileRecord]:
        text = self._whole_text()
        if self._is_yaml:
            values = yaml_elements(text, self.name)
            return [FileRecord(value, f"{self.name}:{line}") for value, line in values]
        with self._json_errors():
            found = list(json_elements(text))
        spread = "\n" in text.strip()
        return [
            FileRecord(value, f"{self.name}:{line}" if spread else f"{self.name}[{index}]")
            for index, (value, line) in enumerate(found)
        ]

    def _json_lines(self) -> Iterator[FileRecord]:
        for line in self.lines():
            if line.text.strip():
                try:
                    value = json_value(line.text, unique=True)
                except (ValueError, RecursionError, Repeated):
                    with self._json_errors(line.origin):
                        raise
                yield FileRecord(value, line.origin)

    @contextmanager
    def _json_errors(self, origin: str = "") -> Iterator[None]:
        try:
            yield
        except json.JSONDecodeError as error:
            where = f"{origin or f'{self.name}:{error.lineno}'}:{error.colno}"
            is_cut_off = error.pos >= len(error.doc.rstrip())
            hint = "The file ends too early." if is_cut_off else ""
            raise InputError(
                "SJ106", f"broken JSON: {error.msg}.", where=where, hint=hint
            ) from None
        except Repeated as twice:
            where = origin or (f"{self.name}:{twice.line}" if twice.line else self.name)
            raise InputError(
                "SJ110",
                f"the key {str(twice)!r} stands twice in one object.",
                where=where,
                hint="Rename one of the two, or take it out.",
            ) from None
        except RecursionError:
            raise InputError(
                "SJ106", "the JSON is nested too deeply.", where=origin or self.name
            ) from None
        except ValueError as error:
            raise InputError("SJ106", f"broken JSON: {error}.", where=origin or self.name) from None

    def _first_line(self) -> str:
        with self._text() as stream:
            for line in stream:
                if line.strip():
                    return line.strip()
        raise InputError("SJ103", "the file is empty.", where=self.name)

    def _is_json_lines(self, first: str) -> bool:
        if not _is_json(first):
            return False
        if not self._is_one_line() or Path(self._bare_name()).suffix in _LINES_SUFFIXES:
            return True
        # A single line is a record, or an object of predictions by id. Its keys decide.
        return any(map(is_field, cast("dict[str, Json]", json_value(first))))

    def _is_one_line(self) -> bool:
        with self._text() as stream:
            return len(list(islice((line for line in stream if line.strip()), 2))) == 1

    # --- tables

    def _is_table(self, first: str) -> bool:
        if Path(self._bare_name()).suffix in _TABLE_SUFFIXES:
            return True
        if _SQL.match(first):
            return False  # SELECT name, id, …: a query, not a header
        try:
            cells = next(csv.reader([first], delimiter=_delimiter(first)), [])
        except csv.Error:
            return False
        return len(cells) > 1 and any(is_field(cell) for cell in cells)

    def _bare_name(self) -> str:
        name = self.name.lower()
        return name.rpartition(".")[0] if name.endswith((".gz", ".xz")) else name

    @cached_property
    def _header(self) -> tuple[tuple[str, ...], str]:
        delimiter = _delimiter(self._first_line())
        columns = next(self._cells(delimiter))[0]
        twice = next((name for name in columns if columns.count(name) > 1), None)
        if twice is not None:
            raise InputError("SJ106", f"the header names {twice!r} twice.", where=f"{self.name}:1")
        return tuple(columns), delimiter

    def _rows(self) -> Iterator[FileRecord]:
        columns, delimiter = self._header
        ours = columns[: len(_OUR_COLUMNS)] == _OUR_COLUMNS
        for cells, origin in islice(self._cells(delimiter), 1, None):
            if len(cells) > len(columns):
                raise InputError(
                    "SJ106",
                    f"{len(cells)} cells, but the header has {len(columns)}.",
                    where=origin,
                    hint="Quote cells that contain the delimiter or a line end.",
                )
            if ours:
                cells = [as_it_was(cell) for cell in cells]
            # A short row lacks its last cells: absent is not the same as empty.
            yield FileRecord(dict(zip(columns, cells, strict=False)), origin)

    def _cells(self, delimiter: str) -> Iterator[tuple[list[str], str]]:
        # The csv module's default of 131,072 characters is less than one long query. The limit
        # applies to the whole process and cannot be set for one reader.
        csv.field_size_limit(max(csv.field_size_limit(), 2**31 - 1))
        line, width, known = 1, 0, 0
        for strict in (True, False):
            with self._text(newline="") as stream:
                reader = csv.reader(stream, delimiter=delimiter, strict=strict)
                try:
                    for number, cells in enumerate(reader):
                        if number >= known and cells:
                            if not strict and len(cells) != width:
                                raise csv.Error("a quote inside of a cell that is in quotes")
                            yield cells, f"{self.name}:{line}"
                        known = max(known, number + 1)
                        width = width or len(cells)
                        line = reader.line_num + 1
                    return
                except csv.Error as error:
                    # pandas takes the quotes in `"a "b" c"` for text, and so does Python if it is
                    # not strict. From there on each row must be as wide as the header.
                    if not strict or "expected after" not in str(error):
                        raise InputError(
                            "SJ106", f"broken CSV: {error}.", where=f"{self.name}:{line}"
                        ) from None

    # --- Parquet

    def _parquet(self) -> Any:
        try:
            import pyarrow.parquet
        except ImportError:
            raise MissingExtraError("pyarrow", "parquet", "Reading Parquet files") from None
        try:
            return pyarrow.parquet.ParquetFile(self.path)
        except (pyarrow.ArrowException, OSError) as error:
            raise InputError(
                "SJ106", f"broken Parquet: {str(error).rstrip('.')}.", where=self.name
            ) from None

    def _parquet_rows(self) -> Iterator[FileRecord]:
        number = 0
        for batch in self._parquet().iter_batches(batch_size=1024):
            for row in batch.to_pylist():
                yield FileRecord(row, f"{self.name}[{number}]")
                number += 1

    # --- bytes and text

    @contextmanager
    def _bytes(self) -> Iterator[IO[bytes]]:
        try:
            with self.path.open("rb") as raw:
                start = raw.read(6)
                raw.seek(0)
                if start.startswith(b"\x1f\x8b"):
                    yield self._unpacked(gzip.GzipFile(fileobj=raw))  # type: ignore[arg-type]
                elif start.startswith(b"\xfd7zXZ\x00"):
                    yield self._unpacked(lzma.LZMAFile(raw))  # noqa: SIM115 - it owns no file
                else:
                    yield raw
        except (gzip.BadGzipFile, lzma.LZMAError, zlib.error, EOFError) as error:
            raise InputError(
                "SJ106", f"the compressed file is broken: {error}.", where=self.name
            ) from None
        except PermissionError:
            raise InputError("SJ102", "the file may not be read.", where=str(self.path)) from None

    def _unpacked(self, stream: IO[bytes]) -> IO[bytes]:
        most = min(MOST_UNPACKED, max(LITTLE_UNPACKED, MOST_RATIO * self.path.stat().st_size))
        return io.BufferedReader(_Unpacked(stream, most, self.name))

    @contextmanager
    def _text(self, newline: str = "\n") -> Iterator[IO[str]]:
        with self._bytes() as stream:
            text = io.TextIOWrapper(
                stream,
                encoding=self._encoding,
                newline=newline,
            )
            try:
                yield text
            except UnicodeDecodeError:
                raise self._undecodable() from None

    @cached_property
    def _encoding(self) -> str:
        with self._bytes() as stream:
            start = stream.read(2)
        return "utf-16" if start in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"

    def _undecodable(self) -> InputError:
        """The error for text that is not UTF-8, with the position in the file; the decoder counts
        from its last chunk."""
        with self._bytes() as stream:
            data = stream.read()
        try:
            data.decode(self._encoding)
        except UnicodeDecodeError as error:
            # The codec for files with a BOM counts after it.
            at = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
            line = data.count(b"\n", 0, at) + 1
            return InputError(
                "SJ107",
                f"byte {data[at]:#04x} at position {at} is not {self._encoding[:6].rstrip('-')}.",
                where=f"{self.name}:{line}",
                hint=f"Run: iconv -f latin1 -t utf-8 {self.path.name} > NEW",
            )
        return InputError("SJ107", "the text cannot be decoded.", where=self.name)


def paths(files: PathLike | Iterable[PathLike]) -> Sequence[PathLike]:
    """One path or several, as a list."""
    if isinstance(files, str | os.PathLike):
        return [files]
    return list(files)


def tell_apart(sources: Sequence[Any], attribute: str) -> None:
    """Adds parent folders to the names (or stems) of files and folders until they are different."""
    plain = [getattr(source, attribute) for source in sources]
    folders = [source.path.absolute().parent.parts[1:] for source in sources]
    names = plain
    for depth in range(1, max(map(len, folders), default=0) + 1):
        if len(set(names)) == len(names):
            break
        names = [
            "/".join((*parts[-depth:], name)) for parts, name in zip(folders, plain, strict=True)
        ]
    for source, name in zip(sources, names, strict=True):
        setattr(source, attribute, name)


def fingerprint(files: PathLike | Iterable[PathLike]) -> str:
    """A sha256 over the contents of files as they are on disk, in the given order.

    For one file it equals the output of ``sha256sum``.
    """
    digests = []
    for path in paths(files):
        # Not Path.is_dir, which raises on names that are too long.
        is_folder = os.path.isdir(path)  # noqa: PTH112
        inside = sorted(Path(path).iterdir()) if is_folder else [path]
        for file in inside:
            with Source(file).path.open("rb") as stream:
                digests.append(hashlib.file_digest(stream, "sha256").hexdigest())
    if len(digests) == 1:
        return digests[0]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def _near(path: Path) -> str:
    folder = path.parent
    if not os.path.isdir(folder):  # noqa: PTH112
        return f"There is no folder {shown_path(folder)!r} either."
    names = sorted(entry.name for entry in folder.iterdir())
    near = difflib.get_close_matches(path.name, names, n=3)
    return f"Did you mean {', '.join(map(repr, near))}?" if near else ""


def _delimiter(header: str) -> str:
    return max(",\t;", key=header.count)


def _is_json(line: str) -> bool:
    try:
        json_value(line)
    except (ValueError, RecursionError):
        return False
    return True
