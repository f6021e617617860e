"""Small changes of a query's text: the query that is proposed is the one that was written."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqljury.sql import parse
from sqljury.sql.tokens import tokenize

if TYPE_CHECKING:
    from sqlglot import exp


def with_text_replaced(sql: str, old: str, new: str, dialect: str) -> str | None:
    """The query with another text constant, or None where the old one is not there just once.

    >>> with_text_replaced("SELECT a FROM t WHERE b = 'x'", "x", "O'X", "sqlite")
    "SELECT a FROM t WHERE b = 'O''X'"
    """
    from sqlglot.tokens import TokenType as T

    texts = (T.STRING, T.IDENTIFIER)
    found = [t for t in tokenize(sql, dialect) or () if t.token_type in texts and t.text == old]
    if len(found) != 1:
        return None
    escaped = new.replace("'", "''")
    return f"{sql[: found[0].start]}'{escaped}'{sql[found[0].end + 1 :]}"


def edited(sql: str, dialect: str, change: Callable[[exp.Expr], bool]) -> str | None:
    """The query after ``change`` altered its tree in place, or None where it altered nothing."""
    tree = parse(sql, dialect)
    if tree is None or not change(tree):
        return None
    try:
        return tree.sql(dialect)
    except Exception:  # generators stumble over trees in many ways
        return None
