"""The text of a query made comparable as text."""

from __future__ import annotations

from functools import cache, lru_cache

from sqlglot.tokens import TokenType
from sqlglot.tokens import TokenType as T

from sqljury.sql.tokens import MAX_CHARS, tokenize


def normalise_text(sql: str, dialect: str = "sqlite") -> str:
    """The query on one line: no comments, no final semicolon, all but quoted text in lower case.

    What stands in any kind of quotes is kept as it is, quotes included: in SQLite ``"x"`` may
    be a name or a value. A text that cannot be cut into tokens (a quote never closed, more than
    200,000 characters) only has its white space collapsed.

    >>> normalise_text("SELECT  Name -- who\\nFROM T WHERE x = 'A';")
    "select name from t where x = 'A'"
    """
    return _normalised(sql, dialect) if len(sql) <= MAX_CHARS else _collapsed(sql)


@lru_cache(maxsize=1024)
def _normalised(sql: str, dialect: str) -> str:
    tokens = tokenize(sql, dialect)
    if tokens is None:
        return _collapsed(sql)
    quoted = _quoted_types()
    words = []
    for token in tokens:
        word = sql[token.start : token.end + 1]
        words.append(word if token.token_type in quoted else " ".join(word.lower().split()))
    while words and words[-1] == ";":
        words.pop()
    return " ".join(words)


def _collapsed(sql: str) -> str:
    return " ".join(sql.split()).rstrip("; ")


@cache
def _quoted_types() -> frozenset[TokenType]:
    strings = (T.STRING, T.NATIONAL_STRING, T.RAW_STRING, T.HEREDOC_STRING, T.UNICODE_STRING)
    return frozenset((T.IDENTIFIER, T.BYTE_STRING, *strings))
