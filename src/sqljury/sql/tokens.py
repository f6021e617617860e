"""SQL text cut into tokens and parsed, safely: what cannot be read is None, never an exception.

sqlglot is imported inside functions: it takes 0.15 s, and ``import sqljury`` must not pay it.
"""

from __future__ import annotations

import logging
from functools import cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token, TokenType
from sqlglot.tokens import TokenType as T

MAX_CHARS = 200_000
"""Longer texts are not looked at: tokens of a text of 10 MB take seconds and a gigabyte."""

# The compiled parser does not count its C frames: 30,000 nested brackets kill the process.
# Both bounds are far above real queries (thousands of tokens, tens of levels).
_MAX_PARSED_TOKENS = 10_000
_MAX_PARSED_DEPTH = 200
_MAX_OPEN_JOINS = 12
"""Joins in a row without ON or USING; the parser tries both readings of each: 22 take 19 s."""


def tokenize(sql: str, dialect: str) -> list[Token] | None:
    """The tokens of a text without comments, or None where it is broken or over-long."""
    if len(sql) > MAX_CHARS:
        return None
    known, sqlglot_error = _sqlglot(dialect)
    try:
        return known.tokenize(sql)
    except sqlglot_error:
        return None


def parse(sql: str, dialect: str) -> exp.Expr | None:
    """The tree of a single statement, or None where it is broken, over-long or a bomb."""
    tokens = tokenize(sql, dialect)
    return parse_tokens(tokens, sql, dialect) if tokens else None


def syntax_error(sql: str, dialect: str) -> str | None:
    """Where a text stops being SQL and why, in the parser's words; None where it does not say.

    >>> syntax_error("SELECT name FORM singer", "sqlite")
    "line 1, column 23, at 'singer': Invalid expression / Unexpected token"
    """
    tokens = tokenize(sql, dialect)
    if not tokens or _is_bomb(tokens):
        return None
    known, _ = _sqlglot(dialect)
    try:
        known.parser().parse(tokens, sql)
    except Exception as error:  # as in parse_tokens
        told = next(iter(getattr(error, "errors", ())), None)
        if told is None:
            return None
        where = f"line {told['line']}, column {told['col']}, at {told['highlight']!r}"
        return f"{where}: {told['description']}"
    return None


def parse_tokens(tokens: list[Token], sql: str, dialect: str) -> exp.Expr | None:
    """The tree of a text that is already cut into tokens, which the caller may have edited."""
    if _is_bomb(tokens):
        return None
    try:
        trees = _sqlglot(dialect)[0].parser().parse(tokens, sql)
    except Exception:  # on broken text it is TypeError, RecursionError and others, too
        return None
    found = [tree for tree in trees if tree is not None]
    return found[0] if len(found) == 1 else None


def _is_bomb(tokens: list[Token]) -> bool:
    return (
        len(tokens) > _MAX_PARSED_TOKENS
        or max(depths(tokens)) > _MAX_PARSED_DEPTH
        or _open_joins(tokens) > _MAX_OPEN_JOINS
    )


def _open_joins(tokens: list[Token]) -> int:
    """The most joins that wait for their ON or USING at once; CROSS and NATURAL ones need none."""
    waiting = most = 0
    before = None
    for token in tokens:
        kind = token.token_type
        if kind is T.JOIN and before not in (T.CROSS, T.NATURAL):
            waiting += 1
            most = max(most, waiting)
        elif kind in (T.ON, T.USING):
            waiting = max(0, waiting - 1)
        before = kind
    return most


@cache
def _sqlglot(dialect: str) -> tuple[Dialect, type[Exception]]:
    # It warns of statements that it does not understand. That is for those who ask for logs, and
    # not for everybody's terminal.
    logging.getLogger("sqlglot").addHandler(logging.NullHandler())
    return Dialect.get_or_raise(dialect), SqlglotError


def depths(tokens: list[Token]) -> list[int]:
    """How many brackets are open at each token; an opening one counts for itself."""
    opening, closing = _brackets()
    out = []
    depth = 0
    for token in tokens:
        if token.token_type in opening:
            depth += 1
            out.append(depth)
        elif token.token_type in closing:
            out.append(depth)
            depth = max(0, depth - 1)
        else:
            out.append(depth)
    return out


@cache
def _brackets() -> tuple[frozenset[TokenType], frozenset[TokenType]]:
    return (
        frozenset((T.L_PAREN, T.L_BRACKET, T.L_BRACE)),
        frozenset((T.R_PAREN, T.R_BRACKET, T.R_BRACE)),
    )
