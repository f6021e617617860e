"""The query in what a model wrote."""

from __future__ import annotations

import re

from sqljury.judges.abstention.declining import abstention_in, declined_on_a_line, query_start
from sqljury.llm.thoughts import without_thoughts

# The last block may be cut off before its end.
_BLOCK = re.compile(r"```[ \t]*(\w*)[^\n`]*\n(.*?)(?:```|\Z)", re.DOTALL)
_MOST = 200_000


def sql_in(text: str) -> str | None:
    """The query, "" where there is none, None where the model says that there can be none.

    The last fenced block that is marked as SQL, else the last one that holds a query, else from
    the first line that begins as a query up to a semicolon at a line's end or an empty line. Where
    no block holds one, a line before it that says `not_answerable` and nothing else comes first.

    >>> sql_in("It is the name.\\n```sql\\nSELECT name FROM boat;\\n```")
    'SELECT name FROM boat'
    >>> sql_in("Answer: not_answerable") is None
    True
    """
    said = without_thoughts(text)[-_MOST:]
    blocks = [(mark.lower(), body) for mark, body in _BLOCK.findall(said)]
    marked = [body for mark, body in blocks if mark in ("sql", "sqlite", "postgresql", "mysql")]
    others = [body for mark, body in blocks if not mark and query_start(body) is not None]
    if marked or others:
        block = (marked or others)[-1]
        return None if query_start(block) is None and abstention_in(block) else _clean(block)
    start = query_start(said)
    if start is None:
        return None if abstention_in(said) else ""
    declined = declined_on_a_line(said)
    if declined is not None and declined.start() < start:
        return None
    return _clean(_until_end(said[start:]))


def _until_end(text: str) -> str:
    return re.split(r";[ \t]*\n|\n[ \t]*\n", text, maxsplit=1)[0]


def _clean(text: str) -> str:
    return text.strip().rstrip(";").rstrip()
