"""Records in any JSON or table file: usual key names are recognised, others can be mapped."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice

from sqljury.benchmarks.bird import split
from sqljury.benchmarks.fields import (
    as_object,
    as_references,
    build,
    guess,
    guessed,
    missing_key,
    suggest,
)
from sqljury.benchmarks.files import FileKind, FileRecord, Source
from sqljury.benchmarks.formats import Format, Options, register
from sqljury.benchmarks.names import is_field
from sqljury.benchmarks.result_tables import PREDICTION, REFERENCES, with_tables
from sqljury.case import Case, Json
from sqljury.errors import InputError

_TABLES = {REFERENCES, PREDICTION}


@register
class Records(Format):
    """Usual key names are recognised; keys that are not recognised go to ``extra``."""

    name = "records"
    description = "your own JSON, JSONL, CSV or Parquet; keys by usual names, or --map"
    priority = 1000  # tried last, because it accepts every file

    def claims(self, source: Source) -> bool:
        """True for every file with records; Spider has already claimed lines of text."""
        return source.kind is not FileKind.TEXT

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per record."""
        if source.kind is not FileKind.JSON_OBJECT:
            return _records(source, options)
        if any(is_field(key) for key in source.entries):
            return _alone(source, options)
        return _by_id(source, options)


def _records(source: Source, options: Options) -> Iterator[Case]:
    stem = source.stem
    enough = {"predicted_sql", "reference_sqls"}
    if options.joined or options.questions:
        enough.add("answerable")  # if no question is answerable, none needs a reference
    if options.questions:
        enough.add("question")
    for position, (record, layout) in enumerate(guessed(source, options.mapping)):
        as_object(record)
        if not enough & layout.keys.keys() and not _TABLES & as_object(record).keys():
            wanted = "reference_sqls" if options.joined else "predicted_sql"
            wanted = "question" if options.questions else wanted
            raise missing_key(wanted, source, hint=suggest(wanted, source))
        case = build(record, layout, position=position, stem=stem, benchmark=options.benchmark)
        yield with_tables(case, source.path.parent)


def _alone(source: Source, options: Options) -> Iterator[Case]:
    """A file that is one case, not a list."""
    layout = guess(source.entries, options.mapping, source.name)
    record = FileRecord(source.entries, source.name)
    case = build(record, layout, position=0, stem=source.stem, benchmark=options.benchmark)
    yield with_tables(case, source.path.parent)


def _by_id(source: Source, options: Options) -> Iterator[Case]:
    """References by id, as in EHRSQL's label.json."""
    benchmark = source.stem if options.benchmark is None else options.benchmark
    for key, value in source.entries.items():
        origin = f"{source.name}[{json.dumps(key)}]"
        _check_reference(source, value)
        references, answerable = as_references(value, origin)
        yield Case(
            id=key,
            reference_sqls=references,
            answerable=answerable,
            benchmark=benchmark,
            origin=origin,
        )


def _check_reference(source: Source, value: Json) -> None:
    if isinstance(value, str) and split(value)[1] is not None:
        raise InputError(
            "SJ108",
            "these are predictions; the file with the questions is needed too.",
            where=source.name,
            hint=f"Run: sqljury evaluate dev.json --predictions {source.name}",
        )
    if value is not None and not isinstance(value, str):
        keys = ", ".join(islice(source.entries, 5))
        raise InputError(
            "SJ108",
            f"the object holds neither a case nor queries by id (keys: {keys}).",
            where=source.name,
            hint="Give a list of cases.",
        )
