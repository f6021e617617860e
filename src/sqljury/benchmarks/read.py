"""Reads cases from files or from memory, one after the other."""

from __future__ import annotations

import difflib
import os
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqljury.benchmarks.fields import as_object, build, guess, missing_key
from sqljury.benchmarks.files import HEAD, FileKind, FileRecord, PathLike, Source, paths, tell_apart
from sqljury.benchmarks.formats import Format, Options, detect, format_named, id_key
from sqljury.benchmarks.names import ALIASES, FIELDS, check_mapping, normal
from sqljury.benchmarks.overlay import read_overlay
from sqljury.benchmarks.predictions import Joined, References
from sqljury.benchmarks.result_tables import PredictionFolder
from sqljury.case import MISSING, Case, Json
from sqljury.errors import InputError
from sqljury.extraction import statement_in
from sqljury.writing import shown_path

# ---------------------------------------------------------------- prose
#
# Predictions as chat models write them: the SQL is extracted from the text around it.


AS_WRITTEN = "prediction_as_written"
"""The key of ``extra`` with the model's original text, if its SQL was extracted."""


def without_prose(case: Case) -> Case:
    """The case with only the SQL of its predictions; the same case if they are nothing but SQL.

    Abstentions, missing and empty predictions stay unchanged, and so does a file ``ID.sql`` without
    a code fence.
    """
    sql = case.predicted_sql
    if isinstance(sql, str) and case.origin.endswith(".sql") and "```" not in sql:
        return case
    found = statement_in(sql) if isinstance(sql, str) else sql
    pool = tuple(one if one is None else statement_in(one) for one in case.pool)
    if found == sql and pool == case.pool:
        return case
    return replace(case, predicted_sql=found, pool=pool, extra={**case.extra, AS_WRITTEN: sql})


# ---------------------------------------------------------------- rows
#
# Cases in memory: lists of objects, data frames, Hugging Face data sets.


def cases_of_rows(rows: Iterable[Any]) -> Iterator[Case]:
    """One case per row, with keys under their usual names; items that are cases stay as they are.

    The SQL of a prediction is extracted from prose and code fences, as for files.

    Args:
        rows: cases, objects, a data frame of pandas or polars, or a Hugging Face data set. An empty
            cell counts as an absent key.

    Raises:
        InputError: SJ104: no column has predictions or references; SJ105: the rows are not objects.
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
                f"a case must be a sqljury.Case or an object, not {type(row).__name__}.",
                where=f"row {position}",
            )


def _plain(frame: Any) -> Iterator[dict[str, Json]]:
    """The rows of a data frame, without empty cells."""
    rows = frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records")
    for row in rows:
        yield {
            str(key): value for key, value in row.items() if value is not None and value == value
        }


# ---------------------------------------------------------------- unused
#
# Keys of a file that are not used, though they look meaningful.


# SQL as models write it: in a fence, after a comment or in brackets.
_SQL = re.compile(r"\s*(```\w*\s*|--[^\n]*\n\s*|\()*(select|with)\b", re.IGNORECASE)
_NEAR = 0.85
"""A key is taken for a misspelt name if this share of letters is equal: databse and database have
0.93, query_toks and query 0.67."""


def unused_keys(source: Source, cases: Iterator[Case], *, joined: bool) -> list[str]:
    """A sentence for each unused key whose name or values look like those of a field.

    Args:
        cases: the cases of the file; only the first ones are used.
        joined: True if predictions come from separate files.
    """
    head = list(islice(cases, HEAD))
    wanted = [name for name in FIELDS if not (joined and name == "predicted_sql")]
    empty = [name for name in wanted if not any(_holds(case, name) for case in head)]
    found = dict.fromkeys(key for case in head for key in case.extra)
    texts = {key: [case.extra[key] for case in head if key in case.extra] for key in found}
    return list(_sentences(source.name, texts, empty))


def uneven_rows(source: Source) -> list[str]:
    """A sentence if rows of a table lack cells, or if there are blank lines between queries."""
    if source.kind is FileKind.TABLE:
        width = len(source.keys)
        short = [one.origin for one in source.records() if len(as_object(one)) < width]
        what = f"fewer cells than the header ({width}); those that lack count as not there"
    elif source.kind is FileKind.TEXT:
        short = []
        pending: list[str] = []
        for line in source.queries():
            if line.text.strip():
                short += pending
                pending = []
            else:
                pending.append(line.origin)
        what = "nothing; it counts as a line all the same"
    else:
        return []
    if not short:
        return []
    others = f", and {len(short) - 1:,} others" if len(short) > 1 else ""
    return [f"{short[0]}{others}: the row holds {what}."]


def _sentences(
    name: str, texts: Mapping[str, Sequence[Json]], empty: Sequence[str]
) -> Iterator[str]:
    for key, values in texts.items():
        if any(isinstance(value, dict | list) for value in values):
            continue  # no field of a case is nested this deep
        field = _wanted(empty) if _are_sql(values) else _near(key, empty)
        if field:
            yield (
                f"{name}: the key {key!r} is not used, and no {field} was found; "
                f"--map {field}={key} reads it."
            )


def _holds(case: Case, field: str) -> bool:
    value = getattr(case, field)
    if field == "predicted_sql":
        return value is not MISSING  # None is an abstention
    return value not in (None, "", ())


def _wanted(empty: Sequence[str]) -> str:
    """The field that an unused SQL column could be: the prediction first, because most files have
    references."""
    return next((name for name in ("predicted_sql", "reference_sqls") if name in empty), "")


def _are_sql(values: Sequence[Json]) -> bool:
    return all(isinstance(value, str) and _SQL.match(value) for value in values)


def _near(key: str, empty: Sequence[str]) -> str:
    close = (
        name
        for name in empty
        if difflib.get_close_matches(normal(key), ALIASES[name], n=1, cutoff=_NEAR)
    )
    return next(close, "")


# ---------------------------------------------------------------- shared ids
#
# Files that are joined by id must share an id; otherwise they are about different questions.


_SHOWN = 3


def check_shared_ids(given: Collection[str], known: Iterable[str], where: PathLike) -> None:
    """Raises if no id of a file is known.

    Args:
        given: the ids of the file.
        known: the ids that it is joined to.

    Raises:
        InputError: SJ122.
    """
    ids = list(known)
    if not set(given).isdisjoint(ids):
        return
    raise InputError(
        "SJ122",
        f"none of its {len(given):,} ids ({_few(given)}) is one of the {len(ids):,} that it is "
        f"joined to ({_few(ids)})."
        if given
        else "the file has no ids.",
        where=shown_path(where),
        hint="Is it the file of another benchmark? Ids are joined as texts, letter by letter.",
    )


def _few(ids: Collection[str]) -> str:
    shown = ", ".join(map(repr, islice(ids, _SHOWN)))
    return f"{shown}, …" if len(ids) > _SHOWN else shown


# ---------------------------------------------------------------- read
#
# Read cases, one after the other.


class Cases(Iterable[Case]):
    """The cases of some files, read while iterating; each loop reads from the start."""

    def __init__(
        self,
        read: Callable[[], Iterator[Case]],
        warnings: Sequence[str] = (),
        by_position: Sequence[str] = (),
        files: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._read = read
        self._current: Iterator[Case] | None = None
        self.warnings = tuple(warnings)
        """Warnings to show before the first case: references without a prediction, …"""
        self.by_position = tuple(by_position)
        """Prediction files that were joined to the references by position."""
        self.files = dict(files)
        """The path of each file as it was given, by its name in ``Case.origin``."""

    def __iter__(self) -> Iterator[Case]:
        return _distinct(self._read())

    def __next__(self) -> Case:
        """The next case of a separate iteration, which loops do not affect."""
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
    """Reads cases lazily; checks that need no case are made before the first one.

    The result can be read several times; each ``for`` begins at the start.

    Args:
        files: one file or several: JSON, JSON lines, CSV, Parquet or lines of SQL; .gz and .xz are
            decompressed.
        predictions: files with predictions for the one file of references, joined by id or by
            position; or folders of ``ID.sql`` with queries or ``ID.csv`` with results. Each gives
            one case per reference, whose source is the file's stem.
        format: the name of a format (see :func:`formats`); by default it is detected from the
            content.
        mapping: from our field to the file's key, for keys that are not recognised.
        benchmark: the benchmark's name; by default the file's stem.
        samples: True if the candidates of a pool are samples of one system: one case per question,
            with the first candidate as prediction.
        overlay: files of corrections that are applied to the references.
        strip_fences: extract predictions from the prose, the reasoning and the code fences that
            chat models write around them (see :func:`sqljury.extraction.sql_in`).
        questions: True if only the questions are needed: records then need neither predictions nor
            references.

    Raises:
        InputError: SJ1xx, with file and line; SJ53x: an overlay that does not fit.
    """
    check_mapping(mapping or {})
    given = paths(files)
    sources = [Source(path) for path in given]
    if not sources:
        raise InputError("SJ101", "no file is given.")
    predicted = () if predictions is None else paths(predictions)
    systems = [_system(path) for path in predicted]
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
        for warning in unused_keys(
            reader.source, reader.cases(no_tables=True), joined=bool(systems)
        )
    ]
    tables = [*sources, *(one for one in systems if isinstance(one, Source))]
    warnings += [line for source in tables for line in uneven_rows(source)]
    by_position: list[str] = []
    if systems:
        cases, joined = _joined(readers, systems, mapping or {})
        warnings += [warning for one in joined for warning in one.warnings]
        by_position = [one.name for one in joined if one.is_by_position]
    else:
        cases = lambda: (case for reader in readers for case in reader.cases())  # noqa: E731
    corrections = None if overlay is None else read_overlay(paths(overlay))

    def read() -> Iterator[Case]:
        found = map(without_prose, cases()) if strip_fences else cases()
        return found if corrections is None else corrections.laid_over(found)

    named = {one.name: os.fspath(path) for one, path in zip(sources, given, strict=True)}
    for one, path in zip(systems, predicted, strict=True):
        named |= (
            {one.name: os.fspath(path)}
            if isinstance(one, Source)
            else {f"{one.name}/{file.name}": os.fspath(file) for file in one.files.values()}
        )
    return Cases(read, warnings, by_position, named)


def _system(path: PathLike) -> Source | PredictionFolder:
    return PredictionFolder(path) if Path(path).is_dir() else Source(path)


class _CaseReader:
    """A file and its format; it can be read several times."""

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
        """True if the file has a key for ids."""
        return bool(id_key(self.source))

    def cases(self, *, no_tables: bool = False) -> Iterator[Case]:
        """The cases, from the start; perhaps without their result tables."""
        return self._format.read(self.source, replace(self._options, no_tables=no_tables))


def _applicable(
    mapping: Mapping[str, str], source: Source, systems: Sequence[Source | PredictionFolder]
) -> dict[str, str]:
    """The part of a mapping that applies to this file; the rest must apply to a prediction file."""
    for name, key in mapping.items():
        if key not in source.keys and not any(key in system.keys for system in systems):
            raise missing_key(key, source, hint=f"--map {name}={key} names it.")
    return {name: key for name, key in mapping.items() if key in source.keys}


def _joined(
    readers: Sequence[_CaseReader],
    systems: Sequence[Source | PredictionFolder],
    mapping: Mapping[str, str],
) -> tuple[Callable[[], Iterator[Case]], list[Joined]]:
    if len(readers) > 1:
        raise InputError(
            "SJ111",
            f"predictions belong to one file of references, {len(readers)} are given.",
            hint="Read each file with its predictions.",
        )
    reader = readers[0]
    # Read the file twice instead of keeping it: first for what the join needs, then for the cases.
    known = [(case.id, case.db_id) for case in _distinct(reader.cases(no_tables=True))]
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
    """One reference after the other, so that all systems' queries for it run next to each other."""
    for position, reference in enumerate(reader.cases()):
        for name, system in joined:
            yield system.join(position, reference, name)


def _distinct(cases: Iterator[Case]) -> Iterator[Case]:
    """Passes cases through; raises if two have the same key, and names both.

    Keys are kept in a private temporary database, which SQLite moves to disk, so memory does not
    grow with the number of cases.
    """
    with closing(sqlite3.connect("", isolation_level=None, check_same_thread=False)) as seen:
        seen.execute("PRAGMA journal_mode = OFF")
        seen.execute("PRAGMA synchronous = OFF")
        seen.execute("CREATE TABLE seen (key BLOB PRIMARY KEY, origin TEXT) WITHOUT ROWID")
        seen.execute("BEGIN")
        for case in cases:
            # As bytes: SQLite refuses text with half of a surrogate pair, which JSON can contain.
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
