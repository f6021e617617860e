"""The structure of a query: its text without the literals.

Source: TrustSQL (Lee et al. 2024), section 3.4; Finegan-Dollak et al. (2018), arXiv:1806.09029.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from sqljury.sql import normalise_text
from sqljury.sql.tokens import tokenize

if TYPE_CHECKING:
    from sqlglot.tokens import TokenType


def text_structure(sql: str, dialect: str = "sqlite") -> str:
    """The normalised text with ``?`` for every literal; the text itself where it has no tokens.

    In SQLite a text in double quotes may be a name or a value; it counts as a value where a
    comparison stands before it.

    >>> text_structure("SELECT a FROM t WHERE b = 'x' LIMIT 3")
    'select a from t where b = ? limit ?'
    """
    normal = normalise_text(sql, dialect)
    tokens = tokenize(normal, dialect)
    if tokens is None:
        return normal
    literals, quoted, comparisons = _types()
    words: list[str] = []
    before: TokenType | None = None
    for token in tokens:
        kind = token.token_type
        is_value = kind in literals or (kind is quoted and before in comparisons)
        words.append("?" if is_value else normal[token.start : token.end + 1])
        before = kind
    return " ".join(words)


@cache
def _types() -> tuple[frozenset[TokenType], TokenType, frozenset[TokenType]]:
    from sqlglot.tokens import TokenType as T

    literals = (T.STRING, T.NUMBER, T.NATIONAL_STRING, T.HEX_STRING, T.BIT_STRING, T.BYTE_STRING)
    comparisons = (T.EQ, T.NEQ, T.LT, T.LTE, T.GT, T.GTE, T.LIKE, T.ILIKE, T.GLOB, T.BETWEEN)
    return frozenset(literals), T.IDENTIFIER, frozenset(comparisons)
