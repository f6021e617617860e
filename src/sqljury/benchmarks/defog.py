"""Defog's sql-eval: CSV files whose references say which columns are optional."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

from sqljury.benchmarks.fields import as_object, stated_and_added
from sqljury.benchmarks.files import FileRecord, Source
from sqljury.benchmarks.formats import Format, Options, build_all, has_keys, register
from sqljury.case import Case

_KEYS = {
    "question": "question",
    "db_id": "db_name",
    "reference_sqls": "query",
    "hint": "instructions",
}
_MOST = 10
"""The most optional columns of one reference: 1,023 queries."""


@register
class Defog(Format):
    """Questions of Defog's ``data/*.csv``; a reference stands for several queries, of which any is
    right."""

    name = "defog"
    description = "Defog's sql-eval: question, query with {optional, columns}, db_name"
    priority = 60

    def claims(self, source: Source) -> bool:
        """True if the records have Defog's names of database and category."""
        return has_keys(source, "question", "query", "db_name", "query_category")

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per question."""
        layout = stated_and_added(source, _KEYS, options.mapping)
        expanded = (_expanded(one, layout.keys["reference_sqls"]) for one in source.records())
        return build_all(source, layout, options, expanded)


def _expanded(record: FileRecord, reference: str) -> FileRecord:
    """The record with the queries that its reference stands for."""
    data = as_object(record)
    query = data.get(reference)
    if not isinstance(query, str):
        return record
    return FileRecord({**data, reference: list(queries_of(query))}, record.origin)


def queries_of(text: str) -> Iterator[str]:
    """The queries that a reference stands for, as in ``get_all_minimal_queries`` of sql-eval.

    Semicolons separate alternatives; ``{a, b}`` stands for one or more of these columns, and
    ``GROUP BY {}`` behind it for the chosen ones.

    >>> list(queries_of("SELECT {a, b} FROM t GROUP BY {};"))[2]
    'SELECT a,  b FROM t GROUP BY a,  b'
    """
    for query in filter(None, map(str.strip, text.split(";"))):
        start = query.find("{")
        end = query.find("}", start + 1)
        names = query[start + 1 : end].split(",")
        if start == -1 or end == -1 or len(names) > _MOST:
            yield query
            continue
        sizes = range(1, len(names) + 1)
        for chosen in chain.from_iterable(combinations(names, size) for size in sizes):
            columns = ", ".join(chosen)
            rest = query[end + 1 :].replace("GROUP BY {}", f"GROUP BY {columns}")
            yield query[:start] + columns + rest
