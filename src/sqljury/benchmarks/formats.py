"""The formats of case files: one per module, registered by a decorator."""

from __future__ import annotations

import difflib
import gzip
import io
import lzma
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, ClassVar, Final

from sqljury.benchmarks.fields import Layout, build
from sqljury.benchmarks.files import FileRecord, PathLike, Source
from sqljury.benchmarks.names import id_columns
from sqljury.case import Case
from sqljury.errors import InputError
from sqljury.registry import Registry
from sqljury.writing import new_binary_file

# ---------------------------------------------------------------- formats


@dataclass(frozen=True, slots=True)
class Options:
    """Options of reading, besides the file."""

    mapping: Mapping[str, str] = field(default_factory=dict)
    """From our field to the file's key."""
    benchmark: str | None = None
    """The benchmark of every case; None: as the file says."""
    samples: bool = False
    """True if the candidates of a question are samples of one system; otherwise each is a case."""
    joined: bool = False
    """True if predictions are in separate files."""
    questions: bool = False
    """True if only the questions are needed: predictions and references may both be missing."""
    no_tables: bool = False
    """True if result tables are not needed, so that their files need not be read."""


class Format(ABC):
    """A format of case files: its name, which files have it, how it is read."""

    name: ClassVar[str]
    description: ClassVar[str]
    priority: ClassVar[int] = 100
    """Lower values are tried first when a file's format is detected; special formats come before
    general ones."""

    @abstractmethod
    def claims(self, source: Source) -> bool:
        """True if a file has this format, judged by its content."""

    @abstractmethod
    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """The cases of a file, one after the other."""

    def write(self, cases: Iterable[Case], stream: IO[str]) -> None:  # noqa: ARG002
        """Writes cases as text.

        Raises:
            InputError: SJ119: this format can only be read.
        """
        raise InputError(
            "SJ119", f"cases cannot be written as {self.name!r}.", hint="Use sqljury or rose."
        )


FORMATS: Final[Registry[type[Format]]] = Registry("sqljury.benchmarks", group="sqljury.formats")
"""Formats by name; a file is read by the first one that claims it."""


def register(cls: type[Format]) -> type[Format]:
    """Class decorator: registers a format under its ``name``."""
    FORMATS.add(cls.name, cls, priority=cls.priority)
    return cls


def formats() -> dict[str, str]:
    """The formats of case files: name -> description, in the order they are tried."""
    return {name: known.description for name, known in FORMATS.all().items()}


def format_named(name: str) -> Format:
    """The format of that name.

    Raises:
        InputError: SJ115 if there is none.
    """
    known = FORMATS.all()
    if name in known:
        return known[name]()
    near = difflib.get_close_matches(name, known, n=1)
    hint = f"Did you mean {near[0]!r}?" if near else f"Formats: {', '.join(known)}."
    raise InputError("SJ115", f"there is no format {name!r}.", hint=hint)


def detect(source: Source) -> Format:
    """The format of a file, detected from its content."""
    asked = (cls() for cls in FORMATS.all().values())
    return next(known for known in asked if known.claims(source))


def has_keys(source: Source, *keys: str) -> bool:
    """True if the records of a file are objects with these keys."""
    return set(keys) <= set(source.keys)


def id_key(source: Source) -> dict[str, str]:
    """The key of the records' ids, under any usual name; empty if there is none: then the position
    is the id."""
    return {"id": key} if (key := next(iter(id_columns(source.keys)), "")) else {}


def build_all(
    source: Source,
    layout: Layout,
    options: Options,
    records: Iterable[FileRecord] | None = None,
) -> Iterator[Case]:
    """One case per record of the file, or of ``records``, which are made of the file's."""
    for position, record in enumerate(source.records() if records is None else records):
        yield build(
            record, layout, position=position, stem=source.stem, benchmark=options.benchmark
        )


# ---------------------------------------------------------------- write
#
# Write cases in a format that can be read again.


def write_cases(cases: Iterable[Case], path: PathLike, format: str = "sqljury") -> None:
    """Writes cases to a file, compressed if its name ends in .gz or .xz.

    Args:
        format: ``sqljury`` (JSON lines, lossless) or ``rose``.

    Raises:
        InputError: SJ115, SJ119: the format does not exist, or can only be read; SJ801: the file
            cannot be written. A former file then stays unchanged.
        InfrastructureError: SJ802: the disk is full, or fails.
    """
    chosen = format_named(format)
    with new_binary_file(path) as raw, _compressing(raw, Path(path).suffix) as stream:
        chosen.write(cases, stream)


@contextmanager
def _compressing(raw: IO[bytes], suffix: str) -> Iterator[IO[str]]:
    """A text stream, compressed as the suffix says; without time and file name, so that equal cases
    give equal bytes."""
    stream: IO[bytes] = raw
    if suffix == ".gz":
        stream = gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0)  # type: ignore[assignment]
    elif suffix == ".xz":
        stream = lzma.LZMAFile(raw, mode="wb")  # noqa: SIM115
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="\n")
    yield text
    text.flush()
    text.detach()
    if stream is not raw:
        stream.close()
