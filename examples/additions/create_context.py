"""Files of question, context and answer, where the context is CREATE TABLE statements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from sqljury.benchmarks.fields import stated
from sqljury.benchmarks.files import Source
from sqljury.benchmarks.formats import Format, Options, build_all, has_keys, register
from sqljury.case import Case

_CONTEXT = "context"


@register
class CreateContext(Format):
    """Each case brings its schema along."""

    name = "create_context"
    description = "Lists of question, context (CREATE TABLE statements) and answer (SQL)"
    priority = 55  # before ROSE's

    def claims(self, source: Source) -> bool:
        """By its three names."""
        return has_keys(source, "question", _CONTEXT, "answer")

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case a question, numbered as in the file."""
        layout = stated({"question": "question", "reference_sqls": "answer"}, options.mapping)
        for case in build_all(source, layout, options):
            yield replace(case, schema_sql=case.extra.get(_CONTEXT))
