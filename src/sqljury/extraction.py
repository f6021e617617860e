"""Extracts the SQL statement from a model's text, which may have thoughts, prose and fences."""

from __future__ import annotations

import re

from sqljury.declining import abstention_in, declined_on_a_line

_MOST = 200_000
"""How many characters, at the end of an answer, are searched for a statement."""

_NAME = r"(?:\"[^\"\n]*\"|`[^`\n]*`|\[[^\]\n]*\]|[\w.]+)"
_OBJECT = r"(?:or|if|temp|temporary|unique|virtual|table|view|index|trigger|schema|database|role)\b"
_COMMENT = r"--[^\n]*(?:\n|\Z)|/\*.*?(?:\*/|\Z)"
_QUERY = (
    rf"select\b|values\s*\(|with(?:\s|{_COMMENT})++(?:recursive\s+)?{_NAME}\s*(?:\([^()]*\)\s*)?"
    r"as\s*(?:(?:not\s+)?materialized\s*)?\("
)
_STATEMENT = (
    rf"(?:{_QUERY}|(?:insert|replace|merge)\s+(?:or\s+\w+\s+)?into\b|delete\s+from\b"
    rf"|update\s+{_NAME}\s+set\b|(?:create|drop|alter)\s+{_OBJECT}|truncate\s+table\b"
    r"|attach\s+(?:database\b|')|pragma\s+\w|vacuum\b|explain\s+(?:query\b|analyze\b|select\b)"
    r"|(?-i:FROM|TABLE|DESCRIBE|SHOW|SUMMARIZE|PIVOT|COPY|SET|CALL|EXPLAIN|BEGIN|ATTACH|DETACH)\s)"
)

# A text that begins with SQL: only what comes after the statement can be prose.
_BEGINS = re.compile(
    rf"(?:\s|\(|{_COMMENT})*+(?P<word>(?=(?P<sql>{_STATEMENT}))\w+)", re.IGNORECASE | re.DOTALL
)
_IS_QUERY = re.compile(rf"(?:\s|\(|{_COMMENT})*+(?:{_QUERY})", re.IGNORECASE | re.DOTALL)
# A statement at the beginning of a line, or on a line after a colon.
_IN_PROSE = re.compile(
    rf"^(?:[^\n]{{0,200}}:)?[ \t*]*(?P<tick>`?)(?P<sql>\(*(?P<word>(?={_STATEMENT})\w+))",
    re.IGNORECASE | re.MULTILINE,
)
_CODE = re.compile(rf"(?<!`)`(?=(?:{_QUERY}))([^`\n]+)`(?!`)", re.IGNORECASE)

_OPEN = re.compile(
    r"```[ \t]*(?:(?P<mark>\w+)[ \t]+)?(?=(?:select|with)\b)|```[ \t]*(?P<word>\w*)[^\n`]*\n",
    re.IGNORECASE,
)
_CLOSE = re.compile(r"```|^[ \t]*```|'[^'\n]*'|\"[^\"\n]*\"|--[^\n`]*", re.MULTILINE)
_DIALECT = re.compile(
    r"sql|sqlite3?|postgres(?:ql)?|pgsql|psql|mysql|mariadb|duckdb|[tp]l?sql|bigquery|snowflake|oracle"
)

# The places where prose may begin after a statement; quoted texts and comments are skipped.
_PARTS = re.compile(
    rf"'(?:[^']++|'')*+(?:'|\Z)|\"[^\"]*+(?:\"|\Z)|{_COMMENT}|(?P<fence>```)|`[^`\n]*`"
    r"|(?P<end>;)\s*|(?P<gap>\n[ \t]*\n)\s*|(?P<title>\n)(?=[A-Z][a-z]+(?: \w+){0,3}:(?!:))|[()]",
    re.DOTALL,
)
_SUSPECT = re.compile(r"```|;\s*\S|\n[ \t]*\n|\n[A-Z][a-z]+(?: \w+){0,3}:")
_CLAUSES = (
    "select|from|where|group|order|having|limit|offset|union|intersect|except|join|left|right|inner"
    "|outer|cross|full|natural|on|using|and|or|not|in|as|case|when|then|else|end|with|values|window"
    "|fetch|between|like|is|qualify|exists"
)
_GOES_ON = re.compile(rf"(?:--|/\*|[,()=<>+/%|'\"\[`]|(?-i:{_CLAUSES}|{_CLAUSES.upper()})\b|\Z)")
_EXPECTS_MORE = re.compile(rf"(?:[,(=<>+/%|*-]|\b(?:{_CLAUSES}|by|distinct|all))$", re.I)

# Local servers leave a reasoning model's thoughts in the text, often without the opening tag.
_THINKS = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
_THOUGHT = re.compile(r"(?<=[\s(=,])'[^'\n]*'|(?P<tag></think(?:ing)?>)", re.IGNORECASE)


def statement_in(text: str) -> str:
    """The statement in a prediction, without the prose before and after; else the text unchanged.

    A text that begins with SQL loses only prose, or a code fence, that comes after the statement.
    Prose without a statement stays as it is, and so does an abstention in words.

    >>> statement_in("Here is the SQL:\\n```sql\\nSELECT 1;\\n```"), statement_in("SELECT 1;")
    ('SELECT 1', 'SELECT 1;')
    """
    if not _SUSPECT.search(text) and _plain(text, has_more=False) is not None:
        return text
    found = sql_in(text)
    return text if not found or found == _clean(text) else found


def sql_in(text: str) -> str | None:
    """The statement in a model's answer; "" if there is none, None if the model abstains.

    A model's thoughts are skipped. Of several fenced blocks it is the last that is marked as SQL
    and has a query, else the last marked one, else the last without a mark that has a query.
    Without blocks it is the first statement at the beginning of a line or after a colon, up to a
    semicolon or an empty line that no SQL follows.

    >>> sql_in("It is the name.\\n```sql\\nSELECT name FROM boat;\\n```")
    'SELECT name FROM boat'
    >>> sql_in("Answer: not_answerable") is None
    True
    """
    if (sql := _plain(text)) is not None:
        return _clean(sql)
    said = without_thoughts(text)[-_MOST:]
    if (block := _block_in(said)) is not None:
        return None if not _IS_QUERY.match(block) and abstention_in(block) else _clean(block)
    sql = _in_prose(said)
    return None if sql is None else _clean(sql)


def without_thoughts(text: str) -> str:
    """The text after the model's thoughts; all of it if there are none.

    Empty if the thoughts begin and do not end.

    >>> without_thoughts("Hm. 2, then.</think>2")
    '2'
    """
    opened = _THINKS.match(text)
    ends = (found for found in _THOUGHT.finditer(text) if found["tag"])
    end = next(ends, None)
    if end is None:
        return "" if opened else text
    return text[end.end() :]


def _plain(text: str, *, has_more: bool = True) -> str | None:
    """The statement of a text that begins with SQL, without the prose after it; else None.

    Args:
        has_more: prose may come after the statement.
    """
    begins = _BEGINS.match(text)
    if begins is None or not _is_written_as_sql(begins):
        return None
    start = begins.start("sql")
    sql = text[: _end(text, start)] if has_more else text
    # A model may repeat the SELECT at a prompt's end and then write a block: the block counts.
    return None if sql[start:].strip() == begins["word"] else sql


def _is_written_as_sql(found: re.Match[str]) -> bool:
    """True if the first word is all upper or all lower case; `Select` begins a sentence."""
    return found["word"].isupper() or found["word"].islower()


def _block_in(text: str) -> str | None:
    """The fenced block with the answer; None if there is none."""
    marked, unmarked = [], []
    at = 0
    while opened := _OPEN.search(text, at):
        body, at = _body(text, opened.end())
        mark = (opened["mark"] or opened["word"] or "").lower()
        if _DIALECT.fullmatch(mark):
            marked.append(body)
        elif not mark and _IS_QUERY.match(body):
            unmarked.append(body)
    answers = [one for one in marked if _IS_QUERY.match(one) or abstention_in(one)]
    return next(reversed(answers or marked or unmarked), None)


def _body(text: str, start: int) -> tuple[str, int]:
    """A block's text from its first character, and the place after it; it may lack its end."""
    for found in _CLOSE.finditer(text, start):
        if found.group().endswith("```"):
            return text[start : found.start()], found.end()
    return text[start:], len(text)


def _in_prose(text: str) -> str | None:
    """The first statement at the beginning of a line or after a colon, else one in inline code.

    None if the model abstains on a line before it, or anywhere in a text without a statement; ""
    if there is neither.
    """
    found = list(_IN_PROSE.finditer(text))
    first = next(filter(_is_written_as_sql, found), found[0] if found else None)
    declined = declined_on_a_line(text)
    if declined is not None and (first is None or declined.start() < first.start("sql")):
        return None
    if first is None:
        codes = _CODE.findall(text)
        return codes[-1] if codes else None if abstention_in(text) else ""
    start = first.start("sql")
    if first["tick"]:
        line = text[start:].split("\n", 1)[0]
        return line.rpartition("`")[0] or line
    sql = text[start : _end(text, start)]
    return "" if sql.strip() == first["word"] else sql


def _end(text: str, start: int) -> int:
    """The place where prose follows the statements that begin at ``start``; else the text's end."""
    depth = 0
    for found in _PARTS.finditer(text, start):
        part = found.group()
        depth += (part == "(") - (part == ")")
        if found["fence"]:
            return found.start()
        if found["end"] and not _is_sql_or_nothing(text, found.end()):
            return found.start()
        if depth <= 0 and (found["title"] or (found["gap"] and _is_prose(text, found))):
            return found.start()
    return len(text)


def _is_sql_or_nothing(text: str, at: int) -> bool:
    return (
        at == len(text)
        or text[at] == ";"
        or bool(_BEGINS.match(text, at) or _COMMAND.match(text, at) or _REST.match(text, at))
    )


def _is_prose(text: str, gap: re.Match[str]) -> bool:
    before = text[max(0, gap.start() - 20) : gap.start()].rstrip()
    at = gap.end()
    return not (_EXPECTS_MORE.search(before) or _GOES_ON.match(text, at) or _BEGINS.match(text, at))


_REST = re.compile(rf"(?:\s|{_COMMENT})+\Z", re.DOTALL)
_SURE = "commit|rollback|savepoint|grant|revoke|truncate|reindex|deallocate|exec|execute|kill"
_UNSURE = (
    "use|set|reset|do|load|lock|unlock|listen|notify|prepare|declare|fetch|rename|drop|create|alter"
    "|insert|replace|delete|update|call|copy|import|export|install|flush|handler|begin|analyze"
    "|vacuum|attach|detach|pragma|checkpoint|release|shutdown|purge|xa"
)
_COMMAND = re.compile(
    rf"(?:\s|{_COMMENT})*+(?:(?:{_SURE}|{_SURE.upper()}|{_UNSURE.upper()})\b|(?:{_UNSURE})\b[^.\n]*;\s*\Z)",
    re.DOTALL,
)
"""What is a statement, not prose, behind a semicolon. The words of ``_UNSURE`` in lower case also
begin sentences: they count if a semicolon ends the text."""


def _clean(text: str) -> str:
    return text.strip().rstrip(";").rstrip()
