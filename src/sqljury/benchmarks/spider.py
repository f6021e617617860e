"""Spider's files: dev.json, and gold files with one query per line."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sqljury.benchmarks.fields import as_references, stated_and_added
from sqljury.benchmarks.files import FileKind, Line, Source
from sqljury.benchmarks.formats import Format, Options, build_all, has_keys, id_key, register
from sqljury.case import Case
from sqljury.errors import InputError

_KEYS = {
    "question": "question",
    "db_id": "db_id",
    "reference_sqls": "query",
    "hint": "evidence",
    "difficulty": "difficulty",
}

# Copies of question and query: cut into tokens, and as Spider's parse tree.
_COPIES = frozenset({"query_toks", "query_toks_no_value", "question_toks", "sql"})

_SYNONYMS = "SpiderSynQuestion"

_QUERY = re.compile(r"\W*(select|with|values|null\b|not_answerable\b)", re.IGNORECASE)
_DB_ID = re.compile(r"[^\t]*(\t.*)?\t[\w.-]+[ \r]*")


@register
class Spider(Format):
    """Questions with their queries, or the queries of a gold file without questions."""

    name = "spider"
    description = "Spider dev.json (question, query, db_id); gold files of SQL, tab, db_id a line"
    priority = 80

    def claims(self, source: Source) -> bool:
        """True for any text of lines, and for objects with a query and a database."""
        if source.kind is FileKind.TEXT:
            return True
        asked = has_keys(source, "question") or has_keys(source, _SYNONYMS)
        return asked and has_keys(source, "query", "db_id")

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per question, or per line."""
        if source.kind is FileKind.TEXT:
            return _gold(source, options)
        keys = id_key(source) | _KEYS
        if has_keys(source, _SYNONYMS):
            keys["question"] = _SYNONYMS
        if has_keys(source, "commonsense_knowledge"):
            keys["hint"] = "commonsense_knowledge"  # Archer
        layout = stated_and_added(source, keys, options.mapping, dropped=_COPIES)
        return build_all(source, layout, options)


def is_gold(lines: Iterable[Line]) -> bool:
    """True if every line ends in a tab and a db_id; queries may contain tabs too.

    Queries may hold tabs too.
    """
    return all(_DB_ID.fullmatch(line.text) for line in lines if line.text.strip())


def split_line(text: str, named: bool) -> tuple[str, str]:
    """The query and the db_id of a line; both are empty for a blank line."""
    if not named or not text.strip():
        return text.strip(), ""
    sql, _, db_id = text.rpartition("\t")
    return sql.strip(), db_id.strip()


def _gold(source: Source, options: Options) -> Iterator[Case]:
    benchmark = source.stem if options.benchmark is None else options.benchmark
    blank: list[Case] = []
    named = is_gold(source.queries())
    if not named and not any(_QUERY.match(line.text) for line in source.queries()):
        raise InputError(
            "SJ106",
            "the file is text in which no line begins as a query does.",
            where=f"{source.name}:1",
            hint="Give JSON, JSON lines, CSV or Parquet, or a query a line.",
        )
    for position, line in enumerate(source.queries()):
        sql, db_id = split_line(line.text, named)
        references, answerable = as_references(sql, line.origin)
        case = Case(
            id=str(position),
            db_id=db_id,
            reference_sqls=references,
            answerable=answerable,
            benchmark=benchmark,
            origin=line.origin,
        )
        if not line.text.strip():
            blank.append(case)  # a missing reference, unless the file ends here
            continue
        yield from blank
        blank.clear()
        yield case
