"""What is taken out of a query before it is compared or shown: comments, DISTINCT."""

from __future__ import annotations

import re
from functools import lru_cache

from sqljury.sql.tokens import MAX_CHARS, tokenize

_COMMENT = re.compile(
    r"""
      (?P<kept> '[^']*'? | "[^"]*"? | `[^`]*`? )
    | --[^\n]* | /\*.*?(?:\*/|\Z)
    """,
    re.VERBOSE | re.DOTALL,
)
_EXECUTED = ("/*!", "/*M!")
"""How comments begin that MySQL or MariaDB execute: a reader must see them."""


def without_comments(sql: str, dialect: str = "sqlite") -> str:
    """The query as it is written, each comment replaced by a space.

    What only looks like a comment stays: strings, quoted names, and what MySQL and MariaDB
    execute. A text that cannot be cut into tokens is cleaned by a simpler rule.

    >>> without_comments("SELECT 1 -- one\\nFROM t /* all */ WHERE x = '--'")
    "SELECT 1  \\nFROM t   WHERE x = '--'"
    """
    if "--" not in sql and "/*" not in sql and "#" not in sql:
        return sql
    return _cleaned(sql, dialect) if len(sql) <= MAX_CHARS else _COMMENT.sub(_kept, sql)


@lru_cache(maxsize=256)
def _cleaned(sql: str, dialect: str) -> str:
    tokens = tokenize(sql, dialect)
    if tokens is None:
        return _COMMENT.sub(_kept, sql)
    parts = []
    end = 0
    # Between two tokens there is nothing but white space and comments.
    for token in tokens:
        parts += [_gap(sql[end : token.start], dialect), sql[token.start : token.end + 1]]
        end = token.end + 1
    return "".join([*parts, _gap(sql[end:], dialect)])


def _gap(text: str, dialect: str) -> str:
    comments = text.strip()
    executed = dialect == "mysql" and any(mark in comments for mark in _EXECUTED)
    if not comments or executed:
        return text
    start = text.index(comments)
    return f"{text[:start]} {text[start + len(comments) :]}"


def _kept(match: re.Match[str]) -> str:
    return match["kept"] or " "


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
    return _removed(sql) if len(sql) <= MAX_CHARS else _DISTINCT.sub(_without_keyword, sql)


@lru_cache(maxsize=1024)
def _removed(sql: str) -> str:
    return _DISTINCT.sub(_without_keyword, sql)


def _without_keyword(match: re.Match[str]) -> str:
    return "" if match["keyword"] else match[0]
