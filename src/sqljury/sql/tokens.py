"""Tokenizes and parses SQL text safely: returns None for what cannot be read, never raises.

sqlglot is imported inside functions: it takes 0.15 s, and ``import sqljury`` must not pay it.
"""

from __future__ import annotations

import logging
import re
from functools import cache, lru_cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import SqlglotError
from sqlglot.tokens import Token
from sqlglot.tokens import TokenType as T

MAX_CHARS = 200_000
"""Longer texts are not tokenized: 10 MB would take seconds and a gigabyte of memory."""

# The compiled parser does not limit its recursion: 30,000 nested brackets kill the process.
# Both limits are far above real queries (thousands of tokens, tens of levels).
_MAX_PARSED_TOKENS = 10_000
_MAX_PARSED_DEPTH = 200
_MAX_OPEN_JOINS = 12
"""Most joins in a row without ON or USING; the parser tries two readings of each: 22 take 19 s."""


def tokenize(sql: str, dialect: str) -> list[Token] | None:
    """The tokens of a text without comments; None if it cannot be tokenized or is too long."""
    if len(sql) > MAX_CHARS:
        return None
    known, sqlglot_error = _sqlglot(dialect)
    try:
        return known.tokenize(sql)
    except sqlglot_error:
        return None


def parse(sql: str, dialect: str) -> exp.Expr | None:
    """The syntax tree of a single statement; None if the text has a syntax error, is too long, too
    deeply nested or too costly to parse, or holds several statements."""
    tokens = tokenize(sql, dialect)
    return parse_tokens(tokens, sql, dialect) if tokens else None


def is_too_large(sql: str, dialect: str) -> bool:
    """True if a text is not parsed because it is too long, too deep or too costly to parse."""
    tokens = tokenize(sql, dialect)
    return len(sql) > MAX_CHARS or bool(tokens and _is_bomb(tokens))


def syntax_error(sql: str, dialect: str) -> str | None:
    """The place and description of the parser's first error; None if it reports none.

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
    """The syntax tree of tokens, which the caller may have edited; None as in :func:`parse`."""
    if _is_bomb(tokens):
        return None
    try:
        trees = _sqlglot(dialect)[0].parser().parse(tokens, sql)
    except Exception:  # broken text also causes TypeError, RecursionError and others
        return None
    # A comment behind the last semicolon is a tree of its own.
    found = [tree for tree in trees if tree is not None and not isinstance(tree, exp.Semicolon)]
    return found[0] if len(found) == 1 else None


def _is_bomb(tokens: list[Token]) -> bool:
    return (
        len(tokens) > _MAX_PARSED_TOKENS
        or max(depths(tokens)) > _MAX_PARSED_DEPTH
        or _open_joins(tokens) > _MAX_OPEN_JOINS
    )


def _open_joins(tokens: list[Token]) -> int:
    """The largest number of joins that lack their ON or USING at one point of the text.

    CROSS and NATURAL joins need none.
    """
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
    # sqlglot logs a warning for statements that it does not understand. Without a handler, Python
    # would print it to every user's terminal.
    logging.getLogger("sqlglot").addHandler(logging.NullHandler())
    return Dialect.get_or_raise(dialect), SqlglotError


def depths(tokens: list[Token]) -> list[int]:
    """The number of open brackets at each token; a bracket itself counts as open."""
    out = []
    depth = 0
    for token in tokens:
        if token.token_type in _OPENING:
            depth += 1
            out.append(depth)
        elif token.token_type in _CLOSING:
            out.append(depth)
            depth = max(0, depth - 1)
        else:
            out.append(depth)
    return out


_OPENING = frozenset((T.L_PAREN, T.L_BRACKET, T.L_BRACE))
_CLOSING = frozenset((T.R_PAREN, T.R_BRACKET, T.R_BRACE))


# ------------------------------------------------------------
# The text of a query, normalised so that texts can be compared.


def normalise_text(sql: str, dialect: str = "sqlite") -> str:
    """The query on one line: no comments, no final semicolon, all but quoted text in lower case.

    Text in any kind of quotes is kept as it is, with its quotes: in SQLite ``"x"`` may be a name
    or a value. In a text that cannot be tokenized (an unclosed quote, more than 200,000 characters)
    only white space is collapsed.

    >>> normalise_text("SELECT  Name -- who\\nFROM T WHERE x = 'A';")
    "select name from t where x = 'A'"
    """
    return _normalised(sql, dialect) if len(sql) <= MAX_CHARS else _collapsed(sql)


@lru_cache(maxsize=1024)
def _normalised(sql: str, dialect: str) -> str:
    tokens = tokenize(sql, dialect)
    if tokens is None:
        return _collapsed(sql)
    words = []
    for token in tokens:
        word = sql[token.start : token.end + 1]
        words.append(word if token.token_type in _QUOTED else " ".join(word.lower().split()))
    while words and words[-1] == ";":
        words.pop()
    return " ".join(words)


def _collapsed(sql: str) -> str:
    return " ".join(sql.split()).rstrip("; ")


_QUOTED = frozenset(
    (
        *(T.IDENTIFIER, T.BYTE_STRING, T.STRING, T.NATIONAL_STRING, T.RAW_STRING),
        *(T.HEREDOC_STRING, T.UNICODE_STRING),
    )
)


# ------------------------------------------------------------
# Parts that are removed from a query before it is compared or shown: comments, DISTINCT.

_COMMENT = re.compile(
    r"""
      (?P<kept> '[^']*'? | "[^"]*"? | `[^`]*`? )
    | --[^\n]* | /\*.*?(?:\*/|\Z)
    """,
    re.VERBOSE | re.DOTALL,
)
_EXECUTED = ("/*!", "/*M!")
"""Beginnings of comments that MySQL or MariaDB execute, so a reader must see them."""


def without_comments(sql: str, dialect: str = "sqlite") -> str:
    """The query's text with each comment replaced by a space.

    Strings, quoted names and comments that MySQL and MariaDB execute are kept. A text that cannot
    be tokenized is cleaned by a simpler rule, a regular expression.

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


# Strings, quoted names and comments come first in the alternation, so that only the keyword itself
# is left for the last part. An unclosed quote or bracket extends to the end of the text: searching
# its end from each of a million open brackets would be quadratic. No sqlglot here: one pass also
# works on broken SQL and on a text of any length.
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

    Strings, quoted names and comments are not changed; nor is ``IS DISTINCT FROM``, which the
    original script would break.

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


# ------------------------------------------------------------
# Whether a query has an ORDER BY.


def any_order(sql: str) -> bool:
    """True if the words ORDER BY occur anywhere in the text, even in a subquery or a string.

    >>> any_order("SELECT a FROM (SELECT a FROM t ORDER BY b)")
    True

    Source: Zhong, Yu and Klein (2020), evaluation script of the test suites.
    """
    return "order by" in " ".join(sql.lower().split())


def top_level_order(sql: str, dialect: str = "sqlite") -> bool:
    """True if the outermost query has an ORDER BY; one inside it does not order the result.

    >>> top_level_order("SELECT a FROM t ORDER BY b")
    True
    >>> top_level_order("SELECT rank() OVER (ORDER BY a) FROM t")
    False
    """
    if "order" not in sql.lower() or len(sql) > MAX_CHARS:
        return False
    return _top_level_order(sql, dialect)


# Brackets around the whole query; real queries have few, and each costs one pass over the tokens.
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
    """True if one more pair of brackets encloses all tokens inside the ``outer`` outermost ones."""
    inside = levels[outer : len(levels) - outer]
    return len(inside) > 2 and min(inside) > outer
