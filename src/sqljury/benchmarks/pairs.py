"""Pairs of queries labelled equivalent or not, as FuncEvalGMN publishes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sqljury.benchmarks.fields import stated
from sqljury.benchmarks.files import Source
from sqljury.benchmarks.formats import Format, Options, build_all, has_keys, register
from sqljury.case import Case

# ---------------------------------------------------------------- described schema
#
# A schema that is described in a prompt, as CREATE TABLE statements.


_TABLE: Final = re.compile(r"^the structure of table (?P<name>.+) is as follows:\s*$", re.MULTILINE)
_COLUMN: Final = re.compile(r"^\| (?P<name>[^|]+) \| (?P<type>[^|]+) \|\s*$", re.MULTILINE)
_KEY: Final = re.compile(r"^(?P<columns>.+) (?:is|are) the primary keys?\.\s*$", re.MULTILINE)
_FOREIGN_KEY: Final = re.compile(
    r"^The (?P<column>.+) is the foreign key, reference to (?P<target>.+) in table "
    r"(?P<table>[^.]+)\.\s*$",
    re.MULTILINE,
)
_HEAD: Final = ("column name", "------------")
_TYPES: Final = {"number": "NUMERIC", "string": "TEXT", "time": "TIMESTAMP", "others": ""}


def described_schema(prompt: str) -> str | None:
    """The tables that a prompt of FuncEvalGMN describes, as SQL; None if it describes none."""
    starts = list(_TABLE.finditer(prompt))
    if not starts:
        return None
    ends = [match.start() for match in starts[1:]] + [len(prompt)]
    statements = [
        f"CREATE TABLE {_quoted(match['name'])} ({', '.join(_parts(prompt[match.end() : end]))})"
        for match, end in zip(starts, ends, strict=True)
    ]
    return ";\n".join(statements)


def _parts(text: str) -> Iterator[str]:
    for match in _COLUMN.finditer(text):
        name, kind = match["name"].strip(), match["type"].strip()
        if name not in _HEAD:
            yield f"{_quoted(name)} {_TYPES.get(kind.lower(), kind.upper())}".rstrip()
    key = _KEY.search(text)
    if key is not None:
        columns = [_quoted(name.strip()) for name in re.split(r",| and ", key["columns"])]
        yield f"PRIMARY KEY ({', '.join(columns)})"
    for match in _FOREIGN_KEY.finditer(text):
        yield (
            f"FOREIGN KEY ({_quoted(match['column'])}) "
            f"REFERENCES {_quoted(match['table'])} ({_quoted(match['target'])})"
        )


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


# ---------------------------------------------------------------- pairs
#
# Pairs of queries labelled equivalent or not, as FuncEvalGMN publishes them.


_LABEL = "new_labels"
_SPIDER = {"reference_sqls": "gt", "predicted_sql": "answer"}
_OTHERS = {"reference_sqls": "Ground_truth", "predicted_sql": "response_sql"}
_QUOTED = re.compile(r"\['(.*)'\]")


@register
class Pairs(Format):
    """One case per pair; its id is its position, because the files' own ids repeat.

    The schema in the prompt is kept with the case, because WikiSQL's tables are in no other file.
    """

    name = "pairs"
    description = "labelled pairs: gt and answer, or Ground_truth and response_sql, new_labels"
    priority = 30

    def claims(self, source: Source) -> bool:
        """True if the records have the label's name and one of the two pairs of query names."""
        return has_keys(source, _LABEL) and any(
            has_keys(source, *keys.values()) for keys in (_SPIDER, _OTHERS)
        )

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """One case per row."""
        keys = _SPIDER if has_keys(source, *_SPIDER.values()) else _OTHERS
        # Index columns: pandas adds one at each save.
        dropped = [key for key in source.keys if key.startswith("Unnamed")]
        layout = stated(
            {**keys, "db_id": "db_id", "label": _LABEL, "source": "type"},
            options.mapping,
            dropped=dropped,
        )
        for case in build_all(source, layout, options):
            listed = _QUOTED.fullmatch(case.db_id)
            schema = described_schema(str(case.extra.get("prompt", "")))
            yield replace(
                case,
                db_id=listed[1] if listed else case.db_id,
                schema_sql=case.schema_sql or schema,
            )
