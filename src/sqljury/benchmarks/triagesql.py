"""TriageSQL's questions: answerable, or one of four types of unanswerable ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqljury.benchmarks.fields import stated
from sqljury.benchmarks.files import Source
from sqljury.benchmarks.formats import Format, Options, build_all, has_keys, register
from sqljury.case import Case

_TYPE = "type"
_ANSWERABLE = "answerable"


@register
class TriageSql(Format):
    """Questions with a type; they have neither ids nor references."""

    name = "triagesql"
    description = "TriageSQL: question, tables, type (answerable, small talk, lack data, …)"
    priority = 50

    def claims(self, source: Source) -> bool:
        """True if the records have its names for the sources of questions and tables."""
        return has_keys(source, "question", _TYPE, "question_datasetid", "databaseid")

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per question; the type of an unanswerable one is in ``extra``."""
        layout = stated({"question": "question", "db_id": "databaseid"}, options.mapping)
        for case in build_all(source, layout, options):
            yield replace(case, answerable=case.extra.get(_TYPE) == _ANSWERABLE)
