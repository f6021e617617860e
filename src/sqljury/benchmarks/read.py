"""Read cases: what people have goes in, Cases come out, one after the other."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import partial

from sqljury.benchmarks.files import FileKind, PathLike, Source, paths, tell_apart
from sqljury.benchmarks.formats import Format, Options, detect, format_named, id_key
from sqljury.benchmarks.layout import missing_key
from sqljury.benchmarks.mapping import check_mapping
from sqljury.benchmarks.overlay import read_overlay
from sqljury.benchmarks.predictions import Joined, References
from sqljury.benchmarks.prose import without_prose
from sqljury.benchmarks.unused import uneven_rows, unused_keys
from sqljury.case import Case
from sqljury.errors import InputError


class Cases(Iterable[Case]):
    """The cases of some files, read as they are asked for; each loop reads from the start."""

    def __init__(
        self,
        read: Callable[[], Iterator[Case]],
        warnings: Sequence[str] = (),
        by_position: Sequence[str] = (),
    ) -> None:
        self._read = read
        self._current: Iterator[Case] | None = None
        self.warnings = tuple(warnings)
        """What is worth knowing before the first case: references without a prediction, …"""
        self.by_position = tuple(by_position)
        """Files of predictions that were joined to the references by their place."""

    def __iter__(self) -> Iterator[Case]:
        return _distinct(self._read())

    def __next__(self) -> Case:
        """The next case of a reading of its own, which no loop disturbs."""
        if self._current is None:
            self._current = iter(self)
        return next(self._current)


def read_cases(
    files: PathLike | Iterable[PathLike],
    *,
    predictions: PathLike | Iterable[PathLike] | None = None,
    format: str | None = None,
    mapping: Mapping[str, str] | None = None,
    benchmark: str | None = None,
    samples: bool = False,
    overlay: PathLike | Iterable[PathLike] | None = None,
    strip_fences: bool = True,
    questions: bool = False,
) -> Cases:
    """Read cases, one after the other; what can be checked is checked before the first.

    They may be read again: each ``for`` begins at the start.

    Args:
        files: one file or several: JSON, JSON lines, CSV, Parquet or lines of SQL; .gz and .xz
            are unpacked.
        predictions: files with predictions for the one file of references, joined by id or by
            place. Each gives a case per reference, whose source is the file's stem.
        format: the name of a format (see :func:`formats`); found out from the content otherwise.
        mapping: our field to the file's key, for keys that are not recognised.
        benchmark: the benchmark's name; by default the file's stem.
        samples: the candidates of a pool are samples of one system: a case a question, the first
            is its prediction.
        overlay: files of corrections that are laid over the references.
        strip_fences: take predictions out of the prose, the thoughts and the code fences that
            chat models write around them (:func:`sqljury.extraction.sql_in` says how).
        questions: only the questions are wanted: records of one's own need neither predictions nor
            references.

    Raises:
        InputError: SJ1xx, with file and line; SJ53x: an overlay that does not fit.
    """
    check_mapping(mapping or {})
    sources = [Source(path) for path in paths(files)]
    if not sources:
        raise InputError("SJ101", "no file is given.")
    systems = [] if predictions is None else [Source(path) for path in paths(predictions)]
    tell_apart([*sources, *systems], "name")
    tell_apart(sources, "stem")
    tell_apart(systems, "stem")
    readers = [
        _CaseReader(
            source,
            format,
            Options(
                _applicable(mapping or {}, source, systems),
                benchmark,
                samples,
                joined=bool(systems),
                questions=questions,
            ),
        )
        for source in sources
    ]
    warnings = [
        warning
        for reader in readers
        for warning in unused_keys(reader.source, reader.cases(), joined=bool(systems))
    ]
    warnings += [line for source in (*sources, *systems) for line in uneven_rows(source)]
    by_position: list[str] = []
    if systems:
        cases, joined = _joined(readers, systems, mapping or {})
        warnings += [warning for one in joined for warning in one.warnings]
        by_position = [one.name for one in joined if one.is_by_position]
    else:
        cases = partial(_chained, readers)
    corrections = None if overlay is None else read_overlay(paths(overlay))

    def read() -> Iterator[Case]:
        found = map(without_prose, cases()) if strip_fences else cases()
        return found if corrections is None else corrections.laid_over(found)

    return Cases(read, warnings, by_position)


class _CaseReader:
    """A file and its format, read as often as asked."""

    def __init__(
        self,
        source: Source,
        format: str | None,
        options: Options,
    ) -> None:
        self.source = source
        kind = source.kind
        self._options = options
        self._format: Format = format_named(format) if format else detect(source)
        filled = source.document if kind is FileKind.JSON_OBJECT else source.head
        if kind is not FileKind.TEXT and not filled:
            raise InputError("SJ103", "there are no cases in the file.", where=source.name)

    @property
    def states_ids(self) -> bool:
        """Whether the file has a key for ids."""
        return bool(id_key(self.source))

    def cases(self) -> Iterator[Case]:
        """The cases, from the start."""
        return self._format.read(self.source, self._options)


def _applicable(
    mapping: Mapping[str, str], source: Source, systems: Sequence[Source]
) -> dict[str, str]:
    """The part of a mapping that is about this file; the rest must be about a prediction file."""
    for name, key in mapping.items():
        if key not in source.keys and not any(key in system.keys for system in systems):
            raise missing_key(key, source, hint=f"--map {name}={key} names it.")
    return {name: key for name, key in mapping.items() if key in source.keys}


def _chained(readers: Sequence[_CaseReader]) -> Iterator[Case]:
    return (case for reader in readers for case in reader.cases())


def _joined(
    readers: Sequence[_CaseReader], systems: Sequence[Source], mapping: Mapping[str, str]
) -> tuple[Callable[[], Iterator[Case]], list[Joined]]:
    if len(readers) > 1:
        raise InputError(
            "SJ111",
            f"predictions belong to one file of references, {len(readers)} are given.",
            hint="Read each file with its predictions.",
        )
    reader = readers[0]
    # Read twice, rather than held: once for what the join needs, once for the cases.
    known = [(case.id, case.db_id) for case in _distinct(reader.cases())]
    ids, db_ids = [name for name, _ in known], [db_id for _, db_id in known]
    states_ids = "id" in mapping or reader.states_ids or ids != [*map(str, range(len(ids)))]
    references = References(reader.source.name, ids, db_ids, states_ids)
    if len(set(ids)) < len(ids):
        raise InputError(
            "SJ110",
            "predictions cannot be joined: an id stands for several cases.",
            where=reader.source.name,
            hint="Give a file with one case for each question.",
        )
    joined = []
    for system in systems:
        own = {field: key for field, key in mapping.items() if key in system.keys}
        joined.append((system.stem, Joined(system, references, own)))
    return lambda: _product(reader, joined), [one for _, one in joined]


def _product(reader: _CaseReader, joined: Sequence[tuple[str, Joined]]) -> Iterator[Case]:
    """Reference by reference, so that all systems' queries on it run beside each other."""
    for position, reference in enumerate(reader.cases()):
        for name, system in joined:
            yield system.join(position, reference, name)


def _distinct(cases: Iterator[Case]) -> Iterator[Case]:
    """Pass cases through; two of the same key are an error that names both.

    Keys are kept in a private temporary database, which SQLite moves to disk: memory stays
    the same however many cases there are.
    """
    with closing(sqlite3.connect("", isolation_level=None, check_same_thread=False)) as seen:
        seen.execute("PRAGMA journal_mode = OFF")
        seen.execute("PRAGMA synchronous = OFF")
        seen.execute("CREATE TABLE seen (key BLOB PRIMARY KEY, origin TEXT) WITHOUT ROWID")
        seen.execute("BEGIN")
        for case in cases:
            # As bytes: SQLite refuses text with half of a surrogate pair, which JSON can hold.
            key = "\0".join(case.key).encode("utf-8", "surrogatepass")
            try:
                seen.execute("INSERT INTO seen VALUES (?, ?)", (key, case.origin))
            except sqlite3.IntegrityError:
                row = seen.execute("SELECT origin FROM seen WHERE key = ?", (key,)).fetchone()
                raise InputError(
                    "SJ110",
                    f"the case {case.name!r} was already read at {row[0]}.",
                    where=case.origin,
                    hint="Cases are known by benchmark, id and source.",
                ) from None
            yield case
