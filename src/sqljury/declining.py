"""Recognises abstentions in what a model wrote."""

from __future__ import annotations

import re
from typing import Final

NOT_ANSWERABLE: Final = "not_answerable"
"""The word that prompts tell a model to write if a question cannot be answered."""

IN_WORDS: Final = "in words"

_TOKEN = r"not[ _-]?answerable|unanswerable|null"
# A line with nothing but the token, punctuation around it, and a label such as "Answer:".
_LINE = re.compile(
    rf"^[^\w\n]*(?:(?:final[ \t]+)?(?:answer|sql(?:[ \t]+query)?|query|output)[^\w\n]*)?"
    rf"({_TOKEN})[^\w\n]*$",
    re.IGNORECASE | re.MULTILINE,
)
_WORDS = re.compile(
    r"not[ _-]?answerable|\bunanswerable\b|\b(?:cannot|can not|can['’]t) be answered\b",
    re.IGNORECASE,
)


def declined_on_a_line(text: str) -> re.Match[str] | None:
    """The first line that is nothing but an abstention: ``Answer: not_answerable``, ``NULL``."""
    return _LINE.search(text)


def abstention_in(text: str) -> str | None:
    """The way in which a text without a query abstains; None if it does not.

    It is ``not_answerable`` for any spelling of that, ``null``, or ``in words`` for a sentence.

    >>> abstention_in("Answer: `Not answerable.`"), abstention_in("NULL"), abstention_in("a")
    ('not_answerable', 'null', None)
    >>> abstention_in("With these tables the question cannot be answered.")
    'in words'
    """
    line = declined_on_a_line(text)
    if line is not None:
        return "null" if line[1].lower() == "null" else NOT_ANSWERABLE
    return IN_WORDS if _WORDS.search(text) else None
