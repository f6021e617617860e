"""A lexical look at a statement before an engine sees it: the first of two defences.

The engine's own protection (read-only connection, authorizer, transaction) is the real one;
this one is cheap, the same everywhere, and gives the same words everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from sqljury.execution import Execution, Status

MAX_LENGTH: Final = 1_000_000
"""Longest statement in characters: SQLite's own advice for untrusted SQL is a tenth of it."""

_QUERIES = frozenset({"SELECT", "WITH", "VALUES"})
_ALSO_QUERIES = {
    "duckdb": frozenset({"FROM", "TABLE", "PIVOT", "UNPIVOT"}),
    "postgres": frozenset({"TABLE"}),
    "mysql": frozenset({"TABLE"}),
}
# Words that begin a statement which is not a query, in any of the engines. Any other word
# is prose or a typing error: an error of the prediction, not an attempt to do something.
_COMMANDS = frozenset(
    re.findall(
        r"\w+",
        """
        ALTER ANALYZE ATTACH BACKUP BEGIN BINLOG CALL CHANGE CHECKPOINT CHECKSUM CLONE CLUSTER
        COMMENT COMMIT COPY CREATE DEALLOCATE DECLARE DELETE DESC DESCRIBE DETACH DISCARD DO DROP
        END EXEC EXECUTE EXPLAIN EXPORT FETCH FLUSH GRANT HANDLER IMPORT INSERT INSTALL KILL
        LISTEN LOAD LOCK MERGE NOTIFY OPTIMIZE PIVOT PRAGMA PREPARE PURGE REFRESH REINDEX RELEASE
        RENAME REPAIR REPLACE RESET REVOKE ROLLBACK SAVEPOINT SET SHOW SHUTDOWN SIGNAL START STOP
        SUMMARIZE TRUNCATE UNINSTALL UNLISTEN UNLOCK UNPIVOT UPDATE USE VACUUM XA
        """,
    )
)

_SURROGATE = re.compile("[\ud800-\udfff]")
_HEAD = re.compile(r"[\s(]*([^\W\d]\w*)?")

# What may hide a semicolon or a quote, per dialect; a doubled quote is two strings side by
# side. An unterminated one runs to the end of the text, and the engine will say so.
_QUOTED = r"""'[^']*(?:'|\Z)|"[^"]*(?:"|\Z)"""
_ESCAPED = r"""'(?:[^'\\]|\\.)*(?:'|\Z)|"(?:[^"\\]|\\.)*(?:"|\Z)"""
_DASHES = r"--[^\n]*"
_COMMENT = r"/\*.*?(?:\*/|\Z)"
# To PostgreSQL every character beyond ASCII is part of a name.
_NOT_IN_NAME = r"(?<![\w$\x80-\U0010ffff])"
_DOLLARS = (
    rf"{_NOT_IN_NAME}\$(?P<tag>(?:[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)?)\$"
    r".*?(?:\$(?P=tag)\$|\Z)"
)
# A string in the next line continues it, backslashes and all.
_E_STRING = (
    rf"{_NOT_IN_NAME}[eE]'(?:[^'\\]|\\.)*(?:'|\Z)"
    r"(?:(?:\s|--[^\n]*\n)*'(?:[^'\\]|\\.)*(?:'|\Z))*"
)
_PLAIN = rf"{_QUOTED}|{_DASHES}|{_COMMENT}|;"
_POSTGRES = rf"{_E_STRING}|{_QUOTED}|{_DOLLARS}|{_DASHES}|/\*|;"
_MYSQL = rf"{_ESCAPED}|`[^`]*(?:`|\Z)|--(?=[\s\x00]|\Z)[^\n]*|\#[^\n]*|{_COMMENT}|;"
_TOKENS = {
    dialect: re.compile(pattern, re.DOTALL)
    for dialect, pattern in {
        "": _PLAIN,
        "sqlite": rf"`[^`]*(?:`|\Z)|\[[^\]]*(?:\]|\Z)|{_PLAIN}",
        "duckdb": _POSTGRES,
        "postgres": _POSTGRES,
        "mysql": _MYSQL,
    }.items()
}
_NESTED = re.compile(r"/\*|\*/")


def admit(sql: str, dialect: str) -> str | Execution:
    """The one query in ``sql``, ready to be run, or the outcome of not running it.

    Trailing semicolons and comments after them are cut off. Text that is no statement at all
    (nothing, only comments, prose) is an error; what is not a single query is refused.

    >>> admit("SELECT 1; -- done", "sqlite")
    'SELECT 1'
    >>> admit("DROP TABLE t", "sqlite").message
    'DROP is not a query'
    """
    if len(sql) > MAX_LENGTH:
        return _error(f"the statement is too long: {len(sql)} characters, limit {MAX_LENGTH}")
    if not sql.isascii() and _SURROGATE.search(sql):
        return _error("the statement is not valid Unicode: half of a surrogate pair")
    head = _HEAD.match(sql)
    word = head[1].upper() if head and head[1] else ""
    text = sql.rstrip("; \n")
    if word in _QUERIES and ";" not in text and (dialect != "mysql" or "/*" not in text):
        return text  # nearly all real queries
    return _admit_scanned(sql, dialect)


def _admit_scanned(sql: str, dialect: str) -> str | Execution:
    statements = _statements(sql, dialect)
    if statements is None:
        return _refused("a comment that the server would execute")
    if len(statements) > 1:
        return _refused("more than one statement")
    if not statements:
        return _error("the statement is empty")
    text, bare = statements[0]
    head = _HEAD.match(bare)
    word = head[1].upper() if head and head[1] else ""
    if word in _QUERIES or word in _ALSO_QUERIES.get(dialect, ()):
        return text
    if word in _COMMANDS:
        return _refused(f"{word} is not a query")
    return _error(f"syntax error: a query cannot begin with {bare.lstrip()[:20]!r}")


def _statements(sql: str, dialect: str) -> list[tuple[str, str]] | None:
    """Every statement with its text and its text without comments.

    None where a comment holds code: MySQL runs what stands in ``/*! … */``.
    """
    found: list[tuple[str, str]] = []
    bare: list[str] = []
    begin = plain = 0
    for token, start, end in _tokens(sql, dialect):
        if dialect == "mysql" and token.startswith(("/*!", "/*M!")):
            return None
        if token == ";":
            bare.append(sql[plain:start])
            found.append((sql[begin:start].strip(), "".join(bare)))
            bare, begin, plain = [], end, end
        elif token.startswith(("--", "/*", "#")):
            bare += (sql[plain:start], " ")
            plain = end
    bare.append(sql[plain:])
    found.append((sql[begin:].strip(), "".join(bare)))
    return [statement for statement in found if statement[1].strip()]


def without_strings(sql: str, dialect: str) -> str:
    """The text with a space for every string and comment; names in quotes stay.

    >>> without_strings("SELECT 'a' AS b -- c", "postgres")
    'SELECT   AS b  '
    """
    bare: list[str] = []
    plain = 0
    for token, start, end in _tokens(sql, dialect):
        if token[0] not in _NAME_QUOTES.get(dialect, '";'):
            bare += (sql[plain:start], " ")
            plain = end
    return "".join([*bare, sql[plain:]])


_NAME_QUOTES = {"mysql": "`;", "sqlite": '"`[;'}


def _tokens(sql: str, dialect: str) -> Iterator[tuple[str, int, int]]:
    """Strings, quoted names, comments and semicolons, with where they begin and end."""
    tokens = _TOKENS.get(dialect, _TOKENS[""])
    match = tokens.search(sql)
    while match:
        token, end = match[0], match.end()
        if token == "/*":
            end = _end_of_nested_comment(sql, end)
        yield token, match.start(), end
        match = tokens.search(sql, end)


def _end_of_nested_comment(sql: str, position: int) -> int:
    """Comments nest in PostgreSQL and DuckDB."""
    depth = 1
    for match in _NESTED.finditer(sql, position):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    return len(sql)


def _error(message: str) -> Execution:
    return Execution(Status.ERROR, message=message)


def _refused(message: str) -> Execution:
    return Execution(Status.REFUSED, message=message)
