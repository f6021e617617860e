"""Anybody's own records: key names that people use are recognised, others are mapped."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.benchmarks.bird import split
from sqljury.benchmarks.fields import as_references, build
from sqljury.benchmarks.files import Kind, Source
from sqljury.benchmarks.formats import Format, Options, register
from sqljury.benchmarks.layout import guessed, missing_key, suggest
from sqljury.case import Case
from sqljury.errors import InputError


@register
class Records(Format):
    """Key names that people use are found; keys that are not recognised go to ``extra``."""

    name = "records"
    description = "your own JSON, JSONL, CSV or Parquet; keys by usual names, or --map"

    def claims(self, source: Source) -> bool:
        """Whatever holds records; Spider has claimed the lines of text."""
        return source.kind is not Kind.TEXT

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case a record."""
        if source.kind is Kind.JSON_OBJECT:
            return _by_id(source, options)
        return _records(source, options)


def _records(source: Source, options: Options) -> Iterator[Case]:
    stem = source.stem
    for position, (record, layout) in enumerate(guessed(source, options.mapping)):
        if not {"predicted_sql", "reference_sqls"} & layout.keys.keys():
            raise missing_key("predicted_sql", source, hint=suggest("predicted_sql", source))
        yield build(record, layout, position=position, stem=stem, benchmark=options.benchmark)


def _by_id(source: Source, options: Options) -> Iterator[Case]:
    """References by id, as EHRSQL's label.json."""
    for key, value in source.document.items():
        origin = f"{source.name}[{key!r}]"
        if isinstance(value, str) and split(value)[1] is not None:
            raise InputError(
                "SJ108",
                "these are predictions; the file with the questions lacks.",
                where=source.name,
                hint=f"Run: sqljury evaluate dev.json --predictions {source.name}",
            )
        references, answerable = as_references(value, origin)
        yield Case(
            id=key,
            reference_sqls=references,
            answerable=answerable,
            benchmark=source.stem if options.benchmark is None else options.benchmark,
            origin=origin,
        )
