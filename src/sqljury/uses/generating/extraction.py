"""The query in what a model wrote."""

from __future__ import annotations

import re

from sqljury.llm.objects import without_thoughts

# The last block may be cut off before its end.
_BLOCK = re.compile(r"```[ \t]*(\w*)[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
_BEGIN = re.compile(r"^[ \t]*(?:select|with|values)\b", re.IGNORECASE | re.MULTILINE)
_NOT_ANSWERABLE = "not_answerable"
_MOST = 200_000


def sql_in(text: str) -> str | None:
    """The query, "" where there is none, None where the model says that there can be none.

    The last fenced block that is marked as SQL, else the last one that holds a query, else from
    the first line that begins as a query up to a semicolon at a line's end or an empty line.

    >>> sql_in("It is the name.\\n```sql\\nSELECT name FROM boat;\\n```")
    'SELECT name FROM boat'
    >>> sql_in("```sql\\nnot_answerable\\n```") is None
    True
    """
    said = without_thoughts(text)[-_MOST:]
    blocks = [(mark.lower(), body) for mark, body in _BLOCK.findall(said)]
    marked = [body for mark, body in blocks if mark in ("sql", "sqlite", "postgresql", "mysql")]
    others = [body for mark, body in blocks if not mark and _BEGIN.search(body)]
    if marked or others:
        return _clean((marked or others)[-1])
    if said.strip() == _NOT_ANSWERABLE:
        return None
    start = _BEGIN.search(said)
    return "" if start is None else _clean(_until_end(said[start.start() :]))


def _until_end(text: str) -> str:
    return re.split(r";[ \t]*\n|\n[ \t]*\n", text, maxsplit=1)[0]


def _clean(text: str) -> str | None:
    sql = text.strip().rstrip(";").rstrip()
    return None if sql == _NOT_ANSWERABLE else sql
