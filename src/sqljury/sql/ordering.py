"""Does a query ask for an order of its rows?"""

from __future__ import annotations

from functools import lru_cache

from sqlglot.tokens import TokenType as T

from sqljury.sql.tokens import MAX_CHARS, depths, tokenize


def any_order(sql: str) -> bool:
    """Whether the words ORDER BY stand anywhere in the text, a subquery or a string included.

    >>> any_order("SELECT a FROM (SELECT a FROM t ORDER BY b)")
    True

    Source: Zhong, Yu and Klein (2020), evaluation script of the test suites.
    """
    return "order by" in " ".join(sql.lower().split())


def top_level_order(sql: str, dialect: str = "sqlite") -> bool:
    """Whether the rows of the whole query are ordered; an ORDER BY inside it binds nobody.

    >>> top_level_order("SELECT a FROM t ORDER BY b")
    True
    >>> top_level_order("SELECT rank() OVER (ORDER BY a) FROM t")
    False
    """
    if "order" not in sql.lower() or len(sql) > MAX_CHARS:
        return False
    return _top_level_order(sql, dialect)


# Nobody writes more of them, and each costs a look at the whole text.
_MAX_BRACKETS = 20


@lru_cache(maxsize=1024)
def _top_level_order(sql: str, dialect: str) -> bool:
    tokens = tokenize(sql, dialect) or []
    while tokens and tokens[-1].token_type is T.SEMICOLON:
        tokens.pop()
    levels = depths(tokens)
    # Brackets around the whole query are not a level of their own.
    outer = 0
    while outer < _MAX_BRACKETS and _wrapped(levels, outer):
        outer += 1
    return any(
        token.token_type is T.ORDER_BY and level == outer
        for token, level in zip(tokens, levels, strict=True)
    )


def _wrapped(levels: list[int], outer: int) -> bool:
    """Whether the tokens inside ``outer`` brackets all stand inside one more."""
    inside = levels[outer : len(levels) - outer]
    return len(inside) > 2 and min(inside) > outer
