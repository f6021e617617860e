"""What detectors read of a case."""

from __future__ import annotations

import re
from typing import Literal

Reads = Literal["question", "sql"]

_NUMBER = re.compile(r"\d+")


def text_of(question: str, sql: str, reads: Reads) -> str:
    """The question, or the question and the SQL."""
    return question if reads == "question" else f"{question}\n{sql}"


def masked(text: str) -> str:
    """The text with 0 for every number: which patient, which year is not what a question asks."""
    return _NUMBER.sub("0", text)
