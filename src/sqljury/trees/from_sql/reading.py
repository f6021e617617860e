"""Parses SQL text with sqlglot, but keeps functions and types as they are written.

sqlglot turns known functions into nodes of its own: it renames them and moves their arguments
(``STRFTIME('%Y', d)`` becomes TimeToStr of TsOrDsToTimestamp). It recognizes them by name, so the
names are marked before parsing, and calls become Anonymous nodes with the name and arguments of the
text. In SQLite, types in CAST are replaced by placeholders for the same reason: SQLite converts by
parts of the type's name, and sqlglot writes DECIMAL(10, 2) as REAL.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.tokens import Token, TokenType
from sqlglot.tokens import TokenType as T

from sqljury.sql.tokens import parse_tokens, tokenize

_MARK = "\0"
_TYPE = "SQLJURY_TYPE_"
# Their arguments have a syntax of their own: CAST(x AS t), TRIM(BOTH x FROM y), …
_OWN_SYNTAX_WORDS = """
    CAST TRY_CAST SAFE_CAST CONVERT TRY_CONVERT EXTRACT TRIM SUBSTRING POSITION OVERLAY
    JSON_OBJECT JSON_OBJECTAGG JSON_TABLE OPENJSON XMLTABLE XMLELEMENT MATCH GAP_FILL STRUCT
    ARRAY MAP UNNEST
"""
_OWN_SYNTAX = frozenset(_OWN_SYNTAX_WORDS.split())
_OTHERS_TO_TRY = ("sqlite", "postgres", "mysql", "duckdb", "tsql")


class NoTreeError(Exception):
    """Raised if a query has no tree; :func:`build_tree` returns it as an Unreadable."""

    def __init__(self, reason: str, kind: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.kind = kind


def unsupported(what: str) -> NoTreeError:
    """The error for a construct that trees cannot express."""
    return NoTreeError(f"{what} is not supported", "unsupported")


def invalid(why: str) -> NoTreeError:
    """The error for a query that no engine would run."""
    return NoTreeError(why, "invalid")


def read(sql: str, dialect: str) -> tuple[exp.Expr, tuple[str, ...]]:
    """The syntax tree, and the type names that the placeholders in CAST stand for.

    A text that does not parse in the dialect is tried in other dialects.

    Raises:
        NoTreeError: no dialect can parse the text, or it is too long or too deeply nested.
    """
    for other in (dialect, *(d for d in _OTHERS_TO_TRY if d != dialect)):
        found = _read(sql, other)
        if found is not None:
            return found
    raise NoTreeError("the text cannot be parsed", "syntax")


def _read(sql: str, dialect: str) -> tuple[exp.Expr, tuple[str, ...]] | None:
    tokens = tokenize(sql, dialect)
    if not tokens:
        return None
    _mark_functions(tokens, dialect)
    if dialect == "sqlite":
        _refuse_misread(tokens)
    types: list[str] = []
    if dialect == "sqlite":
        tokens = _without_types(tokens, sql, types)
    tree = parse_tokens(tokens, sql, dialect)
    return None if tree is None else (tree, tuple(types))


def plain(name: str) -> str:
    """The name of a function as the query has it, without the mark of this reader."""
    return name[1:] if name.startswith(_MARK) else name


def type_of_placeholder(name: str, types: tuple[str, ...]) -> str | None:
    """The type that a placeholder stands for; None for any other name."""
    return types[int(name[len(_TYPE) :])] if name.startswith(_TYPE) else None


def _mark_functions(tokens: list[Token], dialect: str) -> None:
    callable_, known, own_syntax = _functions(dialect)
    bracket, star = _bracket_and_star()
    before = None
    for token, following in pairwise(tokens):
        if following.token_type is bracket and token.token_type in callable_:
            name = token.text.upper()
            # In SELECT * REPLACE (…), REPLACE is not a function.
            if name in known and name not in own_syntax and before is not star:
                token.text = _MARK + token.text
        before = token.token_type


@cache
def _bracket_and_star() -> tuple[TokenType, TokenType]:
    return TokenType.L_PAREN, TokenType.STAR


def _refuse_misread(tokens: list[Token]) -> None:
    """Refuses texts that sqlglot parses otherwise than SQLite does.

    ``+x`` has no affinity, but sqlglot drops the sign. In ``count(*) OVER`` without a window, OVER
    is an alias. No other difference was found in real queries.
    """
    kinds = [token.token_type for token in tokens]
    before, behind, window = _misread()
    if T.PLUS in kinds and any(
        kind is T.PLUS and left in before and right in behind
        for left, kind, right in zip(kinds, kinds[1:], kinds[2:], strict=False)
    ):
        raise unsupported("a sign + before a name")
    if T.OVER in kinds and any(
        kind is T.OVER and right not in window
        for kind, right in zip(kinds, [*kinds[1:], None], strict=True)
    ):
        raise unsupported("OVER as a name")


@cache
def _misread() -> tuple[frozenset[TokenType], frozenset[TokenType], frozenset[TokenType]]:
    """Three sets of tokens: those before a sign (but not before a binary operator), those that may
    begin a name, those that follow OVER."""
    before = """SELECT DISTINCT ALL WHERE ON AND OR NOT COMMA L_PAREN EQ NEQ LT LTE GT GTE LIKE GLOB
        BETWEEN IN IS THEN ELSE WHEN CASE GROUP_BY ORDER_BY HAVING LIMIT DASH STAR SLASH MOD
        DPIPE AMP PIPE"""
    names = frozenset((T.VAR, T.IDENTIFIER, T.L_PAREN))
    return frozenset(T[name] for name in before.split()), names, names


@cache
def _functions(dialect: str) -> tuple[frozenset[TokenType], frozenset[str], frozenset[str]]:
    parser = Dialect.get_or_raise(dialect).parser_class
    known = {*parser.FUNCTIONS, *parser.FUNCTION_PARSERS, "IF"}
    own = set(_OWN_SYNTAX)
    if dialect not in ("sqlite", "postgres", "duckdb"):
        own |= {"GROUP_CONCAT", "STRING_AGG", "LISTAGG"}  # SEPARATOR, WITHIN GROUP
    return frozenset(parser.FUNC_TOKENS), frozenset(known), frozenset(own)


def _without_types(tokens: list[Token], sql: str, types: list[str]) -> list[Token]:
    """The tokens with a placeholder for each type in a CAST; the types are appended to
    ``types``."""
    if not any(token.text.upper() == "CAST" for token in tokens):
        return tokens
    out: list[Token] = []
    casts: list[int | None] = []
    """One entry per open bracket: the index in ``out`` where the type of its CAST begins, 0 before
    AS, None if the bracket is not a CAST's."""
    for i, token in enumerate(tokens):
        kind = token.token_type
        if kind is T.R_PAREN and casts:
            start = casts.pop()
            if start and start < len(out):
                _replace_type(out, start, sql, types)
        out.append(token)
        if kind is T.L_PAREN:
            is_cast = i > 0 and tokens[i - 1].text.upper() == "CAST"
            casts.append(0 if is_cast else None)
        elif kind is T.ALIAS and casts and casts[-1] is not None:
            casts[-1] = len(out)
    return out


def _replace_type(out: list[Token], start: int, sql: str, types: list[str]) -> None:
    first, last = out[start], out[-1]
    name = f"{_TYPE}{len(types)}"
    types.append(" ".join(sql[first.start : last.end + 1].upper().split()))
    word = Token(TokenType.VAR, name, first.line, first.col, first.start, last.end)
    out[start:] = [word]
