"""DISTINCT taken out of a query, as the test-suite script of Spider does before it compares."""

from __future__ import annotations

import re
from functools import lru_cache

from sqljury.sql.tokens import MAX_CHARS

# Everything in which the word is no keyword comes first in the alternation, so that the
# keyword itself is what is left. What is never closed goes on to the end of the text: looking for
# its end from each of a million open brackets would be quadratic. No sqlglot here: one pass that
# works on broken SQL as well, in a text of any length, is all it takes.
_DISTINCT = re.compile(
    r"""
      '[^']*'? | "[^"]*"? | `[^`]*`? | \[[^\]]*\]?
    | --[^\n]* | /\*.*?(?:\*/|\Z)
    | (?<![\w$.]) (?P<keyword> distinct ) (?! [\w$] | \s+from\b )
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


def remove_distinct(sql: str) -> str:
    """The query without the keyword DISTINCT, COUNT(DISTINCT x) included.

    Strings, quoted names and comments are left alone; so is ``IS DISTINCT FROM``, which the
    script would break.

    >>> remove_distinct("SELECT count(DISTINCT x), 'DISTINCT' FROM t")
    "SELECT count( x), 'DISTINCT' FROM t"

    Source: Zhong, Yu and Klein (2020), evaluation script of the test suites.
    """
    if "distinct" not in sql.lower():
        return sql
    return _removed(sql) if len(sql) <= MAX_CHARS else _DISTINCT.sub(_blank, sql)


@lru_cache(maxsize=1024)
def _removed(sql: str) -> str:
    return _DISTINCT.sub(_blank, sql)


def _blank(match: re.Match[str]) -> str:
    return "" if match["keyword"] else match[0]
