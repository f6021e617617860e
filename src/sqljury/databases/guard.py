"""Rebuilds a statement from the tokens that were checked, so that exactly these are sent.

Engines disagree about comments and white space: a carriage return ends a ``--`` comment only on
PostgreSQL and DuckDB; a no-break space is white space on DuckDB and part of a name elsewhere. So
comments never reach an engine; outside quotes, no control characters do, and the only white space
is space, tab and newline. How an engine reads quoted text is fixed for its session, and known here.
The engine's own protection (read-only connection, authorizer, transaction) comes after this.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from sqljury.execution import Execution, Status

MAX_LENGTH = 1_000_000
"""Longest statement in characters; SQLite recommends a tenth of it for untrusted SQL."""

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
        ALTER ANALYZE ASSERT ATTACH BACKUP BEGIN BINLOG BULK CACHE CALL CANCEL CHANGE CHECKPOINT
        CHECKSUM CLONE CLUSTER COMMENT COMMIT COPY CREATE DEALLOCATE DECLARE DELETE DESC
        DESCRIBE DETACH DISCARD DO DROP END EXEC EXECUTE EXPLAIN EXPORT FETCH FLUSH GRANT
        HANDLER IMPORT INSERT INSTALL KILL LIST LISTEN LOAD LOCK MERGE NOTIFY OPTIMIZE PIVOT
        PRAGMA PREPARE PURGE PUT REFRESH REINDEX RELEASE RENAME REPAIR REPLACE RESET REVOKE
        ROLLBACK SAVEPOINT SET SHOW SHUTDOWN SIGNAL START STOP SUMMARIZE TRUNCATE UNDROP
        UNINSTALL UNLISTEN UNLOAD UNLOCK UNPIVOT UPDATE USE VACUUM WAITFOR XA
        """,
    )
)

_SURROGATE = re.compile("[\ud800-\udfff]")
_HEAD = re.compile(r"[\s(]*([^\W\d]\w*)?")

# ---------------------------------------------------------------- tokens

_IN_COMMENT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029]")

# A doubled quote inside a text is read as two texts side by side.
_SINGLE, _DOUBLE, _BACKTICK = r"'[^']*'", r'"[^"]*"', r"`[^`]*`"
_ESCAPED_SINGLE, _ESCAPED_DOUBLE = r"'(?:[^'\\]|\\.)*+'", r'"(?:[^"\\]|\\.)*+"'
_TRIPLE = r"'''(?:[^\\]|\\.)*?'''|\"\"\"(?:[^\\]|\\.)*?\"\"\""
_E_TEXT = r"'(?:[^'\\]|\\.|'')*+'"
_DOLLARS = r"\$(?P<tag>(?:[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)?)\$.*?\$(?P=tag)\$"
_OPEN_DOLLARS = r"\$(?:[A-Za-z_\x80-\U0010ffff][\w\x80-\U0010ffff]*)?\$"
# In PostgreSQL a string on the next line continues an E'…', with its escapes. If a comment is
# between the two, removing it would change how the second one is read.
_CONTINUED = rf"(?>[eE]{_E_TEXT}(?:[ \t\r\n]*{_E_TEXT})*+)"
_BEHIND_COMMENT = rf"{_CONTINUED}(?=(?:[ \t\r\n]|--[^\n\r]*+)*+')"
_DASHES = r"--[^\n]*"
_BLOCK = r"/\*.*?\*/"
_NESTED = re.compile(r"/\*|\*/")


def _pattern(
    *,
    string: str,
    name: str,
    comment: str,
    opened: str,
    first: str = "(?!)",
    prefix: str = "[eE]'",
) -> str:
    """The regular expression of all tokens of a dialect; every character belongs to a token.

    Args:
        opened: the start of a quoted text or comment that does not end.
        first: text that is always refused.
        prefix: a letter that belongs to the quoted text behind it.
    """
    kinds = {
        "space": r"[ \t\n]+",
        "word": (rf"\d(?:(?!{prefix})\w)*|(?!{prefix})[\w\x80-\U0010ffff][\w$\x80-\U0010ffff]*"),
        "signs": "[(),.=<>*+%|&!?:@~^{}]+",
        "odd": first,
        "string": string,
        "name": name,
        "comment": comment,
        "opened": opened,
        "return": r"\r\n?",
        "end": ";",
        "control": r"[\x00-\x1f\x7f]",
        "other": ".",
    }
    return "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in kinds.items())


def _mysql(single: str, double: str, *, ansi: bool) -> str:
    names = rf"{_BACKTICK}|{double}" if ansi else _BACKTICK
    return _pattern(
        string=single if ansi else rf"{single}|{double}",
        name=names,
        # ``--`` without white space behind it is two minus signs.
        comment=rf"--(?=[ \t\r\n]|\Z)[^\n]*|\#[^\n]*|{_BLOCK}",
        opened=r"""['"`]|/\*""",
    )


_PATTERNS = {
    "sqlite": _pattern(
        string=_SINGLE,
        name=rf"{_DOUBLE}|{_BACKTICK}|\[[^\]]*\]",
        comment=rf"{_DASHES}|/\*.*?(?:\*/|\Z)",
        opened=r"""['"`\[]""",
    ),
    "duckdb": _pattern(
        string=rf"[eE]{_E_TEXT}|{_SINGLE}|{_DOLLARS}",
        name=rf"{_DOUBLE}|{_BACKTICK}",
        comment=rf"{_DASHES}|/\*",
        opened=rf"""[eE]'|['"`]|{_OPEN_DOLLARS}""",
    ),
    "postgres": _pattern(
        string=rf"{_CONTINUED}|{_SINGLE}|{_DOLLARS}",
        name=_DOUBLE,
        comment=rf"{_DASHES}|/\*",
        opened=rf"""[eE]'|['"]|{_OPEN_DOLLARS}""",
        first=_BEHIND_COMMENT,
    ),
    "mysql": _mysql(_ESCAPED_SINGLE, _ESCAPED_DOUBLE, ansi=False),
    "mysql ANSI_QUOTES": _mysql(_ESCAPED_SINGLE, _DOUBLE, ansi=True),
    "mysql NO_BACKSLASH_ESCAPES": _mysql(_SINGLE, _DOUBLE, ansi=False),
    "mysql ANSI_QUOTES NO_BACKSLASH_ESCAPES": _mysql(_SINGLE, _DOUBLE, ansi=True),
    "snowflake": _pattern(
        string=rf"{_ESCAPED_SINGLE}|\$\$.*?\$\$",
        name=_DOUBLE,
        comment=rf"{_DASHES}|//[^\n]*|{_BLOCK}",
        opened=r"""['"]|\$\$|/\*""",
    ),
    "bigquery": _pattern(
        string=rf"{_TRIPLE}|{_ESCAPED_SINGLE}|{_ESCAPED_DOUBLE}",
        name=r"`(?:[^`\\]|\\.)*+`",
        comment=rf"{_DASHES}|\#[^\n]*|{_BLOCK}",
        opened=r"""['"`]|/\*""",
    ),
    "databricks": _pattern(
        # In a raw text (r'…') a backslash escapes nothing.
        string=rf"[rR](?:{_SINGLE}|{_DOUBLE})|{_ESCAPED_SINGLE}|{_ESCAPED_DOUBLE}",
        name=_BACKTICK,
        comment=rf"{_DASHES}|/\*",
        opened=r"""[rR]?['"]|`""",
        prefix="[rR]['\"]",
    ),
    "trino": _pattern(
        string=_SINGLE,
        name=_DOUBLE,
        comment=rf"{_DASHES}|{_BLOCK}",
        opened=r"""['"]|/\*""",
    ),
    "tsql": _pattern(
        string=_SINGLE,
        name=rf"{_DOUBLE}|\[(?:[^\]]|\]\])*+\]",
        comment=rf"{_DASHES}|/\*",
        opened=r"""['"\[]""",
    ),
}
_PATTERNS["redshift"] = _PATTERNS["postgres"]
_ANY_DIALECT = ("sqlite", "postgres", "mysql")
"""Text for any other engine must read the same in all of these."""


def mysql_dialect(sql_mode: str) -> str:
    """The name of the token rules for a session with this ``sql_mode``, as :func:`admit` takes
    it."""
    found = [m for m in ("ANSI_QUOTES", "NO_BACKSLASH_ESCAPES") if m in sql_mode.upper().split(",")]
    return " ".join(["mysql", *found])


@cache
def _token(dialect: str) -> re.Pattern[str]:
    """Matches one token; compiled on first use, because each takes some 4 ms."""
    return re.compile(_PATTERNS.get(dialect, _PATTERNS["sqlite"]), re.DOTALL)


def _tokens(sql: str, dialect: str) -> Iterator[tuple[str, str, int]]:
    """The kind of each token, its text, and its start position."""
    tokens = _token(dialect)
    position = 0
    while match := tokens.match(sql, position):
        kind, position = match.lastgroup or "", match.end()
        if match["comment"] == "/*":  # comments nest in PostgreSQL and DuckDB
            kind, position = "comment", _end_of_nested_comment(sql, position)
        if match["opened"] is not None or position < 0:
            kind, position = "opened", len(sql)
        yield kind, sql[match.start() : position], match.start()


def _end_of_nested_comment(sql: str, position: int) -> int:
    """The position after the comment, or -1 if it does not end."""
    depth = 1
    for match in _NESTED.finditer(sql, position):
        depth += 1 if match[0] == "/*" else -1
        if depth == 0:
            return match.end()
    return -1


# ---------------------------------------------------------------- admission


def admit(sql: str, dialect: str, *, pinned: bool = True) -> str | Execution:
    """The one query in ``sql`` as it is sent to the engine, or the outcome of refusing it.

    Comments become a space, every line end a newline; trailing semicolons are removed. Text that is
    no statement at all (empty, only comments, prose) is an error. Anything but a single query is
    refused, and so are characters outside quotes that engines read in different ways.

    Args:
        dialect: an engine's dialect, or :func:`mysql_dialect`.
        pinned: True if it is fixed how the session reads quotes. If false, or for an unknown
            dialect, text that the known engines read in different ways is refused.

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
    if (
        word in _QUERIES
        and _PLAIN.fullmatch(text)
        and not ("--" in text or "/*" in text or "#" in text or "//" in text)
    ):
        return text  # the path of nearly all real queries
    if pinned and dialect in _PATTERNS:
        return _admit_rebuilt(_rebuilt(sql, dialect), dialect)
    first, *others = (_rebuilt(sql, known) for known in _ANY_DIALECT)
    outcome = _admit_rebuilt(first, dialect)
    if isinstance(outcome, str) and any(other != first for other in others):
        return _refused(
            "a comment, a quote or a backslash that databases read in different ways: "
            "write comments as -- and a space, and quotes in a text as two"
        )
    return outcome


_PLAIN = re.compile(r"[ -:<-~\t\n]*")
"""Printable ASCII and white space, without a semicolon."""


_Rebuilt = tuple[list[str], Execution | None]
"""The statements of a text, and the first problem found in it."""


def _admit_rebuilt(rebuilt: _Rebuilt, dialect: str) -> str | Execution:
    statements, problem = rebuilt
    if len(statements) > 1:
        return _refused("more than one statement")
    if not statements:
        return problem or _error("the statement is empty")
    text = statements[0]
    head = _HEAD.match(text)
    word = head[1].upper() if head and head[1] else ""
    if word in _QUERIES or word in _ALSO_QUERIES.get(dialect.partition(" ")[0], ()):
        return problem or text
    if word in _COMMANDS:
        return _refused(f"{word} is not a query")
    return _error(f"syntax error: a query cannot begin with {text[:20]!r}")


def _rebuilt(sql: str, dialect: str) -> _Rebuilt:
    pieces: list[str] = []
    ends: list[int] = []
    problem: Execution | None = None
    for kind, token, start in _tokens(sql, dialect):
        found: Execution | None = None
        piece = token
        if kind == "comment":
            found, piece = _in_comment(sql, dialect, token, start), " "
        elif kind == "return":
            piece = "\n"
        elif kind == "end":
            ends.append(len(pieces))
            piece = " "
        elif kind == "control" or (kind == "word" and not token.isascii()):
            found, piece = _in_word(sql, token, start)
        elif kind in ("string", "name") and "\0" in token:
            found = _error(f"a NUL character {_place(sql, start + token.index(chr(0)))}")
        elif kind == "opened":
            what = "comment" if token.startswith("/*") else "quoted text"
            found = _error(f"syntax error: a {what} that does not end, {_place(sql, start)}")
        elif kind == "odd":
            found = _refused(f"a text that goes on behind a comment, {_place(sql, start)}")
        elif token == "-" and pieces and pieces[-1] in ("-", " -"):
            piece = " -"  # two minus signs in MySQL, a comment elsewhere
        problem = problem or found
        pieces.append(piece)
    parts = [pieces[a:b] for a, b in zip([0, *ends], [*ends, len(pieces)], strict=True)]
    return [text for part in parts if (text := "".join(part).strip(" \t\n"))], problem


def _in_comment(sql: str, dialect: str, comment: str, start: int) -> Execution | None:
    """Why a statement with this comment is refused, although the comment is not sent; else None."""
    if dialect.startswith("mysql") and comment.startswith(("/*!", "/*M!")):
        return _refused("a comment that the server would execute")
    if not comment.startswith("/*") and "\r" in (line := comment.rstrip("\r")):
        place = _place(sql, start + line.index("\r"))
        return _refused(
            f"a carriage return in a comment {place}, which ends it in some databases only: "
            "end lines with a newline"
        )
    if odd := _IN_COMMENT.search(comment):
        return _refused(_not_sent(sql, start + odd.start()))
    return None


def _in_word(sql: str, word: str, start: int) -> tuple[Execution | None, str]:
    """The refusal, if a word has control, format or space characters, or ones unknown to Unicode;
    and the word with spaces in their place."""
    odd = [i for i, c in enumerate(word) if unicodedata.category(c)[0] in "CZ"]
    if not odd:
        return None, word
    plain = "".join(" " if i in odd else c for i, c in enumerate(word))
    return _refused(_not_sent(sql, start + odd[0])), plain


def _not_sent(sql: str, position: int) -> str:
    character = sql[position]
    name = unicodedata.name(character, "a control character")
    advice = "write a plain space, or take it out"
    return f"U+{ord(character):04X} ({name}) {_place(sql, position)}: {advice}"


def _place(sql: str, position: int) -> str:
    line = sql.count("\n", 0, position) + 1
    return f"at line {line}, column {position - sql.rfind(chr(10), 0, position)}"


def without_strings(sql: str, dialect: str) -> str:
    """The text with each string and comment replaced by a space; quoted names stay.

    >>> without_strings("SELECT 'a' AS b -- c", "postgres")
    'SELECT   AS b  '
    """
    bare = (
        " " if kind in ("string", "comment") else token for kind, token, _ in _tokens(sql, dialect)
    )
    return "".join(bare)


def _error(message: str) -> Execution:
    return Execution(Status.ERROR, message=message)


def _refused(message: str) -> Execution:
    return Execution(Status.REFUSED, message=message)


# ------------------------------------------------------------
# Names that a statement must not contain: functions and tables beyond what a query needs.
#
# Every engine has its own list, mostly made from its catalog. The whole text is searched, strings
# too, so that no quoting can hide a name.

WORD = re.compile(r"[^\W\d]\w*")

GAP = r"(?:\s|--[^\n\r]*|\#[^\n\r]*|/\*.*?\*/)*"
"""What may be between two tokens (white space, comments); needs ``re.DOTALL``."""


def words_of(text: str) -> frozenset[str]:
    """All names in the text, in lower case."""
    return frozenset(WORD.findall(text.lower()))


@dataclass(frozen=True)
class ForbiddenNames:
    """Names that are refused, in lower case.

    Args:
        words: refused anywhere in the text.
        calls: refused only before an opening parenthesis: ordinary words that are good column
            names.
        beginnings: prefixes of refused names; a prefix also covers names that only an extension or
            a newer version has.
    """

    words: frozenset[str]
    calls: frozenset[str] = frozenset()
    beginnings: tuple[str, ...] = ()

    def found_in(self, sql: str, present: frozenset[str]) -> str:
        """The refused name, or an empty text.

        Args:
            present: the result of :func:`words_of` for the statement.
        """
        if found := self.words & present:
            return min(found)
        if self.beginnings:
            for name in present:
                if name.startswith(self.beginnings):
                    return name
        for name in sorted(self.calls & present):
            if re.search(rf'\b{name}["`]?{GAP}\(', sql, re.IGNORECASE | re.DOTALL):
                return name
        return ""


@dataclass(frozen=True)
class OddNames:
    """Names chosen by a database's owner: they may have any characters, and count outside strings
    only.

    Args:
        names: in lower case.
    """

    names: frozenset[str]

    def found_in(self, bare: str) -> str:
        """The refused name, or an empty text.

        Args:
            bare: the statement without its strings and comments.
        """
        lowered = bare.lower()
        present = frozenset(WORD.findall(lowered))
        plain = {name for name in self.names if WORD.fullmatch(name)}
        quoted = {name for name in self.names - plain if name.replace('"', '""') in lowered}
        return min((plain & present) | quoted, default="")


def allowing(names: str) -> frozenset[str]:
    """The set of the names in a text."""
    return frozenset(re.findall(r"\w+", names))


def lowered(names: Iterable[str]) -> frozenset[str]:
    """The names in lower case, as they are compared."""
    return frozenset(name.lower() for name in names)


def unread(dialect: str, error: Exception) -> Execution:
    """The outcome of a statement that sqlglot cannot read, and that is therefore not run."""
    words = str(error).partition("\n")[0]
    if isinstance(error, RecursionError):
        words = "nested too deeply"
    return Execution(Status.UNREAD, None, f"not run, as it cannot be read as {dialect}: {words}")
