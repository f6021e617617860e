"""EHRSQL-2024's questions: ``data.json``, with labels in the ``label.json`` next to it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sqljury.benchmarks.fields import as_references, build, stated
from sqljury.benchmarks.files import FileKind, FileRecord, Source
from sqljury.benchmarks.formats import Format, Options, register
from sqljury.case import Case, Json
from sqljury.errors import InputError

_KEYS = {"id": "id", "question": "question"}


@register
class Ehrsql(Format):
    """``{"version": …, "data": [{"id", "question"}, …]}``; a label "null" means unanswerable."""

    name = "ehrsql"
    description = "EHRSQL-2024: data.json, with label.json beside it if there is one"
    priority = 40

    def claims(self, source: Source) -> bool:
        """True if questions are under ``data``."""
        if source.kind is not FileKind.JSON_OBJECT:
            return False
        return any(isinstance(one, dict) for one in _questions(source))

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per question, with the reference of the same id."""
        labels = _labels(source)
        layout = stated({**_KEYS, "reference_sqls": "query"}, options.mapping)
        for position, data in enumerate(_questions(source)):
            origin = f"{source.name}[{position}]"
            if not isinstance(data, dict):
                raise InputError("SJ105", "a question must be an object.", where=origin)
            query = {"query": labels[data["id"]]} if data.get("id") in labels else {}
            record = FileRecord({**data, **query}, origin)
            stem = source.path.resolve().parent.name
            yield build(record, layout, position=position, stem=stem, benchmark=options.benchmark)


def _questions(source: Source) -> list[Json]:
    found = source.entries.get("data")
    return found if isinstance(found, list) else []


def _labels(source: Source) -> Mapping[str, Json]:
    """The references by id; empty if there is no file of labels."""
    for name in ("label.json", "label.json.gz"):
        path = source.path.with_name(name)
        if path.is_file():
            labels = Source(path)
            for key, value in labels.entries.items():
                as_references(value, f'{labels.name}["{key}"]')
            return labels.entries
    return {}
