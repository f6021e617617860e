"""What a model writes to say that a question cannot be answered."""

from __future__ import annotations

import re
from typing import Final

NOT_ANSWERABLE: Final = "not_answerable"
"""The word that prompts ask for."""

IN_WORDS: Final = "in words"

_TOKEN = r"not[ _-]?answerable|unanswerable|null"
# A line that says nothing else: marks around it, and a name before it, are no matter.
_LINE = re.compile(
    rf"^[^\w\n]*(?:(?:final[ \t]+)?(?:answer|sql(?:[ \t]+query)?|query|output)[^\w\n]*)?"
    rf"({_TOKEN})[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_WORDS = re.compile(
    r"not[ _-]?answerable|\bunanswerable\b|\b(?:cannot|can not|can['’]t) be answered\b",
    re.IGNORECASE,
)
# Prose that begins with "With" or "Values" is no query.
_QUERY = re.compile(
    r"^[ \t]*(?:select\b|values\s*\("
    r"|with\s+(?:recursive\s+)?(?:\w+|\"[^\"\n]*\"|`[^`\n]*`|\[[^\]\n]*\])\s*(?:\(|as\b))",
    re.IGNORECASE | re.MULTILINE,
)


def query_start(text: str) -> int | None:
    """Where the first line that begins as a query does; None where no line does.

    >>> query_start("So:\\nSELECT 1"), query_start("With this schema none can be written.")
    (4, None)
    """
    found = _QUERY.search(text)
    return None if found is None else found.start()


def declined_on_a_line(text: str) -> re.Match[str] | None:
    """The first line that is nothing but an abstention: ``Answer: not_answerable``, ``NULL``."""
    return _LINE.search(text)


def abstention_in(text: str) -> str | None:
    """How a text that holds no query abstains; None where it does not.

    ``not_answerable`` in any spelling, ``null``, or ``in words`` where a sentence says it.

    >>> abstention_in("Answer: `Not answerable.`"), abstention_in("NULL"), abstention_in("a")
    ('not_answerable', 'null', None)
    >>> abstention_in("With these tables the question cannot be answered.")
    'in words'
    """
    line = declined_on_a_line(text)
    if line is not None:
        return "null" if line[1].lower() == "null" else NOT_ANSWERABLE
    return IN_WORDS if _WORDS.search(text) else None
