"""SQL scripts: queries that end in a semicolon and may go over several lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_PARTS = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | `[^`]*` | --[^\n]* | /\*.*?\*/
    | [();\n] | [^'"`\-/();\n]+ | .""",
    re.VERBOSE | re.DOTALL,
)
_QUERY = re.compile(r"\(*\s*(select|with|values)\b", re.IGNORECASE)
_LEADS = re.compile(r"(\b(union|intersect|except|minus|all|distinct|as)|\()\s*$", re.IGNORECASE)
_LEADS_AFTER_TABLES = re.compile(_LEADS.pattern.replace("|\\(", "|[()]"), re.IGNORECASE)
"""The query of WITH comes after the bracket of its last table."""
_LOOKED_BACK = 200


class Statement(NamedTuple):
    """One statement, without its semicolon and the comments before it."""

    text: str
    line: int
    """Where it begins, from 1."""


def statements_of(text: str) -> list[Statement] | None:
    """The statements of a script; None where the text is one query a line, or may be.

    A script has a statement over several lines, and each statement is a query. A line that begins
    another query inside of one could as well be the next query of a file with one a line: then it
    is no script.
    """
    if ";" not in text or not _has_continued_line(text):
        return None
    found = list(_split(text))
    if any(_QUERY.match(one.text) is None or _holds_another(one.text) for one in found):
        return None
    return found


def _has_continued_line(text: str) -> bool:
    lines = (line.strip() for line in text.splitlines())
    return any(line and not line.startswith("--") and _QUERY.match(line) is None for line in lines)


def _split(text: str) -> Iterator[Statement]:
    parts: list[str] = []
    line = begins = 1
    for found in _PARTS.finditer(text):
        part = found.group()
        if part == ";":
            if sql := "".join(parts).strip():
                yield Statement(sql, begins)
            parts = []
        elif parts or not (part.isspace() or part.startswith(("--", "/*"))):
            begins = begins if parts else line
            parts.append(part)
        line += part.count("\n")
    if sql := "".join(parts).strip():
        yield Statement(sql, begins)


def _holds_another(sql: str) -> bool:
    """Whether a line outside of brackets begins a query that the text before does not lead to."""
    leads = _LEADS_AFTER_TABLES if sql.lower().startswith("with") else _LEADS
    depth, before = 0, ""
    for found in _PARTS.finditer(sql):
        part = found.group()
        begins = depth == 0 and before.endswith("\n") and _QUERY.match(part.lstrip())
        if begins and not leads.search(before):
            return True
        depth += (part == "(") - (part == ")")
        if not part.startswith(("--", "/*")):
            before = f"{before}{part}"[-_LOOKED_BACK:]
    return False
