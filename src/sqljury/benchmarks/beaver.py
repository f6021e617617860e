"""BEAVER: questions over an enterprise's warehouse, with the tables and columns that they need."""

from __future__ import annotations

from collections.abc import Iterator

from sqljury.benchmarks.fields import stated_and_added
from sqljury.benchmarks.files import Source
from sqljury.benchmarks.formats import Format, Options, build_all, has_keys, register
from sqljury.case import Case

_KEYS = {"question": "question", "db_id": "db_id", "reference_sqls": "sql"}


@register
class Beaver(Format):
    """Questions of ``dev_dw.json`` and ``dev_nw.json``; ``sql`` is for MySQL, ``oracle_sql`` in
    ``extra``."""

    name = "beaver"
    description = "BEAVER: question, db_id, sql, gold_tables, join_keys"
    priority = 65

    def claims(self, source: Source) -> bool:
        """True if the records name the tables of the reference."""
        return has_keys(source, "question", "db_id", "sql", "gold_tables")

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per question."""
        return build_all(source, stated_and_added(source, _KEYS, options.mapping), options)
