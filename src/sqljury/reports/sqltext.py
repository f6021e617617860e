"""Two queries side by side, formatted alike, with the tokens that differ marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from sqljury.reports.words import visible
from sqljury.sql.tokens import parse

Segments = tuple[str, ...]
"""A line as alternating pieces: plain, marked, plain, …"""

_MOST_FORMATTED = 20_000
"""In characters; longer queries are not formatted."""
_MOST_COMPARED = 1_500
"""In lines or tokens; longer queries are not compared, as that takes quadratic time."""

_TOKEN = re.compile(
    r"'(?:[^']|'')*'?"  # a string
    r'|"(?:[^"]|"")*"?|`[^`]*`?|\[[^\]\n]*\]'  # a quoted name
    r"|--[^\n]*|/\*.*?(?:\*/|$)"  # a comment
    r"|[^\W\d]\w*|\d[\w.]*"  # a word, a number
    r"|<>|[<>!=|]=|\|\||::|\s+|.",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of the left query next to its counterpart on the right; None for no counterpart."""

    left: Segments | None
    right: Segments | None

    @property
    def differs(self) -> bool:
        """True if either side has a marked piece or no counterpart."""
        sides = (self.left, self.right)
        return None in sides or any(side is not None and len(side) > 1 for side in sides)


_RENAMED = re.compile(r"\s*(AS\s+\w+|\w+\.|ASC)?\s*", re.IGNORECASE)


def only_renamed(left: Segments | None, right: Segments | None) -> bool:
    """True if two lines differ only in names of tables, or in what is the default.

    >>> only_renamed(("FROM boat ", "AS T1"), ("FROM boat",))
    True
    """
    return all(
        side is not None and all(_RENAMED.fullmatch(text) for text in side[1::2])
        for side in (left, right)
    )


def formatted(sql: str) -> str:
    """The query with a line per clause; the text itself if it cannot be parsed.

    >>> print(formatted("select a from t where b=1"))
    SELECT
      a
    FROM t
    WHERE
      b = 1
    """
    text = sql.replace("\r\n", "\n").strip()
    if len(text) > _MOST_FORMATTED:
        return text
    if not _QUERY.match(text):
        return text
    # The report does not know the engine. SQLite reads quotes as the standard does; the other
    # dialects are tried for queries that it cannot parse.
    for dialect in ("sqlite", "postgres", "mysql"):
        tree = parse(text, dialect)
        if tree is not None:
            try:
                return tree.sql(dialect=dialect, pretty=True, normalize_functions=False)
            except (ValueError, RecursionError):
                return text
    return text


_QUERY = re.compile(r"(?>[\s(]|--[^\n]*\n|/\*.*?\*/)*+(?:select|with|values)\b", re.I | re.S)
"""Matches queries. sqlglot parses any other statement as a command and logs a warning."""


def compared(reference: str, prediction: str) -> list[DiffLine]:
    """Both queries formatted, with control characters made visible, and aligned."""
    left, right = (visible(formatted(sql)) for sql in (reference, prediction))
    return side_by_side(left, right)


def side_by_side(left: str, right: str) -> list[DiffLine]:
    """Align the lines of two texts and mark the tokens that differ.

    Spaces do not count, nor does case outside of quoted texts.

    >>> side_by_side("a = 1", "A = 2")
    [DiffLine(left=('a = ', '1'), right=('A = ', '2'))]
    """
    a, b = left.split("\n"), right.split("\n")
    if max(len(a), len(b)) > _MOST_COMPARED:
        return list(_paired([(line,) for line in a], [(line,) for line in b]))
    matcher = SequenceMatcher(None, _line_keys(a), _line_keys(b), autojunk=False)
    lines: list[DiffLine] = []
    for operation, i, j, k, m in matcher.get_opcodes():
        if operation == "equal":
            lines.extend(_paired([(line,) for line in a[i:j]], [(line,) for line in b[k:m]]))
        else:
            lines.extend(_paired(*_marked(a[i:j], b[k:m])))
    return lines


def _line_keys(lines: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(_key(token) for token in _TOKEN.findall(line) if token.strip()) for line in lines]


def _key(token: str) -> str:
    return token if token.startswith("'") else token.casefold()


def _paired(left: Sequence[Segments], right: Sequence[Segments]) -> Iterator[DiffLine]:
    for i in range(max(len(left), len(right))):
        yield DiffLine(
            left[i] if i < len(left) else None,
            right[i] if i < len(right) else None,
        )


def _marked(left: list[str], right: list[str]) -> tuple[list[Segments], list[Segments]]:
    """The lines of a block that differs, with the tokens marked that differ within the block."""
    if not left or not right:
        return [_all_marked(line) for line in left], [_all_marked(line) for line in right]
    a, b = _TOKEN.findall("\n".join(left)), _TOKEN.findall("\n".join(right))
    if max(len(a), len(b)) > _MOST_COMPARED:
        return [_all_marked(line) for line in left], [_all_marked(line) for line in right]
    solid_a = [i for i, token in enumerate(a) if token.strip()]
    solid_b = [i for i, token in enumerate(b) if token.strip()]
    matcher = SequenceMatcher(
        None, [_key(a[i]) for i in solid_a], [_key(b[i]) for i in solid_b], autojunk=False
    )
    same_a: set[int] = set()
    same_b: set[int] = set()
    for block in matcher.get_matching_blocks():
        same_a.update(solid_a[block.a : block.a + block.size])
        same_b.update(solid_b[block.b : block.b + block.size])
    return _lines(a, same_a), _lines(b, same_b)


def _all_marked(line: str) -> Segments:
    rest = line.lstrip()
    return (line[: len(line) - len(rest)], rest)


def _lines(tokens: list[str], same: set[int]) -> list[Segments]:
    """The tokens as lines; a space is marked if the tokens before and after it are."""
    marks = [token.strip() != "" and i not in same for i, token in enumerate(tokens)]
    for i in range(1, len(tokens) - 1):
        if tokens[i].isspace() and "\n" not in tokens[i]:
            marks[i] = marks[i - 1] and marks[i + 1]
    lines: list[list[str]] = [[""]]
    for token, mark in zip(tokens, marks, strict=True):
        first, *more = token.split("\n")
        _append(lines[-1], first, mark)
        for part in more:
            lines.append([""])
            _append(lines[-1], part, mark)
    return [tuple(line) for line in lines]


def _append(line: list[str], text: str, mark: bool) -> None:
    if not text:
        return
    if (len(line) % 2 == 0) == mark:
        line[-1] += text
    else:
        line.append(text)
