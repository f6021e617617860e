"""text2sql-data's files: ATIS, Advising, Geography and others, with placeholders for values.

Source: Finegan-Dollak et al. (2018), arXiv:1806.09029; github.com/jkkummerfeld/text2sql-data.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from sqljury.benchmarks.fields import as_object, as_text
from sqljury.benchmarks.files import Source
from sqljury.benchmarks.formats import Format, Options, has_keys, register
from sqljury.case import Case, Json
from sqljury.errors import InputError

NOT_SQL = "-nonsql"
"""Ends the name of files whose questions have no SQL; they belong to the database named before
it."""


PLACEHOLDERS = "placeholders"
"""The key of ``extra`` with question and SQL before values were filled in, and the values."""


@register
class Text2Sql(Format):
    """One case per sentence, with its own values in the question and in the first query of its
    group."""

    name = "text2sql"
    description = "text2sql-data: groups of sentences with placeholders, and their SQL"
    priority = 45

    def claims(self, source: Source) -> bool:
        """True if each group has the three lists."""
        return has_keys(source, "sentences", "sql", "variables")

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per sentence, with the first query of its group, which is the shortest."""
        benchmark = source.stem if options.benchmark is None else options.benchmark
        db_id = source.stem.removesuffix(NOT_SQL)
        for number, record in enumerate(source.records()):
            group = as_object(record)
            queries = _listed(group, "sql", record.origin)
            sql = (as_text(queries[0], "sql", record.origin) if queries else None) or ""
            for place, sentence in enumerate(_listed(group, "sentences", record.origin)):
                said = _object(sentence, "a sentence", record.origin)
                text = as_text(said.get("text"), "text", record.origin) or ""
                values, types = _variables(group, said, record.origin)
                yield Case(
                    id=f"{number}-{place}",
                    db_id=db_id,
                    question=fill(text, values),
                    reference_sqls=(fill(sql, values),) if sql else (),
                    answerable=None if sql else False,
                    benchmark=benchmark,
                    extra={
                        "group": number,
                        PLACEHOLDERS: {
                            "question": text,
                            "sql": sql,
                            "values": values,
                            "types": types,
                        },
                        "query_split": group.get("query-split"),
                        "question_split": said.get("question-split"),
                        **({} if sql else {"type": "non-sql"}),
                    },
                    origin=f"{record.origin}, sentence {place}",
                )


def _variables(
    group: Mapping[str, Json], sentence: Mapping[str, Json], origin: str
) -> tuple[dict[str, str], dict[str, str]]:
    """The value and the type of each placeholder; if a sentence has none, the group's example."""
    own = _object(sentence.get("variables") or {}, "variables", origin)
    values = {name: as_text(value, name, origin) or "" for name, value in own.items()}
    types = {}
    for one in _listed(group, "variables", origin):
        told = _object(one, "a variable", origin)
        name = str(told.get("name"))
        values[name] = values.get(name) or as_text(told.get("example"), name, origin) or ""
        types[name] = str(told.get("type", ""))
    return values, types


def _object(value: Json, what: str, origin: str) -> Mapping[str, Json]:
    if not isinstance(value, dict):
        raise InputError("SJ105", f"{what} must be an object.", where=origin)
    return value


def fill(template: str, values: Mapping[str, str]) -> str:
    """A text with its placeholders replaced by values; inside double quotes a quote is doubled.

    >>> fill('SELECT a FROM t WHERE b = "name0" AND c > number0', {"name0": "x", "number0": "3"})
    'SELECT a FROM t WHERE b = "x" AND c > 3'
    """
    if not values:
        return template
    names = "|".join(map(re.escape, sorted(values, key=len, reverse=True)))
    found = re.compile(rf'"[^"]*"|(?<!\w)(?:{names})(?!\w)')
    inside = re.compile(rf"(?<!\w)(?:{names})(?!\w)")

    def written(match: re.Match[str]) -> str:
        text = match[0]
        if text.startswith('"'):
            return inside.sub(lambda name: values[name[0]].replace('"', '""'), text)
        return values[text]

    return found.sub(written, template)


def _listed(holder: Mapping[str, Json], key: str, origin: str) -> Sequence[Json]:
    found = holder.get(key)
    if not isinstance(found, list):
        raise InputError("SJ105", f"{key!r} must be a list.", where=origin)
    return found
