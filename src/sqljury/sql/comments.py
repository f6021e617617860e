"""Comments taken out of a query: they say nothing to the engine, but much to a reader."""

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
    return _cleaned(sql, dialect) if len(sql) <= MAX_CHARS else _COMMENT.sub(_blank, sql)


@lru_cache(maxsize=256)
def _cleaned(sql: str, dialect: str) -> str:
    tokens = tokenize(sql, dialect)
    if tokens is None:
        return _COMMENT.sub(_blank, sql)
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


def _blank(match: re.Match[str]) -> str:
    return match["kept"] or " "
