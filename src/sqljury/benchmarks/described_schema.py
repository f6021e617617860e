"""A schema that stands in words in a prompt, as CREATE TABLE statements."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

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
    """The tables that a prompt of FuncEvalGMN describes, or None where it describes none."""
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
