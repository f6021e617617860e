"""Tables in Markdown and in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence


def markdown_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a Markdown table; all columns but the first are right-aligned."""
    yield f"| {' | '.join(heads)} |"
    yield f"|---|{'---:|' * (len(heads) - 1)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def latex_text(text: str) -> str:
    """The text with LaTeX's special characters escaped."""
    return re.sub(r"[\\~^–&%$#_{}]", lambda match: _LATEX[match[0]], text)


def markdown_text(text: str) -> str:
    """The text with Markdown's special characters escaped."""
    return re.sub(r"([\\|*_`])", r"\\\1", text)
